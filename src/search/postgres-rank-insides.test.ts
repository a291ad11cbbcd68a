/** PostgreSQL's `ts_rank` is a lexeme's exact frequency. */
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { heldFrequency, sequenceFrequency, termFrequency, titleFrequency } from './postgres-rank-insides.ts';
import { countableQuery } from './ranking/variants.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** PostgreSQL keeps at most this many positions of a lexeme (manual, 12.11). */
const FREQUENCY_MAX = 255;
const CHANGED = 'ts_rank has another formula: see postgres-rank-insides.ts';

/**
 * The frequencies that `frequencyOf` finds in a tsvector that holds `held` at these positions, beside another lexeme.
 */
async function readFrequencies(
  frequencyOf: (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) => RawBuilder<number>,
  positionsOf: (frequency: number) => string[],
): Promise<number[]> {
  const texts = Array.from({ length: FREQUENCY_MAX }, (_, i) => `held:${positionsOf(i + 1)} other:1,2,3A`);
  const frequency = frequencyOf(sql.ref('lexemes'), sql`'held'::tsquery`);
  const { rows } = await sql<{ frequency: number }>`
    SELECT ${frequency}::integer AS frequency
    FROM unnest(${texts}::tsvector[]) WITH ORDINALITY AS text (lexemes, number) ORDER BY number`.execute(
    suite.database,
  );
  return rows.map(({ frequency }) => frequency);
}

const ALL = Array.from({ length: FREQUENCY_MAX }, (_, i) => i + 1);
const from = (first: number, count: number, weight = '') =>
  Array.from({ length: count }, (_, i) => `${first + i}${weight}`);

test.each([
  ['heldFrequency', heldFrequency],
  ['termFrequency', termFrequency],
])('%s is exact for all frequencies that PostgreSQL keeps, of any weight', async (_, frequencyOf) => {
  expect(await readFrequencies(frequencyOf, (frequency) => from(1, frequency)), CHANGED).toEqual(ALL);
  const mixed = (frequency: number) => [
    ...from(1, Math.min(4, frequency), 'A'),
    ...from(5, Math.max(0, frequency - 4), 'B'),
  ];
  expect(await readFrequencies(frequencyOf, mixed), CHANGED).toEqual(ALL);
});

test('titleFrequency counts the positions of weight A, which come first', async () => {
  const inTitle = (frequency: number) => Math.min(frequency, 4);
  const positions = (frequency: number) => [
    ...from(1, inTitle(frequency), 'A'),
    ...from(100, frequency - inTitle(frequency)),
  ];
  expect(await readFrequencies(titleFrequency, positions), CHANGED).toEqual(ALL.map(inTitle));
});

test('a lexeme that a tsvector does not hold has the frequency 0', async () => {
  const { rows } = await sql`
    SELECT ${termFrequency(sql`'other:1'::tsvector`, sql`'held'::tsquery`)}::integer AS term,
      ${titleFrequency(sql`NULL::tsvector`, sql`'held'::tsquery`)}::integer AS title`.execute(suite.database);
  expect(rows).toEqual([{ term: 0, title: 0 }]);
});

test('the frequency of a sequence is that of its words in the middle, as sequenceFrequency computes it', async () => {
  const counts = [
    [1, 1, 1],
    [1, 5, 2],
    [3, 3, 3],
    [1, 40, 40],
    [200, 200, 200],
  ];
  const texts = counts.map((each) =>
    each
      .flatMap((count, word) => Array.from({ length: count }, (_, i) => `w${word}:${word + 1 + 3 * i}`))
      .join(' '),
  );
  const query = sql.lit(countableQuery(['w0', 'w1', 'w2']));
  const { rows } = await sql<{ frequency: number; apart: number }>`
    SELECT ${termFrequency(sql.ref('lexemes'), sql`${query}::tsquery`)}::integer AS frequency,
      ${termFrequency(sql`'w0:1 w1:3 w2:5'::tsvector`, sql`${query}::tsquery`)}::integer AS apart
    FROM unnest(${texts}::tsvector[]) WITH ORDINALITY AS text (lexemes, number) ORDER BY number`.execute(
    suite.database,
  );
  expect(rows.map(({ frequency }) => frequency)).toEqual(counts.map(sequenceFrequency));
  expect(counts.slice(0, 3).map(sequenceFrequency)).toEqual([1, 2, 3]);
  expect(new Set(rows.map(({ apart }) => apart))).toEqual(new Set([0]));
});
