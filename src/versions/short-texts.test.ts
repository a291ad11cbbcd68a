/** Short texts that share a transaction are stored as each alone, and do not fail each other. */
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from '../../generated/types.gen.ts';
import { updateAccount } from '../database/rows/accounts.ts';
import { commitOnce, findKeptAnswer, type KeyedRequest } from '../database/rows/kept-answers.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import type { Text } from '../indexing/analyse-document.ts';
import { createStem } from '../indexing/stems.ts';
import { madeUpVectors } from '../meaning/testing/made-up-vectors.ts';
import { importText, makeKnowledgeBase } from '../search/testing/imported-texts.ts';
import { createShortTexts, type ShortTexts } from './short-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let shortTexts: ShortTexts;

beforeAll(async () => {
  suite = await createTestDatabase();
  const defaults = { storageLimitBytes: 1_000_000, knowledgeBaseLimit: 10 };
  const { database } = suite;
  shortTexts = createShortTexts({
    database,
    stem: createStem(database),
    vectorsIn: madeUpVectors,
    defaults,
    connections: 10,
    discard: async () => {},
  });
});
afterAll(() => suite.close());

const ENGLISH = 'The committees agreed that the new regulations would not apply to the smaller companies.';
const GERMAN =
  'Die Ausschüsse einigten sich darauf, dass die neuen Regelungen nicht für kleinere Firmen gelten.';
const TEXTS: Text[] = Array.from({ length: 20 }, (_, i) => ({
  title: `Text ${String(i).padStart(2, '0')}`,
  content: `# Part ${i}\n\n${(i % 3 === 0 ? GERMAN : ENGLISH).concat(' ').repeat(1 + (i % 7))}\n\n北京 number${i}`,
}));

const contentOf = ({ content }: Text) => ({
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest(),
});

function importShort(owned: OwnedKnowledgeBase, text: Text, keyed?: KeyedRequest): Promise<Document> {
  const { database } = suite;
  return shortTexts.importShortText(
    {
      ...text,
      knowledgeBaseId: owned.knowledgeBaseId,
      ...contentOf(text),
      description: {},
      keyed,
      transact: (effect) =>
        keyed ? commitOnce(database, keyed, effect) : database.transaction().execute(effect),
    },
    { accountId: owned.accountId, signal: new AbortController().signal, remainingWait: undefined },
  );
}

/** All that is stored of the texts, without ids and times. */
async function readStored({ knowledgeBaseId }: OwnedKnowledgeBase) {
  const { rows } = await sql`
    SELECT title, source, type, status, size_bytes, passage_count,
      (SELECT jsonb_agg(to_jsonb(passage) - 'knowledge_base_id' - 'document_id' - 'account_id' ORDER BY position)
        FROM passages AS passage
        WHERE passage.knowledge_base_id = ${knowledgeBaseId} AND document_id = document.id) AS passages,
      (SELECT jsonb_agg(jsonb_build_array(length,
          replace(lexemes::text, ${knowledgeBaseId}, 'own')) ORDER BY position)
        FROM passage_lexemes AS postings
        WHERE postings.knowledge_base_id = ${knowledgeBaseId} AND document_id = document.id) AS lexemes,
      (SELECT jsonb_agg(vector ORDER BY position) FROM passage_vectors AS vectors
        WHERE vectors.knowledge_base_id = ${knowledgeBaseId} AND document_id = document.id) AS vectors
    FROM documents AS document WHERE knowledge_base_id = ${knowledgeBaseId} ORDER BY title`.execute(
    suite.database,
  );
  return rows;
}

async function readStatistics({ knowledgeBaseId }: OwnedKnowledgeBase) {
  const { rows } = await sql`
    SELECT document_count, storage_bytes, passage_count, passage_length_total,
      (SELECT jsonb_object_agg(language, passage_count) FROM language_statistics
        WHERE knowledge_base_id = ${knowledgeBaseId}) AS languages,
      (SELECT jsonb_object_agg(key, count) FROM (
        SELECT key, sum(value::integer) AS count FROM document_frequency_deltas, jsonb_each_text(passage_counts)
        WHERE knowledge_base_id = ${knowledgeBaseId} GROUP BY key) AS counted) AS lexemes
    FROM knowledge_base_statistics WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(suite.database);
  return rows[0];
}

async function countTransactions(owned: OwnedKnowledgeBase): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT created_at) FROM documents
    WHERE knowledge_base_id = ${owned.knowledgeBaseId}`.execute(suite.database);
  return rows[0]?.count ?? 0;
}

