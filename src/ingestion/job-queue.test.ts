/** Jobs come once, are tried again, and at last given up where nobody can lose them. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../log.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { type JobHandlers, openJobQueue } from './job-queue.ts';

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let jobs: Awaited<ReturnType<typeof openJobQueue>>;
beforeEach(async () => {
  server = await createTestDatabase();
  jobs = await openJobQueue(server.connection, createLog('silent'));
});
afterEach(async () => {
  await jobs.stop();
  await server.close();
});

const idle: JobHandlers = {
  importFile: async () => {},
  giveUpImport: async () => {},
  purgeKnowledgeBase: async () => {},
  sweepStorage: async () => {},
};

const newDocument = () => ({ knowledgeBaseId: uuidv7(), id: uuidv7() });

test('an import that fails at its last try is handed to those who end its document', async () => {
  const document = newDocument();
  await jobs.queue.enqueueImport(server.database, document);
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

test('a purge that waits already is not enqueued once more; one of another knowledge base is', async () => {
  const [one, other] = [uuidv7(), uuidv7()];
  for (const id of [one, one, other]) await jobs.queue.enqueuePurge(server.database, id);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM pgboss.job WHERE name = 'purge-knowledge-base'`.execute(server.database);
  expect(rows[0]?.count).toBe(2);
});

test('a job of a transaction that is rolled back never comes', async () => {
  const document = newDocument();
  const rolledBack = server.database.transaction().execute(async (transaction) => {
    await jobs.queue.enqueueImport(transaction, newDocument());
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  await jobs.queue.enqueueImport(server.database, document);
  const importFile = vi.fn(async () => {});
  await jobs.work({ ...idle, importFile }, 1);
  await vi.waitUntil(() => importFile.mock.calls.length > 0, { timeout: 20_000 });
  expect(importFile).toHaveBeenCalledWith(expect.objectContaining({ payload: document }));
});

test('a worker that has done a job takes the next without waiting for its next poll', async () => {
  const documents = Array.from({ length: 40 }, newDocument);
  for (const document of documents) await jobs.queue.enqueueImport(server.database, document);
  const importFile = vi.fn(async () => {});
  await jobs.work({ ...idle, importFile }, 1);
  // One job a poll, as before, would be 80 seconds.
  await vi.waitUntil(() => importFile.mock.calls.length === documents.length, { timeout: 20_000 });
});
