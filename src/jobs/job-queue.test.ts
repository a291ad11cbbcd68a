/** No job is lost: it runs once, is tried again after a failure, and becomes a dead letter after its last try. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createLog } from '../telemetry/log.ts';
import type { ScopedId } from '../terms/ids.ts';
import { Postponed } from './importers.ts';
import { type JobHandlers, openJobQueue } from './job-queue.ts';

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let jobs: Awaited<ReturnType<typeof openJobQueue>>;
beforeEach(async () => {
  server = await createTestDatabase();
  jobs = await openJobQueue(server.connection, createLog('silent'));
});
afterEach(async () => {
  await jobs.stop(1);
  await server.close();
});

const idle: JobHandlers = {
  importFile: async () => {},
  giveUpImport: async () => {},
  purgeKnowledgeBase: async () => {},
  collectGarbage: async () => {},
};

const accountId = uuidv7();
const newDocument = () => ({ knowledgeBaseId: uuidv7(), id: uuidv7() });

const enqueue = async (owner: string, ...documents: ScopedId[]) => {
  for (const document of documents)
    await jobs.queue.enqueueImport(server.database, { ...document, accountId: owner });
};
const newDocuments = (count: number) => Array.from({ length: count }, newDocument);

test('an import that fails at its last try becomes a dead letter', async () => {
  const document = newDocument();
  await enqueue(accountId, document);
  await sql`UPDATE pgboss.job SET retry_limit = 0 WHERE name = 'import-file'`.execute(server.database);
  const importFile = vi.fn(async () => {
    throw new Error('disk on fire');
  });
  const giveUpImport = vi.fn(async () => {});
  await jobs.work({ ...idle, importFile, giveUpImport }, 1);
  await vi.waitUntil(() => giveUpImport.mock.calls.length > 0, { timeout: 20_000 });
  expect(importFile).toHaveBeenCalledOnce();
  expect(giveUpImport).toHaveBeenCalledWith(expect.objectContaining({ payload: document }));
});

test('an import that is postponed waits again as the same job, with all its tries', async () => {
  const document = newDocument();
  await enqueue(accountId, document);
  const importFile = vi.fn(async () => {});
  importFile.mockRejectedValueOnce(new Postponed('not now'));
  await jobs.work({ ...idle, importFile }, 1);
  await vi.waitUntil(() => importFile.mock.calls.length === 2, { timeout: 20_000 });
  expect(importFile).toHaveBeenLastCalledWith(expect.objectContaining({ payload: document }));
  const readJobs = async () => {
    const { rows } = await sql`
      SELECT state, retry_count AS tries, created_on < started_on - interval '4 seconds' AS "hasWaited"
      FROM pgboss.job WHERE name = 'import-file'`.execute(server.database);
    return rows;
  };
  await expect.poll(readJobs).toEqual([{ state: 'completed', tries: 0, hasWaited: true }]);
});

test('a purge is enqueued once for each knowledge base', async () => {
  const [one, other] = [uuidv7(), uuidv7()];
  for (const id of [one, one, other]) await jobs.queue.enqueuePurge(server.database, id);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM pgboss.job WHERE name = 'purge-knowledge-base'`.execute(server.database);
  expect(rows[0]?.count).toBe(2);
});

test('a job enqueued by a transaction that is rolled back does not run', async () => {
  const document = newDocument();
  const rolledBack = server.database.transaction().execute(async (transaction) => {
    await jobs.queue.enqueueImport(transaction, { ...newDocument(), accountId });
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  await enqueue(accountId, document);
  const importFile = vi.fn(async () => {});
  await jobs.work({ ...idle, importFile }, 1);
  await vi.waitUntil(() => importFile.mock.calls.length > 0, { timeout: 20_000 });
  expect(importFile).toHaveBeenCalledWith(expect.objectContaining({ payload: document }));
});

test('a worker takes the next job immediately after it has finished one', async () => {
  const documents = Array.from({ length: 40 }, newDocument);
  for (const document of documents) await enqueue(accountId, document);
  const importFile = vi.fn(async () => {});
  await jobs.work({ ...idle, importFile }, 1);
  // At one job a poll this would take 80 seconds.
  await vi.waitUntil(() => importFile.mock.calls.length === documents.length, { timeout: 20_000 });
});

/** Imports that last until the test ends them; `begun` lists their documents in the order of their start. */
function createLasting() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const importFile: JobHandlers['importFile'] = async ({ payload: { id }, signal }) => {
    begun.push(id);
    await new Promise<void>((resolve, reject) => {
      ends.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  return { begun, importFile, end: (id: string) => ends.get(id)?.() };
}

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000, interval: 10 });
const idsOf = (documents: ScopedId[]) => documents.map(({ id }) => id);

