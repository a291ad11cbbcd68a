/** The figures of each queue: how many jobs wait, and for how long. */
import { sql } from 'kysely';
import { NIL, v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createLog } from '../telemetry/log.ts';
import { readJobFigures } from './job-figures.ts';
import { openJobQueue } from './job-queue.ts';

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let jobs: ReturnType<typeof openJobQueue>;
beforeAll(async () => {
  server = await createTestDatabase();
  jobs = openJobQueue(server.connection, createLog('silent'));
});
afterAll(async () => {
  await jobs.stop();
  await server.close();
});

const figuresOf = async (queue: string) =>
  (await readJobFigures(server.database)).find((figures) => figures.queue === queue);

test('lists empty queues too, with no waiting job', async () => {
  const figures = await readJobFigures(server.database);
  expect(figures.map(({ queue }) => queue)).toEqual([
    'embed-documents',
    'fetch-url',
    'fill-vectors',
    'give-up-import',
    'import-file',
    'purge-knowledge-base',
    'sweep-storage',
  ]);
  expect(await figuresOf('import-file')).toMatchObject({ waiting: 0, oldestWaitingSeconds: 0 });
});

test('counts running jobs, and those that wait, with the age of the oldest, but no ended jobs', async () => {
  const ids = Array.from({ length: 4 }, () => uuidv7());
  const accountId = uuidv7();
  for (const id of ids)
    await jobs.queue.enqueueImport(server.database, { knowledgeBaseId: uuidv7(), id, accountId });
  const age = (id = '', seconds: number, change: string) =>
    sql`UPDATE knowledge_jobs SET created_at = now() - make_interval(secs => ${seconds}), ${sql.raw(change)}
      WHERE document_id = ${id}`.execute(server.database);
  await age(ids[0], 9_000, 'tries = 1, started_at = now(), ended_at = now()');
  await age(ids[1], 600, "tries = 1, due_at = now() + interval '1 second'");
  await age(ids[2], 30, 'tries = 0');
  await age(ids[3], 9_000, 'tries = 1, started_at = now()');
  const figures = await figuresOf('import-file');
  expect(figures).toMatchObject({ waiting: 2, active: 1 });
  expect(figures?.oldestWaitingSeconds).toBeGreaterThanOrEqual(600);
  expect(figures?.oldestWaitingSeconds).toBeLessThan(660);
});

test('a garbage collection that comes again does not wait until then', async () => {
  await sql`
    INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, created_at, due_at)
    SELECT 'sweep-storage', id, id, id, due, due
    FROM (SELECT ${NIL}::uuid AS id, now() + interval '10 minutes' AS due) AS next`.execute(server.database);
  expect(await figuresOf('sweep-storage')).toMatchObject({ waiting: 0, active: 0, oldestWaitingSeconds: 0 });
});
