/** The vector of a query as bit planes, with which SQL computes its cosine to the vectors of passages. */
import { BITS, STEP } from './passage-vectors.ts';

/** The bits of each of a query's numbers. */
export const QUERY_BITS = 4;
/** The middles of the ranges of a query's and of a passage's numbers. */
export const QUERY_MIDDLE = (2 ** QUERY_BITS - 1) / 2;
const PASSAGE_MIDDLE = (2 ** BITS - 1) / 2;
/** The middles of its ranges have less than the variance of a passage's numbers (Max 1960, table II: .0374 of it). */
const VARIANCE_KEPT = 1 - 0.0374;

/**
 * A query's vector for SQL. `planes`: the bits of its numbers, as text of 0 and 1: the highest bits of all, then the
 * next ones. With `q` and `p` for the numbers of QUERY_BITS and BITS bits, the cosine to a passage is
 *
 *   perUnit * (sum(q * p) - QUERY_MIDDLE * sum(p) - offset)
 */
export type QueryPlanes = { planes: string[]; perUnit: number; offset: number };

export function toPlanes(vector: Float32Array): QueryPlanes {
  const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  const units = Array.from(vector, (number) => Math.round((number / largest) * QUERY_MIDDLE + QUERY_MIDDLE));
  const planes = Array.from({ length: QUERY_BITS }, (_, plane) =>
    units.map((unit) => (unit >> (QUERY_BITS - 1 - plane)) & 1).join(''),
  );
  const length = Math.hypot(...units.map((unit) => unit - QUERY_MIDDLE));
  const sum = units.reduce((total, unit) => total + unit, 0);
  return {
    planes,
    perUnit: STEP / (VARIANCE_KEPT * Math.sqrt(vector.length) * length),
    offset: PASSAGE_MIDDLE * (sum - vector.length * QUERY_MIDDLE),
  };
}
