/**
 * The frequency of a lexeme in a tsvector, computed from PostgreSQL's `ts_rank`: see docs/private-insides.md.
 *
 * The manual promises a rank, and no formula. The formula below is PostgreSQL's, 15 to 18 (tsrank.c, calc_rank_or). If
 * it changes, results come in a wrong order, without any error. Instead: the number of positions in
 * `unnest(lexemes)`, at a multiple of the time.
 */
import { type RawBuilder, sql } from 'kysely';

/**
 * SQL for the exact frequency of the lexeme of `tsquery` in the tsvector `lexemes`, which must contain it. For one
 * lexeme, `ts_rank` with equal weights is the sum of 1/i² for i up to the frequency, over π²/6. The rest of that series
 * is 1/(frequency + 1/2) within 5 %, and rounding removes this error. It is much cheaper than unpacking the tsvector.
 * `weights`: of the labels D, C, B and A.
 */
const frequencyOf = (weights: string, lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  sql<number>`round(0.6079271 / (1 - ts_rank(${sql.lit(weights)}, ${lexemes}, ${tsquery})) - 0.5)`;

/** SQL for `frequency` if the tsvector contains the lexeme, otherwise 0. The check takes a third of its time. */
const orZero = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>, frequency: RawBuilder<number>) =>
  sql<number>`(CASE WHEN ${lexemes} @@ ${tsquery} THEN ${frequency} ELSE 0 END)`;

/** SQL for the frequency of a lexeme in a tsvector that contains it. */
export const heldFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  frequencyOf('{1,1,1,1}', lexemes, tsquery);

/** SQL for the frequency of a lexeme in any tsvector; 0 for NULL. */
export const termFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  orZero(lexemes, tsquery, heldFrequency(lexemes, tsquery));

/**
 * SQL for the frequency in the title alone. It is exact, because the title's positions come first and `ts_rank` sums in
 * order.
 */
export const titleFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  orZero(lexemes, tsquery, frequencyOf('{0,0,0,1}', lexemes, tsquery));

/** `ts_rank` of a lexeme of this frequency. */
const rankOf = (frequency: number): number => {
  let sum = 0;
  for (let i = 1; i <= frequency; i++) sum += 1 / i ** 2;
  return 0.6079271 * sum;
};

/**
 * The frequency that `heldFrequency` has for a sequence of words of these frequencies, as an alternative to itself (see
 * ranking/variants.ts): `ts_rank` is then the mean over its distinct words.
 */
export function sequenceFrequency(frequencies: number[]): number {
  const rank = frequencies.reduce((sum, frequency) => sum + rankOf(frequency), 0) / frequencies.length;
  return Math.round(0.6079271 / (1 - rank) - 0.5);
}
