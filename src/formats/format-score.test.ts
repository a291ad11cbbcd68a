/** No score that is above 0 is shown as 0. */
import { expect, test } from 'vitest';
import { formatScore } from './format-score.ts';

test.each([
  [1, '1.000'],
  [0.793214, '0.793'],
  [0.01, '0.010'],
  [0.009999, '0.01'],
  [0.0048, '0.0048'],
  [0.000432, '0.00043'],
  [0.000001, '0.000001'],
  [-0.0004, '-0.0004'],
  [0, '0'],
])('the score %f is shown as %s', (score, text) => {
  expect(formatScore(score)).toBe(text);
});
