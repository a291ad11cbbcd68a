/** Files of one folder that come at the same time share a transaction, and do not fail each other. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';

let suite: TestService;
let knowledgeBaseId: string;
beforeAll(async () => {
  suite = await startTestService({ runsWorkers: false });
  knowledgeBaseId = String((await suite.call('createKnowledgeBase', { name: 'folder' })).body.data.id);
});
afterAll(() => suite.close());

const send = (name: string, content: string, attributes?: object) => {
  const given = { knowledgeBaseId, fileName: name, externalId: name, ifUnchanged: 'skip' };
  const query = new URLSearchParams({
    ...given,
    ...(attributes && { attributes: JSON.stringify(attributes) }),
  });
  return suite.call(`uploadFile?${query}`, Buffer.from(content));
};
const NAMES = Array.from({ length: 12 }, (_, i) => `note ${i}.md`);

const readTransactions = async () => {
  const { rows } = await sql<{ transactions: number; files: number; jobs: number; bytes: number }>`
    SELECT count(DISTINCT documents.xmin::text) AS transactions, count(files.id) AS files,
      (SELECT count(*) FROM knowledge_jobs WHERE is_small) AS jobs,
      (SELECT storage_bytes FROM knowledge_base_statistics WHERE knowledge_base_id = ${knowledgeBaseId}) AS bytes
    FROM documents JOIN files ON files.document_id = documents.id AND documents.file_id = files.id
    WHERE documents.knowledge_base_id = ${knowledgeBaseId}`.execute(suite.service.database);
  return rows[0];
};

test('each has its pending document, file and job; what comes again is unchanged', async () => {
  const first = await Promise.all(NAMES.map((name) => send(name, `The note ${name}.`)));
  expect(
    first.map(({ status, body: { data } }) => [status, data.status, data.title, data.externalId]),
  ).toEqual(NAMES.map((name) => [200, 'pending', name, name]));
  const { transactions, ...stored } = (await readTransactions()) ?? { transactions: 0 };
  expect(transactions).toBeLessThan(NAMES.length);
  const bytes = NAMES.reduce((sum, name) => sum + `The note ${name}.`.length + name.length, 0);
  expect(stored).toEqual({ files: NAMES.length, jobs: NAMES.length, bytes });
  const again = await Promise.all(
    NAMES.map((name, i) => (i === 3 ? send(name, 'Changed.') : send(name, `The note ${name}.`))),
  );
  const ids = (answers: typeof first) => answers.map(({ body }) => body.data.id);
  expect(again.map(({ body }) => body.data.unchanged === true)).toEqual(NAMES.map((_, i) => i !== 3));
  expect(ids(again).filter((id, i) => id === ids(first)[i])).toHaveLength(NAMES.length - 1);
  const described = await Promise.all(
    ['note 5.md', 'note 6.md'].map((name) => send(name, `The note ${name}.`, { team: 'blue' })),
  );
  expect(described.map(({ body: { data } }) => [data.unchanged, data.attributes])).toEqual([
    [true, { team: 'blue' }],
    [true, { team: 'blue' }],
  ]);
});

test('STORAGE_LIMIT_EXCEEDED: only the files that do not fit, of which nothing stays', async () => {
  const { database } = suite.service;
  const { bytes = 0 } = (await readTransactions()) ?? {};
  const size = 100 + 'large 0.md'.length;
  await sql`UPDATE accounts SET storage_limit_bytes = ${bytes + 2 * size}`.execute(database);
  const names = Array.from({ length: 5 }, (_, i) => `large ${i}.md`);
  const answers = await Promise.all(names.map((name) => send(name, 'x'.repeat(100))));
  await sql`UPDATE accounts SET storage_limit_bytes = NULL`.execute(database);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 403, 403, 403]);
  expect((await readTransactions())?.bytes).toBe(bytes + 2 * size);
});
