/** Which queries the page offers to search as a phrase. */
import { expect, test } from 'vitest';
import { asPhrase } from './phrase.ts';

test.each([
  [' blood  pressure ', '"blood  pressure"'],
  ['机器学习', '"机器学习"'],
  ['pressure', undefined],
  ['"blood pressure"', undefined],
  ['„hoher Blutdruck“ Puls', undefined],
  ['What is blood pressure?', undefined],
  ['many words '.repeat(10), undefined],
])('%s', (query, phrase) => {
  expect(asPhrase(query)).toBe(phrase);
});