test('texts that arrive together share transactions, and all that is stored equals imports one by one', async () => {
  const [together, oneByOne] = [
    await makeKnowledgeBase(suite.database),
    await makeKnowledgeBase(suite.database),
  ];
  for (const owned of [together, oneByOne]) {
    await importText(suite.database, owned, { title: 'English', content: ENGLISH });
    await importText(suite.database, owned, { title: 'German', content: GERMAN });
  }
  const documents = await Promise.all(TEXTS.map((text) => importShort(together, text)));
  expect(documents.map(({ title }) => title)).toEqual(TEXTS.map(({ title }) => title));
  expect(documents[0]).toMatchObject({ status: 'processed', type: 'text', passageCount: 1, warnings: [] });
  for (const text of TEXTS) await importText(suite.database, oneByOne, text);
  expect(await countTransactions(together)).toBeLessThan(TEXTS.length / 2);
  expect(await readStored(together)).toEqual(await readStored(oneByOne));
  expect(await readStatistics(together)).toEqual(await readStatistics(oneByOne));
});

test('STORAGE_LIMIT_EXCEEDED: only the texts that do not fit; the others of their batch are stored', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  await updateAccount(suite.database, owned.accountId, { storageLimitBytes: 250 });
  const content = 'x'.repeat(100);
  const results = await Promise.allSettled(
    ['A', 'B', 'C', 'D'].map((title) => importShort(owned, { title, content })),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(results[2]).toMatchObject({
    reason: { errorCode: 'STORAGE_LIMIT_EXCEEDED', data: { limit: 250, used: 200, requested: 100 } },
  });
  expect(await readStatistics(owned)).toMatchObject({ document_count: 2, storage_bytes: 200 });
});

test('KNOWLEDGE_BASE_NOT_FOUND: fails its own texts, not those of another knowledge base', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const gone = { ...owned, knowledgeBaseId: randomUUID() };
  const text = { title: 'Text', content: ENGLISH };
  const results = await Promise.allSettled([gone, owned, gone, owned].map((one) => importShort(one, text)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(results[0]).toMatchObject({ reason: { errorCode: 'KNOWLEDGE_BASE_NOT_FOUND' } });
});

test('keeps the answers of a batch; a key that another server has used gets the kept answer', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const keyOf = (key: string): KeyedRequest => ({
    accountId: owned.accountId,
    operation: 'importTextContent',
    key,
    hash: Buffer.from(key),
  });
  const other = { id: 'kept by another server' };
  await commitOnce(suite.database, keyOf('taken'), async () => other);
  const send = (keys: (string | undefined)[]) =>
    Promise.all(
      keys.map((key) =>
        importShort(owned, { title: key ?? 'none', content: ENGLISH }, key ? keyOf(key) : undefined),
      ),
    );
  const free = await send(['a', undefined, 'b']);
  expect(await countTransactions(owned)).toBe(1);
  const [c, taken, d] = await send(['c', 'taken', 'd']);
  expect(taken).toEqual(other);
  for (const [key, answer] of Object.entries({ a: free[0], b: free[2], c, d }))
    expect(await findKeptAnswer(suite.database, keyOf(key))).toEqual(answer);
  expect(await readStatistics(owned)).toMatchObject({ document_count: 5 });
});

test('a text that waits leaves the queue when its request ends', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const abort = new AbortController();
  const given = { title: 'Gone', content: ENGLISH };
  const text = { ...given, ...contentOf(given), description: {}, keyed: undefined };
  const waiting = shortTexts.importShortText(
    {
      ...text,
      knowledgeBaseId: owned.knowledgeBaseId,
      transact: () => Promise.reject(new Error('not called')),
    },
    { accountId: owned.accountId, signal: abort.signal, remainingWait: undefined },
  );
  abort.abort(new Error('hung up'));
  await expect(waiting).rejects.toThrow('hung up');
  await importShort(owned, { title: 'Next', content: ENGLISH });
  expect(await readStatistics(owned)).toMatchObject({ document_count: 1 });
});
