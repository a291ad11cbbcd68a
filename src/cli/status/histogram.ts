/** Percentiles of histograms, as Prometheus's histogram_quantile estimates them. */
import type { Sample } from './exposition.ts';

/** The observations up to each upper bound in seconds, in ascending order; the last bound is Infinity. */
export type Histogram = { bound: number; count: number }[];

/** Adds up the buckets of any number of series, such as the series of several servers or statuses. */
export function sumBuckets(buckets: Iterable<Sample>): Histogram {
  const counts = new Map<number, number>();
  for (const { labels, value } of buckets) {
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return [...counts].map(([bound, count]) => ({ bound, count })).toSorted((a, b) => a.bound - b.bound);
}

/**
 * The value below which this share of the observations lies, by linear interpolation within its bucket. Beyond the last
 * finite bound it is that bound: the histogram knows no more. Undefined without observations.
 */
export function quantile(histogram: Histogram, share: number): number | undefined {
  const total = histogram.at(-1)?.count ?? 0;
  if (!(total > 0)) return undefined;
  const wanted = share * total;
  const index = histogram.findIndex(({ count }) => count >= wanted);
  const { bound, count } = histogram[index] ?? { bound: Number.POSITIVE_INFINITY, count: total };
  const below = histogram[index - 1] ?? { bound: 0, count: 0 };
  if (bound === Number.POSITIVE_INFINITY) return below.bound;
  if (count === below.count) return bound;
  return below.bound + ((bound - below.bound) * (wanted - below.count)) / (count - below.count);
}
