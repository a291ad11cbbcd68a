import { expect, test } from 'vitest';
import { shareOfEqualPlaces } from './exhaustive-score.ts';

test('passages of equal scores may change places, other scores may not differ', () => {
  expect(shareOfEqualPlaces([[0.9, 0.5, 0.5]], [[0.90004, 0.5, 0.5]])).toBe(1);
  expect(shareOfEqualPlaces([[0.9, 0.5]], [[0.9, 0.4]])).toBe(0.5);
});

test('a missing and a surplus place count against the answer', () => {
  expect(shareOfEqualPlaces([[0.9, 0.5]], [[0.9]])).toBe(0.5);
  expect(shareOfEqualPlaces([[0.9]], [[0.9, 0.5]])).toBe(0.5);
  expect(shareOfEqualPlaces([[0.9]], [])).toBe(0);
});
