/** Each unfinished document has a job, whatever became of the job that was made with it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';
import { importUnattended } from '../serve/testing/unattended-imports.ts';
import { parseDocumentId } from '../terms/ids.ts';
import { enqueueMissingJobs, hastenLateJobs } from './missing-jobs.ts';

let suite: TestService;
let knowledgeBaseId: string;
beforeAll(async () => {
  suite = await startTestService({ runsWorkers: false });
  const { body } = await suite.call('createKnowledgeBase', { name: 'files' });
  knowledgeBaseId = String(body.data.id);
});
afterAll(() => suite.close());
beforeEach(() => sql`DELETE FROM knowledge_jobs`.execute(suite.service.database));

const importPending = async (content: string) =>
  parseDocumentId(await importUnattended(suite, { knowledgeBaseId, fileName: 'a.txt', content }), undefined)
    .id;

/** The documents of the imports that wait, in the order of the queue. */
async function listWaiting(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT document_id AS id FROM knowledge_jobs WHERE queue = 'import-file' AND ended_at IS NULL
    ORDER BY created_at`.execute(suite.service.database);
  return rows.map(({ id }) => id);
}

test('unfinished documents without a job get one, in the order of their requests; others keep theirs', async () => {
  const { database } = suite.service;
  const [first, second, third, done] = [
    await importPending('one'),
    await importPending('two'),
    await importPending('three'),
    await importPending('four'),
  ];
  await database.updateTable('documents').set({ status: 'processing' }).where('id', '=', second).execute();
  await database.updateTable('documents').set({ status: 'processed' }).where('id', '=', done).execute();
  await sql`UPDATE knowledge_jobs SET ended_at = now() WHERE document_id = ${first}`.execute(database);
  await sql`DELETE FROM knowledge_jobs WHERE document_id IN (${second}, ${done})`.execute(database);
  await sql`UPDATE knowledge_jobs SET tries = 3, started_at = now() WHERE document_id = ${third}`.execute(
    database,
  );
  const before = await sql`SELECT * FROM knowledge_jobs WHERE document_id = ${third}`.execute(database);
  expect(await enqueueMissingJobs(database)).toBe(2);
  expect(await enqueueMissingJobs(database)).toBe(0);
  expect(await listWaiting()).toEqual([first, second, third]);
  const after = await sql`SELECT * FROM knowledge_jobs WHERE document_id = ${third}`.execute(database);
  expect(after.rows).toEqual(before.rows);
});

test('an import that was given up keeps its dead letter until its document has failed', async () => {
  const id = await importPending('five');
  const { database } = suite.service;
  await sql`UPDATE knowledge_jobs SET queue = 'give-up-import'`.execute(database);
  await enqueueMissingJobs(database);
  expect(await listWaiting()).not.toContain(id);
});

test('an import does not wait until a clock that was set back has come so far again', async () => {
  const { database } = suite.service;
  const [late, soon] = [await importPending('six'), await importPending('seven')];
  await sql`UPDATE knowledge_jobs SET due_at = now() + interval '3 hours' WHERE document_id = ${late}`.execute(
    database,
  );
  await sql`UPDATE knowledge_jobs SET due_at = now() + interval '1 minute' WHERE document_id = ${soon}`.execute(
    database,
  );
  await hastenLateJobs(database);
  const due = await sql`SELECT document_id AS id FROM knowledge_jobs WHERE due_at <= now()`.execute(database);
  expect(due.rows).toEqual([{ id: late }]);
});
