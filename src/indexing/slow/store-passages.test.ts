/** BM25's statistics equal a recount after any concurrent imports and deletions. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knowledgeBaseLexeme } from '../../analysis/reserved-lexemes.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { LEXEMES_PER_DELTA } from '../../database/schema/tables.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createStatistics } from '../../search/query/collection-statistics.ts';
import { readFrequencies } from '../../search/query/lexeme-frequencies.ts';
import { importText, makeKnowledgeBase } from '../../search/testing/imported-texts.ts';
import { deleteDocuments } from '../delete-documents.ts';
import { mergeFrequencyDeltas } from '../postings/document-frequencies.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** The values of the counters. */
async function readStatistics({ knowledgeBaseId }: OwnedKnowledgeBase) {
  const { rows } = await sql`
    SELECT document_count, storage_bytes, passage_count, passage_length_total,
      (SELECT coalesce(jsonb_object_agg(lexeme, passage_count), '{}') FROM (
        SELECT lexeme, sum(passage_count) AS passage_count FROM (
          SELECT lexeme, passage_count FROM document_frequencies WHERE knowledge_base_id = ${knowledgeBaseId}
          UNION ALL
          SELECT key, value::bigint FROM document_frequency_deltas, jsonb_each_text(passage_counts)
          WHERE knowledge_base_id = ${knowledgeBaseId}) AS counted
        GROUP BY lexeme HAVING sum(passage_count) <> 0) AS merged) AS lexemes,
      (SELECT count(*) FROM passage_vectors WHERE knowledge_base_id = ${knowledgeBaseId}) AS vectors,
      (SELECT coalesce(jsonb_object_agg(language, passage_count), '{}') FROM language_statistics
        WHERE knowledge_base_id = ${knowledgeBaseId}) AS languages
    FROM knowledge_base_statistics WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(suite.database);
  return rows[0];
}

/** The same values, counted from the documents and passages. */
async function recount({ knowledgeBaseId }: OwnedKnowledgeBase) {
  const { rows } = await sql<{ lexemes: Record<string, number> }>`
    WITH own AS (
      SELECT * FROM passages JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      WHERE knowledge_base_id = ${knowledgeBaseId})
    SELECT
      (SELECT count(*) FROM documents WHERE knowledge_base_id = ${knowledgeBaseId}) AS document_count,
      (SELECT coalesce(sum(size_bytes), 0)::bigint FROM documents
        WHERE knowledge_base_id = ${knowledgeBaseId}) AS storage_bytes,
      (SELECT count(*) FROM own) AS passage_count,
      (SELECT coalesce(sum(length), 0)::bigint FROM own) AS passage_length_total,
      (SELECT count(*) FROM own) AS vectors,
      (SELECT coalesce(jsonb_object_agg(lexeme, count), '{}') FROM (
        SELECT lexeme, count(*) FROM own, unnest(own.lexemes) WHERE lexeme <> ${knowledgeBaseLexeme(knowledgeBaseId)}
        GROUP BY lexeme) AS counted) AS lexemes,
      (SELECT coalesce(jsonb_object_agg(language, count), '{}') FROM (
        SELECT language, count(*) FROM own GROUP BY language) AS counted) AS languages`.execute(
    suite.database,
  );
  return rows[0];
}

async function deleteText(owned: OwnedKnowledgeBase, id: string): Promise<void> {
  await suite.database.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('documents')
      .select('id')
      .where('knowledge_base_id', '=', owned.knowledgeBaseId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row !== undefined) await deleteDocuments(transaction, { ...owned, ids: [id] });
  });
}

/** Few words, so that texts share them: English, German, Chinese, and lexemes that need quoting. */
const words = fc.constantFrom(
  'the',
  'running',
  'dogs',
  'und',
  'Häuser',
  '北京',
  "it's",
  'a\\b',
  '__proto__',
  'C++',
);
const text = fc.record({
  title: fc.array(words, { minLength: 1, maxLength: 3 }).map((list) => list.join(' ')),
  content: fc.array(words, { minLength: 1, maxLength: 400 }).map((list) => list.join(' ')),
});

test('concurrent imports and deletes leave exact statistics and no deadlock', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 2, maxLength: 8 }), fc.nat(7), async (texts, deleted) => {
      const owned = await makeKnowledgeBase(suite.database);
      const ids = await Promise.all(texts.map((one) => importText(suite.database, owned, one)));
      const doomed = ids.slice(0, deleted);
      await Promise.all([
        ...doomed.flatMap((id) => [deleteText(owned, id), deleteText(owned, id)]),
        ...texts.slice(0, 3).map((one) => importText(suite.database, owned, one)),
        mergeFrequencyDeltas(suite.database),
        mergeFrequencyDeltas(suite.database),
      ]);
      const recounted = await recount(owned);
      expect(await readStatistics(owned)).toEqual(recounted);
      await mergeFrequencyDeltas(suite.database);
      expect(await readStatistics(owned)).toEqual(recounted);
      const lexemes = Object.keys(recounted?.lexemes ?? {});
      for (const ids of [[owned.knowledgeBaseId], undefined]) {
        const { frequencies } = await createStatistics()(
          suite.database,
          { accountId: owned.accountId, ids },
          { lexemes, prefixes: [''], toStem: [], isCountingStems: false },
        );
        expect(Object.fromEntries(frequencies)).toEqual(recounted?.lexemes);
      }
      for (const others of [0, 200]) {
        const ids = [owned.knowledgeBaseId, ...Array.from({ length: others }, () => uuidv7())];
        const again = await readFrequencies(suite.database, { accountId: owned.accountId, ids }, lexemes);
        expect(Object.fromEntries(again)).toEqual(recounted?.lexemes);
      }
    }),
    { numRuns: 25 },
  );
});

test('a knowledge base has no lexemes after its last document was deleted', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const id = await importText(suite.database, owned, { title: 'one', content: 'two three' });
  await deleteText(owned, id);
  await mergeFrequencyDeltas(suite.database);
  expect(await readStatistics(owned)).toEqual({
    document_count: 0,
    storage_bytes: 0,
    passage_count: 0,
    passage_length_total: 0,
    lexemes: {},
    vectors: 0,
    languages: {},
  });
});

test('a large document is merged in several steps, and its statistics stay exact meanwhile', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const content = Array.from({ length: 5 * LEXEMES_PER_DELTA }, (_, i) => `word${i}`).join(' ');
  const mergeBytes = 250_000;
  const readBytes = async () => {
    const { rows } = await sql<{ bytes: number }>`
      SELECT coalesce(sum(pg_column_size(passage_counts)), 0) AS bytes FROM document_frequency_deltas
      WHERE knowledge_base_id = ${owned.knowledgeBaseId}`.execute(suite.database);
    return rows[0]?.bytes ?? -1;
  };
  /** Merges all deltas, and returns the bytes that each merge took. */
  const mergeAll = async () => {
    const taken: number[] = [];
    const recounted = await recount(owned);
    for (let bytesLeft = 1; bytesLeft > 0; ) {
      const before = await readBytes();
      ({ bytesLeft } = await mergeFrequencyDeltas(suite.database, { bytesMax: mergeBytes }));
      expect(bytesLeft).toBe(await readBytes());
      taken.push(before - bytesLeft);
      expect(await readStatistics(owned)).toEqual(recounted);
    }
    expect(await readBytes()).toBe(0);
    return taken;
  };
  const expectSeveralMerges = (taken: number[]) => {
    expect(taken.length).toBeGreaterThan(1);
    expect(Math.max(...taken)).toBeGreaterThan(mergeBytes / 2);
    expect(Math.max(...taken)).toBeLessThanOrEqual(mergeBytes);
  };
  const id = await importText(suite.database, owned, { title: 'words', content });
  expectSeveralMerges(await mergeAll());
  await deleteText(owned, id);
  expectSeveralMerges(await mergeAll());
  const { rows } = await sql`
    SELECT FROM document_frequencies WHERE knowledge_base_id = ${owned.knowledgeBaseId}`.execute(
    suite.database,
  );
  expect(rows).toEqual([]);
});

test('a merge that leaves more deltas than it reads says so, and the last one that none are left', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  await sql`
    INSERT INTO document_frequency_deltas (knowledge_base_id, id, account_id, passage_counts)
    SELECT ${owned.knowledgeBaseId}, gen_random_uuid(), ${owned.accountId}, jsonb_build_object('word' || i, 1)
    FROM generate_series(1, 700) AS i`.execute(suite.database);
  const left = [
    await mergeFrequencyDeltas(suite.database),
    await mergeFrequencyDeltas(suite.database),
    await mergeFrequencyDeltas(suite.database),
  ];
  expect(left.map(({ bytesLeft }) => bytesLeft)).toEqual([Number.POSITIVE_INFINITY, 0, 0]);
  expect(left.map(({ areFound }) => areFound)).toEqual([true, true, false]);
});

test('a document of punctuation alone, without lexemes, can be deleted', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const id = await importText(suite.database, owned, { title: '!!!', content: '...' });
  await deleteText(owned, id);
  expect(await readStatistics(owned)).toMatchObject({ document_count: 0, passage_count: 0 });
});
