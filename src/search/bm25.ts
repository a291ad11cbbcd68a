/** BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), its parameters and its SQL. */
import { type RawBuilder, sql } from 'kysely';

/**
 * How soon further occurrences of a term stop counting; 0.9 to 2 in the literature. nDCG@10 over the open collections
 * is flat within .001 from 0.7 to 1.1.
 */
export const K1 = 0.9;
/** How much a passage's length counts against it: 0 not at all, 1 fully; flat within .001 from 0.55 to 0.75. */
export const B = 0.65;

/** What a term counts that a query has `frequency` times: at most twice as much as once (BM25's k3 at 1). */
export const queryFrequencyWeight = (frequency: number): number => (2 * frequency) / (1 + frequency);

/** What BM25 knows of the searched passages as a whole: their number and the sum of their lengths in letters. */
export type CollectionStatistics = { passageCount: number; lengthTotal: number };

/**
 * Inverse document frequency of a term that `documentFrequency` of the passages contain, never negative
 * (the form with 1 + inside the logarithm, as Lucene has it), also where an import has come between the two counts.
 */
export const inverseDocumentFrequency = (documentFrequency: number, passageCount: number): number =>
  Math.log(
    1 + (Math.max(passageCount, documentFrequency) - documentFrequency + 0.5) / (documentFrequency + 0.5),
  );

/** The most that a term of this idf can add to a passage's score: its limit for endless occurrences. */
export const attainableWeight = (idf: number): number => idf * (K1 + 1);

/** What a term of this idf adds to a passage of ordinary length that holds it `density` times. */
export const weightAt = (idf: number, density: number): number =>
  (attainableWeight(idf) * density) / (density + K1);

/**
 * SQL for how often the lexeme of `tsquery` occurs in the tsvector `lexemes` that holds it, exactly: for one lexeme,
 * `ts_rank` with equal weights is the sum of 1/i² for i up to the frequency, over π²/6. The missing rest of
 * that series is 1/(frequency + 1/2) within 5 %, and rounding takes that error away: much cheaper than
 * unpacking the tsvector. `weights` are those of the labels D, C, B and A.
 */
const frequencyOf = (weights: string, lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  sql<number>`round(0.6079271 / (1 - ts_rank(${sql.lit(weights)}, ${lexemes}, ${tsquery})) - 0.5)`;

/** SQL for `frequency` where the tsvector holds the lexeme, otherwise 0: that is found out in a third of the time. */
const whereHeld = (
  lexemes: RawBuilder<unknown>,
  tsquery: RawBuilder<unknown>,
  frequency: RawBuilder<number>,
) => sql<number>`(CASE WHEN ${lexemes} @@ ${tsquery} THEN ${frequency} ELSE 0 END)`;

/** SQL for how often a tsvector that holds the lexeme does so. */
export const heldFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  frequencyOf('{1,1,1,1}', lexemes, tsquery);

/** The same for any tsvector; 0 for NULL. */
export const termFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  whereHeld(lexemes, tsquery, heldFrequency(lexemes, tsquery));

/** The same in the title alone; right because the title's places come first, and `ts_rank` counts all in order. */
export const titleFrequency = (lexemes: RawBuilder<unknown>, tsquery: RawBuilder<unknown>) =>
  whereHeld(lexemes, tsquery, frequencyOf('{0,0,0,1}', lexemes, tsquery));

/** What a letter of a passage adds to the length part of its score. */
export const normPerLetter = ({ passageCount, lengthTotal }: CollectionStatistics): number =>
  (K1 * B * passageCount) / Math.max(lengthTotal, 1);

/** SQL for BM25's length part: what is added to the frequency in the denominator. `perLetter`: see `normPerLetter`. */
export const lengthNorm = (length: RawBuilder<unknown>, perLetter: RawBuilder<unknown>) =>
  sql<number>`(${sql.lit(K1 * (1 - B))}::float8 + ${perLetter}::float8 * ${length})`;
