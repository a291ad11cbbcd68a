/** Filters and the other restrictions of a search, compared with naive implementations over random documents. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  arbitraryAttributes,
  arbitraryFilter,
  type Fields,
  fits,
  TEXTS,
} from '../../../contract-tests/harness/documents/naive-filter.ts';
import type { Attributes } from '../../../generated/types.gen.ts';
import type { Database } from '../../database/connection/database.ts';
import { toDocumentFilter } from '../../database/rows/documents/document-filter.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import { createSearch, type SearchRequest } from '../search.ts';
import { importText, makeKnowledgeBase } from '../testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const memory = createStemMemory();

async function search(
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  request: Partial<SearchRequest>,
  database: Database = suite.database,
) {
  const searchIn = createSearch(database, memory);
  const inKnowledgeBase = { accountId, knowledgeBaseIds: [knowledgeBaseId] };
  return (await searchIn({ ...inKnowledgeBase, query: 'river', limit: 50, ...request })).passages;
}

const TIMES = ['2026-01-01T00:00:00.000Z', '2026-01-02T03:04:05.678Z', '2026-02-01T00:00:00.000Z'];
const filter = arbitraryFilter(TIMES);

type Stored = { id: string; fields: Fields };

/** Imports documents with these attributes, which all match "river"; every fourth has two passages. */
async function importAll(owned: OwnedKnowledgeBase, all: Attributes[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const [i, attributes] of all.entries()) {
    const [title, sourceUrl] = [TEXTS[i % TEXTS.length] || 'none', i % 3 ? `https://x.org/${i}` : undefined];
    const filler = `word${i} `.repeat(i % 5);
    const passages = [`The river ${filler}flows.`, `${'Long paragraph of a text. '.repeat(40)} river ${i}`];
    const content = (i % 4 === 0 ? passages : passages.slice(0, 1)).join('\n\n');
    const id = await importText(suite.database, owned, {
      title,
      content,
      description: { attributes, sourceUrl },
    });
    const createdAt = TIMES[i % TIMES.length] ?? '';
    await suite.database
      .updateTable('documents')
      .set({ created_at: new Date(createdAt) })
      .where('id', '=', id)
      .execute();
    const own = { $title: title, $type: 'text', $sourceUrl: sourceUrl, $createdAt: Date.parse(createdAt) };
    stored.push({ id, fields: { ...attributes, ...own } });
  }
  await mergeFrequencyDeltas(suite.database);
  return stored;
}

type Ranked = { document: string; position: number; score: number; bm25: number };

const rankedOf = (results: Awaited<ReturnType<typeof search>>): Ranked[] =>
  results.map(({ document_id: document, position, score, bm25 }) => ({ document, position, score, bm25 }));

const documentsOf = (results: { document: string }[]) => new Set(results.map(({ document }) => document));

