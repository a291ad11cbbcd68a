/** Impact tiers distinguish dense passages. */
import { expect, test } from 'vitest';
import { tierCount } from './impact-tiers.ts';

test('a word that occurs once is in no tier, not even in a short passage', () => {
  expect(tierCount(1, 1)).toBe(0);
});

test('tiers weigh repetition against length', () => {
  expect(tierCount(3, 150)).toBe(1);
  expect(tierCount(3, 40)).toBe(2);
  expect(tierCount(3, 400)).toBe(0);
  expect(tierCount(12, 150)).toBe(3);
});
