/** Compares scores computed in SQL with the formula, for terms in slots and for the other terms. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quoteLexeme } from '../../analysis/lexemes.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { saturation } from '../bm25.ts';
import type { Distribution } from './distribution.ts';
import { passageScore, queryTermRows, type ScoredTerm, TERM_VALUES, termValues } from './term-scores.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const NORM = 0.8;

const prepareScore = (name: string, distribution: Distribution) =>
  prepare(
    name,
    [...TERM_VALUES, 'text'] as const,
    ({ text, ...terms }) => sql<{ score: number }>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(terms)})
    SELECT ${passageScore(terms, { lexemes: sql.ref('lexemes'), norm: sql.ref('norm') }, distribution)} AS score
    FROM (SELECT ${text}::tsvector AS lexemes, ${sql.lit(NORM)}::float8 AS norm OFFSET 0) AS passage`,
  );

const readScores = [
  ['one server', prepareScore('score_of_a_text', { isDistributed: false })],
  ['distributed tables', prepareScore('distributed_score_of_a_text', { isDistributed: true })],
] as const;

/** A lexeme as tsvector text, at `frequency` consecutive positions from `first` on. */
const positionsOf = (lexeme: string, frequency: number, first: number): string =>
  `${quoteLexeme(lexeme)}:${Array.from({ length: frequency }, (_, index) => first + index).join(',')}`;

const variant = fc.record({
  upperBound: fc.double({ min: 0.1, max: 20, noNaN: true }),
  match: fc.constant('word' as const),
  frequency: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
});

test.each(readScores)(
  '%s: the score is the sum over the terms of their best variants',
  async (_, readScore) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(variant, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 40 }),
        async (drawn) => {
          const terms = drawn.map((variants, term) =>
            variants.map((given, index) => ({ ...given, sequence: [`it's\\${term} ${index}`] })),
          );
          const held = terms.flat().filter(({ frequency }) => frequency > 0);
          const text = held.map(({ sequence: [lexeme = ''], frequency }, index) =>
            positionsOf(lexeme, frequency, 1 + 60 * index),
          );
          const expected = terms
            .map((variants) =>
              variants.map(({ upperBound, frequency }) => upperBound * saturation(frequency, NORM)),
            )
            .reduce((sum, scores) => sum + Math.max(...scores), 0);
          const scored: ScoredTerm[] = terms.map((variants) => ({ variants }));
          const rows = await readScore(suite.database, { ...termValues(scored), text: text.join(' ') });
          expect(rows[0]?.score).toBeCloseTo(expected, 9);
        },
      ),
      { numRuns: 100 },
    );
  },
);
