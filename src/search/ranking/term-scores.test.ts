/** Compares scores computed in SQL with the formula, for terms in slots and for the other terms. */
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quoteLexeme } from '../../analysis/lexemes.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { saturation } from '../bm25.ts';
import type { Distribution } from './distribution.ts';
import {
  areFew,
  FEW_TERM_VALUES,
  passageScore,
  queryTermRows,
  type ScoredTerm,
  scoreOfFewTerms,
  TERM_VALUES,
  termValues,
} from './term-scores.ts';
import { ofLexeme } from './variants.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const NORM = 0.8;

const passage = { lexemes: sql.ref('lexemes'), norm: sql.ref('norm') };

const selectScore = (
  score: RawBuilder<number>,
  { text, ...terms }: Parameters<typeof queryTermRows>[0] & Record<'text', RawBuilder<unknown>>,
) => sql<{ score: number }>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(terms)})
    SELECT ${score} AS score, (SELECT count(*) FROM query_terms) AS terms
    FROM (SELECT ${text}::tsvector AS lexemes, ${sql.lit(NORM)}::float8 AS norm OFFSET 0) AS passage`;

const prepareScore = (name: string, distribution: Distribution) =>
  prepare(name, [...TERM_VALUES, 'text'] as const, (values) =>
    selectScore(passageScore(values, passage, distribution), values),
  );
const scoreOfFew = prepare('few_score_of_a_text', [...FEW_TERM_VALUES, 'text'] as const, (values) =>
  selectScore(scoreOfFewTerms(values, passage), values),
);

const [MANY, FEW] = [
  { terms: 40, variants: 3 },
  { terms: 16, variants: 1 },
];
const readScores = [
  ['one server', MANY, prepareScore('score_of_a_text', { isDistributed: false })],
  ['distributed tables', MANY, prepareScore('distributed_score_of_a_text', { isDistributed: true })],
  ['few terms', FEW, scoreOfFew],
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
  async (_, most, readScore) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(variant, { minLength: 1, maxLength: most.variants }), {
          minLength: 1,
          maxLength: most.terms,
        }),
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
          expect(areFew(scored) || most !== FEW).toBe(true);
          const rows = await readScore(suite.database, { ...termValues(scored), text: text.join(' ') });
          expect(rows[0]?.score).toBeCloseTo(expected, 9);
        },
      ),
      { numRuns: 100 },
    );
  },
);

test('a statement for few terms is not for one term more, or for one with two variants', () => {
  const term = { variants: [ofLexeme('word', 1)] };
  const terms = Array.from({ length: FEW.terms }, () => term);
  expect(areFew(terms)).toBe(true);
  expect(areFew([...terms, term])).toBe(false);
  expect(areFew([{ variants: [ofLexeme('word', 1), ofLexeme('words', 1)] }])).toBe(false);
});
