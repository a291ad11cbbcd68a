/** A file's queue position is its place in the order of extraction. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readDatabaseTime } from '../database/connection/clock.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createLog } from '../telemetry/log.ts';
import { openJobQueue } from './job-queue.ts';
import { createQueuePositions } from './queue-positions.ts';

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let jobs: ReturnType<typeof openJobQueue>;
beforeAll(async () => {
  server = await createTestDatabase();
  jobs = openJobQueue(server.connection, createLog('silent'));
});
beforeEach(() => sql`DELETE FROM knowledge_jobs`.execute(server.database));
afterAll(async () => {
  await jobs.stop();
  await server.close();
});

type Waiting = { accountId: string; id: string; createdAt: Date };

/** Enqueues an account's file as the service does. */
async function enqueue(accountId: string): Promise<Waiting> {
  const id = uuidv7();
  const createdAt = await server.database.transaction().execute(async (transaction) => {
    await jobs.queue.enqueueImport(transaction, { knowledgeBaseId: uuidv7(), id, accountId });
    return await readDatabaseTime(transaction);
  });
  await sql`SELECT pg_sleep(0.002)`.execute(server.database);
  return { accountId, id, createdAt };
}

test('each import begins at its position or earlier', async () => {
  const [a, b, c] = [uuidv7(), uuidv7(), uuidv7()];
  const waiting: Waiting[] = [];
  for (const accountId of [a, a, a, a, a, b, b, c]) waiting.push(await enqueue(accountId));
  const { positionOf } = createQueuePositions(server.database);
  const positions = await Promise.all(waiting.map(positionOf));
  expect(positions).toEqual([3, 5, 6, 7, 8, 3, 5, 3]);

  const begun: string[] = [];
  const idle = async () => {};
  const importFile = async ({ payload }: { payload: { id: string } }) => void begun.push(payload.id);
  const others = {
    fetchUrl: idle,
    giveUpImport: idle,
    purgeKnowledgeBase: idle,
    collectGarbage: idle,
    fillVectors: idle,
  };
  jobs.work({ importFile, ...others }, 1);
  await vi.waitUntil(() => begun.length === waiting.length, { timeout: 60_000 });
  for (const [i, { id }] of waiting.entries()) expect(begun.indexOf(id)).toBeLessThan(positions[i] ?? 0);
});

test('a file has a position even when the last read of the queue does not contain it', async () => {
  const accountId = uuidv7();
  await enqueue(accountId);
  const { positionOf } = createQueuePositions(server.database);
  const now = await readDatabaseTime(server.database);
  // A Date has no microseconds: the next millisecond is certainly after the file came.
  now.setMilliseconds(now.getMilliseconds() + 1);
  expect(await positionOf({ accountId, createdAt: now })).toBe(2);
  expect(await positionOf({ accountId, createdAt: new Date(0) })).toBe(1);
  expect(await positionOf({ accountId: uuidv7(), createdAt: now })).toBe(2);
});

test('a thousand position requests read a queue of ten thousand once', async () => {
  const accountId = uuidv7();
  await sql`DELETE FROM knowledge_jobs`.execute(server.database); // what the test before has left
  await sql`
    INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, created_at, due_at)
    SELECT 'import-file', ${accountId}::uuid, gen_random_uuid(), gen_random_uuid(),
      date_trunc('second', now()) + n * interval '1 millisecond', now()
    FROM generate_series(1, 10000) AS n`.execute(server.database);
  const { rows } = await sql<{ first: Date }>`SELECT min(created_at) AS first FROM knowledge_jobs`.execute(
    server.database,
  );
  const createdAt = new Date((rows[0]?.first.getTime() ?? 0) + 4_999);
  const queries = vi.spyOn(server.database, 'getExecutor');
  const { positionOf } = createQueuePositions(server.database);
  const positions = await Promise.all(
    Array.from({ length: 1_000 }, () => positionOf({ accountId, createdAt })),
  );
  expect(queries).toHaveBeenCalledOnce();
  queries.mockRestore();
  expect(new Set(positions)).toEqual(new Set([5_000]));
});
