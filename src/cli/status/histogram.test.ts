/** Percentiles against buckets whose percentiles are known. */
import { expect, test } from 'vitest';
import { parseExposition } from './exposition.ts';
import { quantile, sumBuckets } from './histogram.ts';

const histogramOf = (...buckets: [le: string, count: number][]) =>
  sumBuckets(parseExposition(buckets.map(([le, count]) => `b{le="${le}"} ${count}\n`).join('')));

test('a percentile lies within its bucket, by linear interpolation', () => {
  const histogram = histogramOf(['0.1', 10], ['0.2', 30], ['1', 40], ['+Inf', 40]);
  expect(quantile(histogram, 0.5)).toBeCloseTo(0.15); // the 20th of 40: half of the bucket from 0.1 to 0.2
  expect(quantile(histogram, 0.125)).toBeCloseTo(0.05); // the lowest bucket begins at 0
  expect(quantile(histogram, 0.75)).toBeCloseTo(0.2);
  expect(quantile(histogram, 1)).toBe(1);
});

test('beyond the last bound the percentile is that bound, and without observations there is none', () => {
  expect(quantile(histogramOf(['0.1', 1], ['30', 2], ['+Inf', 10]), 0.95)).toBe(30);
  expect(quantile(histogramOf(['0.1', 0], ['+Inf', 0]), 0.5)).toBeUndefined();
  expect(quantile([], 0.5)).toBeUndefined();
});

test('histograms of several servers are one, whatever the order of their buckets', () => {
  const merged = histogramOf(['+Inf', 4], ['0.1', 4], ['0.1', 0], ['0.2', 4], ['0.2', 4], ['+Inf', 4]);
  expect(merged).toEqual([
    { bound: 0.1, count: 4 },
    { bound: 0.2, count: 8 },
    { bound: Number.POSITIVE_INFINITY, count: 8 },
  ]);
  expect(quantile(merged, 0.75)).toBeCloseTo(0.15);
});
