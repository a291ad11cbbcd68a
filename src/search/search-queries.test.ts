/** Every query is answered in bounded time, whatever its content. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { createStemMemory } from '../indexing/stems.ts';
import { createSearch } from './search.ts';
import { importText, makeKnowledgeBase } from './testing/imported-texts.ts';
import { titled, useSearch } from './testing/searched-texts.ts';

const suite = useSearch();
const { searchIn } = suite;

test.each(["'", '\\', "a' | 'b", '& | ! <->', ':*', "x':1A", '\u{1F600}', '(((((', '%_', '--', '$1'])(
  'nothing in a query is an operator: %s',
  async (query) => {
    expect(await searchIn(titled({ one: 'some words', two: "it's a\\b" }), query)).toBeInstanceOf(Array);
  },
);

test('a query of 8,192 characters of anything is answered', async () => {
  const texts = titled({ one: 'some words of a text' });
  const queries = [
    'word '.repeat(1638),
    '\u{1F600}'.repeat(8192),
    "'".repeat(8192),
    '字'.repeat(8192),
    'a'.repeat(8192),
  ];
  const many = Array.from({ length: 1300 }, (_, i) => `w${i}`)
    .join(' ')
    .slice(0, 8192);
  for (const query of [...queries, many]) expect(await searchIn(texts, query)).toBeInstanceOf(Array);
  expect(await searchIn(texts, `${many.slice(0, 8186)} words`)).toHaveLength(1);
});

/** Creates knowledge bases of one account with imports whose document frequency deltas are not merged yet. */
async function insertUnmerged(
  { accountId }: OwnedKnowledgeBase,
  counts: object,
  size: { bases: number; changes: number },
) {
  await sql`
    WITH made AS (
      INSERT INTO knowledge_bases (knowledge_base_id, account_id, name, description, created_at, updated_at)
      SELECT gen_random_uuid(), ${accountId}, 'many', '', now(), now() FROM generate_series(1, ${size.bases}::integer)
      RETURNING knowledge_base_id, account_id),
    counted AS (
      INSERT INTO knowledge_base_statistics (knowledge_base_id, account_id, passage_count)
      SELECT knowledge_base_id, account_id, 10 FROM made)
    INSERT INTO document_frequency_deltas (knowledge_base_id, id, account_id, passage_counts)
    SELECT knowledge_base_id, gen_random_uuid(), account_id, ${counts}::jsonb
    FROM made LIMIT ${size.changes}`.execute(suite.database);
  // As autovacuum does. PostgreSQL then knows the number of rows, and used to choose the most expensive plan.
  await sql`ANALYZE knowledge_bases, document_frequency_deltas`.execute(suite.database);
}

/** PostgreSQL counts to this number in about five seconds without other work, and later beside it. */
const LONG_COUNT = 300_000_000;

/** Starts a long computation of PostgreSQL on a connection of its own. `end` cancels it. */
async function startComputing() {
  const connected = Promise.withResolvers<number>();
  let hasEnded = false;
  const computing = suite.database.connection().execute(async (own) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(own);
    connected.resolve(rows[0]?.pid ?? 0);
    await sql`DO ${sql.raw(`$$ BEGIN FOR i IN 1..${LONG_COUNT} LOOP END LOOP; END $$`)}`.execute(own);
  });
  const ended = computing
    .catch(() => {}) // cancelled
    .finally(() => {
      hasEnded = true;
    });
  const pid = await connected.promise;
  return {
    hasEnded: () => hasEnded,
    async end() {
      await sql`SELECT pg_cancel_backend(${pid})`.execute(suite.database);
      await ended;
    },
  };
}

test('a query of 8,192 different characters is answered at once, over 1,000 knowledge bases under import', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  const search = createSearch(suite.database, createStemMemory());
  const query = String.fromCharCode(...Array.from({ length: 8192 }, (_, i) => 0x4e00 + 2 * i));
  const bigrams = Array.from({ length: 5_000 }, (_, i) => query.slice(i, i + 2));
  await importText(suite.database, owned, { title: 'T', content: query.slice(0, 600) });
  const counts = Object.fromEntries(bigrams.map((bigram) => [bigram, 1]));
  await insertUnmerged(owned, counts, { bases: 1_000, changes: 400 });
  const computing = await startComputing();
  const request = { accountId: owned.accountId, knowledgeBaseIds: undefined, query, limit: 10 };
  expect((await search(request)).passages).not.toEqual([]);
  // Looking up its 16,384 tokens and their tiers in each import took more than a minute, which ended the search.
  expect(computing.hasEnded()).toBe(false);
  await computing.end();
  // Merging two million counts would take the next tests half a minute.
  await suite.database
    .deleteFrom('document_frequency_deltas')
    .where('account_id', '=', owned.accountId)
    .execute();
});
