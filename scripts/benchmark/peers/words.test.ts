/** What people type reaches an engine as words, never as its query syntax. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinByOr, ngramsOf, searchedWords, wordsOf } from './words.ts';

test('words are lower-case runs of letters and digits', () => {
  expect(wordsOf('What is NEAR("café" -x*) in 東京都?')).toEqual([
    'what',
    'is',
    'near',
    'café',
    'x',
    'in',
    '東京都',
  ]);
});

test('stop words and repeated words are left out, but not the only words of a query', () => {
  const stopWords = new Set(['to', 'be', 'or', 'not']);
  expect(searchedWords('to be a bee, a bee', stopWords)).toEqual(['a', 'bee']);
  expect(searchedWords('To be or not to be', stopWords)).toEqual(['to', 'be', 'or', 'not']);
});

test('n-grams overlap, count code points, and keep a shorter word whole', () => {
  expect(ngramsOf('東京都', 2)).toEqual(['東京', '京都']);
  expect(ngramsOf('𠮷野家', 2)).toEqual(['𠮷野', '野家']);
  expect(ngramsOf('東京都', 3)).toEqual(['東京都']);
  expect(ngramsOf('京', 2)).toEqual(['京']);
});

test('any query becomes quoted words joined by OR', () => {
  expect(joinByOr(wordsOf('fox OR "bear" (OR)'))).toBe('"fox" OR "or" OR "bear"');
  fc.assert(
    fc.property(fc.string(), (query) => {
      expect(joinByOr(wordsOf(query))).toMatch(/^("[a-z0-9]+"( OR "[a-z0-9]+")*)?$/);
    }),
  );
});
