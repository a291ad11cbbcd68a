/** Percentiles of measured values. */

/**
 * The value that a `share` (0 to 1) of the values does not exceed, by nearest rank. 0.5 is the median, 1 the maximum.
 */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
