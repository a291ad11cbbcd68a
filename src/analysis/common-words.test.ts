/** Which words are common, by language. */
import { expect, test } from 'vitest';
import { isCommonWord } from './common-words.ts';

test.each([
  ['much', ['english'], true],
  ['hotel', ['english'], false],
  ['much', ['german'], false],
  ['darüber', ['german'], true],
  ['much', ['german', 'english'], true],
  ['怎么办', ['simple'], true],
  ['rękopis', ['simple'], false],
  ['ponieważ', ['simple'], true],
  ['1', ['simple'], false],
  ['９', ['simple'], false],
])('%s in %s: %s', (word, languages, isCommon) => {
  expect(isCommonWord(word, languages)).toBe(isCommon);
});