test("an account's import begins at once although another account has all importers", async () => {
  const lasting = createLasting();
  const [theirs, mine] = [newDocuments(5), newDocuments(1)];
  await enqueue(uuidv7(), ...theirs);
  await jobs.work({ ...idle, importFile: lasting.importFile }, 2);
  await until(() => lasting.begun.length === 2);
  await enqueue(accountId, ...mine);
  await until(() => lasting.begun.length === 3);
  expect(lasting.begun).toEqual([...idsOf(theirs.slice(0, 2)), ...idsOf(mine)]);
});

test('an account gets all importers while no other waits, and half of them while others wait', async () => {
  const lasting = createLasting();
  const [a, b] = [newDocuments(6), newDocuments(2)];
  await enqueue(uuidv7(), ...a);
  await jobs.work({ ...idle, importFile: lasting.importFile }, 4);
  await until(() => lasting.begun.length === 4);
  await enqueue(accountId, ...b);
  await until(() => lasting.begun.length === 5);
  for (const id of lasting.begun.slice(0, 2)) lasting.end(id);
  await until(() => lasting.begun.length === 6);
  expect(lasting.begun.slice(4)).toEqual(idsOf(b));
  for (const id of idsOf(b)) lasting.end(id);
  await until(() => lasting.begun.length === 8);
  expect(lasting.begun.slice(6)).toEqual(idsOf(a.slice(4)));
});

test('accounts take turns across all servers, including the jobs of a killed server', async () => {
  const owners = [uuidv7(), uuidv7(), uuidv7()];
  const owned = new Map<string, number>();
  for (const [owner, name] of owners.entries()) {
    const documents = newDocuments(10);
    await enqueue(name, ...documents);
    for (const id of idsOf(documents)) owned.set(id, owner);
  }
  // The state after a server was killed: jobs are active, and have no recent heartbeat.
  await sql`
    UPDATE pgboss.job SET state = 'active', started_on = now(), heartbeat_on = now() - interval '1 hour'
    WHERE name = 'import-file' AND created_on IN (SELECT min(created_on) FROM pgboss.job GROUP BY priority)`.execute(
    server.database,
  );
  const begun: string[] = [];
  const importFile: JobHandlers['importFile'] = async ({ payload: { id } }) => {
    begun.push(id);
  };
  const other = await openJobQueue(server.connection, createLog('silent'));
  await Promise.all([jobs, other].map((one) => one.work({ ...idle, importFile }, 1)));
  await until(() => new Set(begun).size === 30);
  await other.stop();
  const firstTurns = begun.slice(0, 18).map((id) => owned.get(id));
  for (const owner of owners.keys())
    expect(firstTurns.filter((one) => one === owner).length).toBeGreaterThanOrEqual(4);
});

test('imports that do not end in time go back to the queue when the worker stops', async () => {
  const lasting = createLasting();
  const document = newDocument();
  await enqueue(accountId, document);
  await jobs.work({ ...idle, importFile: lasting.importFile }, 1);
  await until(() => lasting.begun.length === 1);
  await jobs.stop(1);
  jobs = await openJobQueue(server.connection, createLog('silent'));
  await jobs.work({ ...idle, importFile: lasting.importFile }, 1);
  await until(() => lasting.begun.length === 2);
  lasting.end(document.id);
  expect(lasting.begun).toEqual([document.id, document.id]);
});
