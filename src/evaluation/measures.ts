/** Measures of one answer: the documents in their order, beside the grades of those that answer the question. */

/** Document → how well it answers; 0 is not at all. */
export type Grades = ReadonlyMap<string, number>;

/** The first results of which nDCG counts. */
export const DEPTH = 10;

/** Discounted cumulative gain of the first ten (Järvelin and Kekäläinen, 2002; discount log2(rank + 1)). */
export const dcg10 = (gains: readonly number[]): number =>
  gains.slice(0, DEPTH).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);

/** A part of the best possible one, in [0, 1]; 0 where nothing could be found. */
export function ndcg10(gains: readonly number[], possible: Iterable<number>): number {
  const ideal = dcg10([...possible].filter((gain) => gain > 0).sort((left, right) => right - left));
  return ideal === 0 ? 0 : dcg10(gains) / ideal;
}

/** `firstRight`: the place of the first right document among the first ten, from 1; undefined: there is none. */
export type Measured = { ndcg: number; firstRight: number | undefined };

/** `documents`: best first, each once. */
export function measureAnswer(documents: readonly string[], grades: Grades): Measured {
  const gains = documents.map((document) => grades.get(document) ?? 0);
  const index = gains.slice(0, DEPTH).findIndex((gain) => gain > 0);
  return { ndcg: ndcg10(gains, grades.values()), firstRight: index < 0 ? undefined : index + 1 };
}

/** The mean; 0 without values. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The middle value; undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
