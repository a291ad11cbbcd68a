/** Only what readers would take for a word stands for it where no text has the word. */
import { describe, expect, test } from 'vitest';
import { isLikely, mayBeLikely } from '../expansion/likely-words.ts';
import { titled, useSearch } from '../testing/searched-texts.ts';

const { orderOf, searchIn } = useSearch();

describe('a stem nearby that stands for another word is no guess', () => {
  const texts = {
    extension: 'Extension 4411 is answered by the porter at night.',
    lift: 'The lift is out of order until Thursday.',
  };
  test('expense is not Extension', async () => {
    expect(await orderOf(texts, 'expense')).toEqual([]);
  });
  test('the other words of the query are found without it', async () => {
    expect(await orderOf(texts, 'expense of the lift')).toEqual(['lift']);
  });
  test('where one text has a likely word, it counts', async () => {
    expect((await orderOf({ ...texts, typo: 'Each expesne is noted on the form.' }, 'expense'))[0]).toBe(
      'typo',
    );
  });
});

describe('a function word is no guess', () => {
  test.each([
    ['costs', 'Most of the rooms are quiet.', []],
    ['wellen', 'Sie reisen, weil sie das Meer lieben.', []],
    ['wrold', 'The world is round, and the rooms are quiet.', ['text']],
    ['sytsem', 'The system is down until Thursday.', ['text']],
  ])('%s among the words of: %s', async (query, text, expected) => {
    expect(await orderOf({ text }, query)).toEqual(expected);
  });
});

describe('a smaller limit returns the first results of a larger one', () => {
  const others = Array.from({ length: 12 }, (_, i): [string, string] => [
    `other ${i}`,
    'Extensively described, extensively tested and extensively used.',
  ]);
  const meant = ['meant', 'The extension of the library is open from Monday to Thursday.'] as const;
  test.each([
    ['the second text has the word', others.slice(0, 1), ['other 0', 'meant']],
    ['no text among the best ten has the word', others, []],
  ])('%s', async (_, before, expected) => {
    const texts = titled(Object.fromEntries([meant, ...before]));
    for (const limit of [1, 10, 20]) {
      const found = await searchIn(texts, 'extensoin', limit);
      expect(found.map(({ title }) => title)).toEqual(expected.slice(0, limit));
    }
  });
});

test.each([
  ['expense', 'Extension', false],
  ['expense', 'expences', true],
  ['accomodations', 'accommodation', true],
  ['refridgerater', 'refrigerators', true],
  ['Reisekosten', 'Reisekostenabrechnung', true],
  ['Reisekostenabrechnung', 'Abrechnungen', true],
  ['ansökan', 'Ansökningar', true],
  ['Mueller', 'Müller', true],
  ['kennel', 'kernel', true],
  ['statute', 'stations', false],
  ['manager', 'mangled', false],
  ['отпсук', 'отпуска', true],
])('%s for %s: %s', (queried, written, isTaken) => {
  expect(isLikely(queried, written)).toBe(isTaken);
});

test.each([
  ['expense', 'expens', 'extens', true],
  ['الموضفين', 'موضف', 'موظف', true],
  ['accomodations', 'accomod', 'accommod', true],
  ['ماذا', 'ماذ', 'منذ', false],
  ['heißt', 'heisst', 'heil', false],
])('%s, of the stem %s, for words of the lexeme %s: %s', (word, stem, lexeme, isKept) => {
  expect(mayBeLikely({ word, stems: [stem] }, lexeme)).toBe(isKept);
});
