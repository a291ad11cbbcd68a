/**
 * BM25's parameters and formulas (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). A formula that
 * is needed both for numbers and in SQL stands here twice, one below the other; the SQL has the suffix `Sql`.
 */
import { type RawBuilder, sql } from 'kysely';

/**
 * BM25's k1: the lower it is, the sooner further occurrences of a term stop counting. The literature has 0.9 to 2.
 * nDCG@10 over the open collections is flat within .001 from 0.7 to 1.1.
 */
export const K1 = 0.9;
/**
 * BM25's b: how much a passage's length counts against it, from 0 (not at all) to 1. Flat within .001 from 0.55 to
 * 0.75.
 */
export const B = 0.65;

/**
 * The weight of a term that occurs `frequency` times in the query: at most twice the weight of a term that occurs once
 * (BM25's k3 = 1).
 */
export const queryFrequencyWeight = (frequency: number): number => (2 * frequency) / (1 + frequency);

/** BM25's figures of all searched passages together: their number, and the sum of their lengths in letters. */
export type CollectionStatistics = { passageCount: number; lengthTotal: number };

/**
 * Inverse document frequency of a term that `documentFrequency` of the passages contain. It is never negative: the
 * logarithm contains 1 +, as in Lucene, and the document frequency may exceed the number of passages, if an import ends
 * between the two counts.
 */
export const inverseDocumentFrequency = (documentFrequency: number, passageCount: number): number =>
  Math.log(
    1 + (Math.max(passageCount, documentFrequency) - documentFrequency + 0.5) / (documentFrequency + 0.5),
  );

/** SQL for `inverseDocumentFrequency`; the document frequency must not exceed the number of passages. */
export const inverseDocumentFrequencySql = (
  documentFrequency: RawBuilder<unknown>,
  passageCount: RawBuilder<unknown>,
) => sql<number>`ln(1 + (${passageCount} - ${documentFrequency} + 0.5) / (${documentFrequency} + 0.5))`;

/**
 * The upper bound of what a term of this weight (inverse document frequency) adds to a score: for endless occurrences.
 */
export const scoreUpperBound = (weight: number): number => weight * (K1 + 1);

/** `perLetter` of a length norm: what each letter of a passage adds. */
export const normPerLetter = ({ passageCount, lengthTotal }: CollectionStatistics): number =>
  (K1 * B * passageCount) / Math.max(lengthTotal, 1);

/** BM25's length norm of a passage of `length` letters: k1 × (1 - b + b × length / mean length). */
export const lengthNorm = (length: number, perLetter: number): number => K1 * (1 - B) + perLetter * length;

/** SQL for `lengthNorm`. */
export const lengthNormSql = (length: RawBuilder<unknown>, perLetter: RawBuilder<unknown>) =>
  sql<number>`(${sql.lit(K1 * (1 - B))}::float8 + ${perLetter}::float8 * ${length})`;

/**
 * BM25's saturation, from 0 to 1: the part of its upper bound that a term of this frequency adds to the score of a
 * passage. `norm`: the passage's length norm (see `lengthNorm`).
 */
export const saturation = (frequency: number, norm: number): number => frequency / (frequency + norm);

/** SQL for `saturation`, written so that PostgreSQL computes the frequency once. */
export const saturationSql = (frequency: RawBuilder<unknown>, norm: RawBuilder<unknown>) =>
  sql<number>`(1 - ${norm} / (${norm} + ${frequency}))`;

/** What a term of this weight adds to the score of a passage of ordinary length that contains it `density` times. */
export const expectedScoreAt = (weight: number, density: number): number =>
  scoreUpperBound(weight) * saturation(density, K1);
