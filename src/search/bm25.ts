/** BM25's parameters and SQL (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). */
import { type RawBuilder, sql } from 'kysely';

/**
 * BM25's k1: the lower, the sooner further occurrences of a term stop counting. The literature has 0.9 to 2. nDCG@10
 * over the open collections is flat within .001 from 0.7 to 1.1.
 */
export const K1 = 0.9;
/**
 * BM25's b: how much a passage's length counts against it, from 0 (not at all) to 1. Flat within .001 from 0.55 to
 * 0.75.
 */
export const B = 0.65;

/** The weight of a term that the query has `frequency` times: at most twice that of a single one (BM25's k3 at 1). */
export const queryFrequencyWeight = (frequency: number): number => (2 * frequency) / (1 + frequency);

/** What BM25 needs about all searched passages together: their number and the sum of their lengths in letters. */
export type CollectionStatistics = { passageCount: number; lengthTotal: number };

/**
 * Inverse document frequency of a term that `documentFrequency` of the passages contain. It is never negative: the
 * logarithm contains 1 +, as in Lucene, and an import may come between the two counts.
 */
export const inverseDocumentFrequency = (documentFrequency: number, passageCount: number): number =>
  Math.log(
    1 + (Math.max(passageCount, documentFrequency) - documentFrequency + 0.5) / (documentFrequency + 0.5),
  );

/** The upper bound of what a term of this idf adds to a passage's score: the limit for endless occurrences. */
export const attainableWeight = (idf: number): number => idf * (K1 + 1);

/** What a term of this idf adds to a passage of ordinary length that holds the term `density` times. */
export const weightAt = (idf: number, density: number): number =>
  (attainableWeight(idf) * density) / (density + K1);

/**
 * SQL for the exact frequency of the lexeme of `tsquery` in the tsvector `lexemes`, which must hold it. For one lexeme,
 * `ts_rank` with equal weights is the sum of 1/i² for i up to the frequency, over π²/6. The missing rest of that series
 * is 1/(frequency + 1/2) within 5 %, and rounding removes that error. This is much cheaper than unpacking the tsvector.
 * `weights` are those of the labels D, C, B and A.
 */
const frequencyOf = (weights: string, lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  sql<number>`round(0.6079271 / (1 - ts_rank(${sql.lit(weights)}, ${lexemes}, ${tsquery})) - 0.5)`;

/**
 * SQL for `frequency` where the tsvector holds the lexeme, otherwise 0. The check takes a third of the frequency's
 * time.
 */
const whereHeld = (
  lexemes: RawBuilder<unknown>,
  tsquery: RawBuilder<unknown>,
  frequency: RawBuilder<number>,
) => sql<number>`(CASE WHEN ${lexemes} @@ ${tsquery} THEN ${frequency} ELSE 0 END)`;

/** SQL for the frequency of a lexeme in a tsvector that holds it. */
export const heldFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  frequencyOf('{1,1,1,1}', lexemes, tsquery);

/** SQL for the frequency of a lexeme in any tsvector; 0 for NULL. */
export const termFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  whereHeld(lexemes, tsquery, heldFrequency(lexemes, tsquery));

/**
 * SQL for the frequency in the title alone. Exact, because the title's positions come first and `ts_rank` sums in
 * order.
 */
export const titleFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  whereHeld(lexemes, tsquery, frequencyOf('{0,0,0,1}', lexemes, tsquery));

/** What each letter of a passage adds to the length norm of its score. */
export const normPerLetter = ({ passageCount, lengthTotal }: CollectionStatistics): number =>
  (K1 * B * passageCount) / Math.max(lengthTotal, 1);

/** SQL for BM25's length norm, which the denominator adds to the frequency. `perLetter`: see `normPerLetter`. */
export const lengthNorm = (length: RawBuilder<unknown>, perLetter: RawBuilder<unknown>) =>
  sql<number>`(${sql.lit(K1 * (1 - B))}::float8 + ${perLetter}::float8 * ${length})`;
