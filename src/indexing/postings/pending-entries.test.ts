/** The pending list of the index of lexemes stays short, and whoever fills it moves its entries. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { importText, makeKnowledgeBase } from '../../search/testing/imported-texts.ts';
import { sumOverLexemeIndexes } from '../testing/lexeme-indexes.ts';
import { createPendingEntriesMover } from './pending-entries.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
  await sql`CREATE EXTENSION IF NOT EXISTS pgstattuple`.execute(suite.database);
});
afterAll(() => suite.close());

const countPendingPages = () =>
  sumOverLexemeIndexes(
    suite.database,
    (index) => `(SELECT pending_pages FROM pgstatginindex(${index}::regclass))`,
  );

/** Half a megabyte of tsvectors: see `pending-entries.ts`. The list takes twice as much, in pages of 8 KiB. */
const OWED_MAX_PAGES = 128;
const RARE = { from: 0x20000, count: 42_000 };

/** `length` ideographs of CJK Extension B. Hardly any pair of neighbours occurs twice, also for another `start`. */
const rareText = (length: number, start: number): string =>
  Array.from({ length }, (_, i) =>
    String.fromCodePoint(RARE.from + (((start + i) * 7_919 + (i >> 4) * 31) % RARE.count)),
  ).join('');

const addWords = async (words: string) => {
  const owned = await makeKnowledgeBase(suite.database);
  await importText(suite.database, owned, { title: 'Words', content: `Some ${words} words` });
};

test('an account that imports dense texts moves their entries itself, text by text and within a text', async () => {
  const move = createPendingEntriesMover(suite.database);
  await move();
  const owned = await makeKnowledgeBase(suite.database);
  let most = 0;
  const add = async (length: number, start: number) => {
    await importText(suite.database, owned, { title: 'Rare', content: rareText(length, start) });
    most = Math.max(most, await countPendingPages());
  };
  for (let i = 0; i < 8; i++) await add(8_000, i * 8_000);
  await add(60_000, 120_000);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(OWED_MAX_PAGES);
});

test('small imports move nothing; the mover does, while imports run and deltas wait', async () => {
  const move = createPendingEntriesMover(suite.database);
  await move();
  for (const words of ['early', 'late']) await addWords(words);
  expect(await countPendingPages()).toBeGreaterThan(0);
  await suite.database.transaction().execute(async (importing) => {
    await sql`LOCK TABLE passage_lexemes IN ROW EXCLUSIVE MODE`.execute(importing); // as every INSERT does
    await move();
  });
  expect(await countPendingPages()).toBe(0);
  const { rows } = await sql`SELECT FROM document_frequency_deltas`.execute(suite.database);
  expect(rows.length).toBeGreaterThan(0);
});

test('several movers at a time move everything', async () => {
  await addWords('forgotten');
  await Promise.all([1, 2].map(() => createPendingEntriesMover(suite.database)()));
  expect(await countPendingPages()).toBe(0);
});

test('a mover whose index is missing says so', async () => {
  const rename = (from: string, to: string) =>
    sql`ALTER INDEX ${sql.ref(from)} RENAME TO ${sql.ref(to)}`.execute(suite.database);
  await rename('passage_lexemes_by_lexeme', 'away');
  await expect(createPendingEntriesMover(suite.database)()).rejects.toThrow('does not exist');
  await rename('away', 'passage_lexemes_by_lexeme');
});
