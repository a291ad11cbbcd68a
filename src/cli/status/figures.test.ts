/** Short figures: no unit is wrong, and nothing is rounded to a value that would mislead. */
import { expect, test } from 'vitest';
import { formatRate, formatSeconds, formatShare } from './figures.ts';

test.each([
  [null, '-'],
  [Number.NaN, '-'],
  [0, '0 ms'],
  [0.0071, '7 ms'],
  [0.9994, '999 ms'],
  [0.9996, '1 s'],
  [1.25, '1.3 s'],
  [42.4, '42 s'],
  [59.6, '1 min'],
  [90, '1 min 30 s'],
  [5400, '1 h 30 min'],
  [86_400, '1 d'],
  [400_000, '4 d 15 h'],
])('%s seconds are %s', (seconds, written) => {
  expect(formatSeconds(seconds)).toBe(written);
});

test('rates and shares that are not 0 never look like 0, nor a share below 1 like all', () => {
  expect([0, 0.04, 0.5, 7.26, 120.4].map(formatRate)).toEqual(['0', '0.04', '0.5', '7.3', '120']);
  expect([0, 0.0004, 0.086, 0.9999, 1].map(formatShare)).toEqual([
    '0 %',
    '<0.1 %',
    '8.6 %',
    '99.9 %',
    '100 %',
  ]);
});
