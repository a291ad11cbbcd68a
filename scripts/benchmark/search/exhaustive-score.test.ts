/** The share of the best results that the service finds. Equal scores count as found, missed passages do not. */
import { expect, test } from 'vitest';
import { shareOfFound } from './exhaustive-score.ts';

test('passages of equal scores may be swapped, other scores may not differ', () => {
  expect(shareOfFound([[0.9, 0.5, 0.5]], [[0.90004, 0.5, 0.5]])).toBe(1);
  expect(shareOfFound([[0.9, 0.5]], [[0.9, 0.4]])).toBe(0.5);
  expect(shareOfFound([[0.5, 0.5]], [[0.5, 0.4]])).toBe(0.5);
});

test('a missed passage counts once, whatever moved up after it', () => {
  expect(shareOfFound([[0.9, 0.8, 0.7, 0.6]], [[0.9, 0.7, 0.6, 0.5]])).toBe(0.75);
  expect(shareOfFound([[0.9, 0.5]], [[0.9]])).toBe(0.5);
  expect(shareOfFound([[0.9]], [])).toBe(0);
});