/** The results of a search without a scope, if only these documents had passages in the index. */
async function searchWithoutOthers(
  owned: OwnedKnowledgeBase,
  ids: string[],
  request: Partial<SearchRequest>,
) {
  let results: Ranked[] = [];
  const undo = new Error('undo');
  await suite.database
    .transaction()
    .execute(async (transaction) => {
      await sql`
        DELETE FROM passage_lexemes
        WHERE knowledge_base_id = ${owned.knowledgeBaseId} AND document_id <> ALL(${ids}::uuid[])`.execute(
        transaction,
      );
      results = rankedOf(await search(owned, request, transaction));
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return results;
}

/** Empty documents: with many, a filter is compared with all of them late, or never. */
const insertEmpty = (
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  { count, attributes }: { count: number; attributes: Attributes },
) =>
  sql`
  INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, attributes,
    created_at, updated_at)
  SELECT ${knowledgeBaseId}, gen_random_uuid(), ${accountId}, 'empty', 'empty', 'text', 1, 'processed',
    ${JSON.stringify(attributes)}::jsonb, now(), now()
  FROM generate_series(1, ${count}::integer)`.execute(suite.database);

describe.each([
  ['few', 0],
  ['many', 3_000],
  ['very many', 10_000],
])('over %s random documents', (_, count) => {
  let owned: OwnedKnowledgeBase;
  let stored: Stored[];
  beforeAll(async () => {
    owned = await makeKnowledgeBase(suite.database);
    stored = await importAll(owned, fc.sample(arbitraryAttributes, { seed: 21, numRuns: 36 }));
    if (count > 0) await insertEmpty(owned, { count, attributes: { a: 'a', 'b.c': 1 } });
    await sql`ANALYZE documents`.execute(suite.database);
  });

  const searchIn = async (request: Partial<SearchRequest>) => rankedOf(await search(owned, request));

  test('a filter finds the documents that fit, as if there were no others', async () => {
    const found = { all: 0, some: 0, none: 0 };
    await fc.assert(
      fc.asyncProperty(filter, fc.boolean(), async (each, isCompared) => {
        const ids = stored.filter(({ fields }) => fits(fields, each)).map(({ id }) => id);
        const results = await searchIn({ scope: { filter: toDocumentFilter(each) } });
        expect(documentsOf(results)).toEqual(new Set(ids));
        found[ids.length === 0 ? 'none' : ids.length === stored.length ? 'all' : 'some'] += 1;
        if (isCompared) expect(results).toEqual(await searchWithoutOthers(owned, ids, {}));
      }),
      { seed: 21, numRuns: 60 },
    );
    expect(Math.min(...Object.values(found))).toBeGreaterThan(2);
  }, 60_000);

  test('documentIds find these documents, those in the searched knowledge bases and those that also fit', async () => {
    const all = fc.subarray(stored);
    await fc.assert(
      fc.asyncProperty(all, fc.option(filter, { nil: undefined }), async (some, each) => {
        const documents = some.map(({ id }) => ({ knowledgeBaseId: owned.knowledgeBaseId, id }));
        const elsewhere = some.map(({ id }) => ({ knowledgeBaseId: id, id }));
        const expected = some.filter(({ fields }) => each === undefined || fits(fields, each));
        const condition = each && { filter: toDocumentFilter(each) };
        const results = await searchIn({ scope: { documents, ...condition } });
        const ids = expected.map(({ id }) => id);
        expect(results).toEqual(await searchWithoutOthers(owned, ids, {}));
        expect(await searchIn({ scope: { documents: elsewhere, ...condition } })).toEqual([]);
      }),
      { seed: 21, numRuns: 20 },
    );
  });

  test('maxPerDocument takes the best of each document, and others in place of the rest', async () => {
    const all = await searchIn({});
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.option(filter, { nil: undefined }),
        async (max, each) => {
          const fitting = stored.filter(({ fields }) => each === undefined || fits(fields, each));
          const results = await searchIn({
            scope: { maxPerDocument: max, ...(each && { filter: toDocumentFilter(each) }) },
          });
          const best = fitting.flatMap(({ id }) =>
            all
              .filter(({ document }) => document === id)
              .sort((left, right) => right.bm25 - left.bm25 || left.position - right.position)
              .slice(0, max),
          );
          const keysOf = (list: Ranked[]) =>
            list.map(({ document, position }) => `${document} ${position}`).sort();
          expect(keysOf(results)).toEqual(keysOf(best));
        },
      ),
      { seed: 21, numRuns: 20 },
    );
  });

  test('minScore leaves out what is below it, and a smaller limit returns the first results', async () => {
    const scopes = fc.option(fc.record({ filter: filter.map(toDocumentFilter) }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(scopes, fc.double({ min: 0, max: 1, noNaN: true }), async (scope, minScore) => {
        const all = await searchIn({ scope });
        const middle = all[all.length >> 1]?.score ?? minScore;
        for (const bound of [minScore, middle])
          expect(await searchIn({ scope, minScore: bound })).toEqual(
            all.filter(({ score }) => score >= bound),
          );
        expect(await searchIn({ scope, limit: 7 })).toEqual(all.slice(0, 7));
      }),
      { seed: 21, numRuns: 20 },
    );
  });
});

/** How often a connection has run the statement of searches with `maxPerDocument`. */
async function countRankings(connection: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT (generic_plans + custom_plans)::integer AS count FROM pg_prepared_statements
    WHERE name IN ('ranked_per_document', 'ranked_per_document_in_shard')`.execute(connection);
  return rows[0]?.count ?? 0;
}

test('maxPerDocument takes one set of candidates where there are few documents', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const content = 'The river is wide here, and flows to the sea of the north. '.repeat(4_000);
  for (const title of ['North', 'South']) await importText(suite.database, owned, { title, content });
  await mergeFrequencyDeltas(suite.database);
  await suite.database.connection().execute(async (connection) => {
    const before = await countRankings(connection);
    expect(await search(owned, { scope: { maxPerDocument: 1 } }, connection)).toHaveLength(2);
    expect(await countRankings(connection)).toBe(before + 1);
  });
});
