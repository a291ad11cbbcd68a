/** Which passages an agent reads within its tokens. */
import { expect, test } from 'vitest';
import type { SearchResult } from '../../../generated/types.gen.ts';
import { estimateTokens, selectPassages as select, toText } from './passages-for-agents.ts';

const result = (number: number, fields: Partial<SearchResult> = {}): SearchResult => ({
  id: `passage-${number}`,
  score: 1 / number,
  document_id: `document-${number}`,
  knowledge_base_id: 'base',
  title: `Title ${number}`,
  type: 'text',
  content: 'word '.repeat(60),
  metadata: { source: 'a.txt', annotations: '' },
  ...fields,
});

const surroundings = { address: 'https://kr.example', names: new Map([['base', 'Handbook']]) };
const selectPassages = (results: SearchResult[], maxTokens: number) =>
  select(results, maxTokens, surroundings);

const RESULTS = [1, 2, 3, 4].map((number) => result(number));
const texts = (maxTokens: number) => selectPassages(RESULTS, maxTokens).passages.map(({ title }) => title);

test('the best passages that have room are returned, and the number of the others', () => {
  expect(texts(10_000)).toEqual(['Title 1', 'Title 2', 'Title 3', 'Title 4']);
  expect(texts(300)).toEqual(['Title 1', 'Title 2']);
  expect(selectPassages(RESULTS, 300).omitted).toBe(2);
  expect(selectPassages([], 250)).toEqual({ passages: [], omitted: 0 });
});

test('the best passage is returned even where it has no room', () => {
  expect(texts(1)).toEqual(['Title 1']);
});

test('neighbours go before passages do', () => {
  const context = { before: ['before '.repeat(100)], after: ['after'] };
  const [found] = selectPassages([result(1, { context })], 150).passages;
  expect(found).not.toHaveProperty('before');
  expect(found?.text).toBe(RESULTS[0]?.content);
  expect(selectPassages([result(1, { context })], 10_000).passages[0]).toMatchObject(context);
});

test('a citation names title, page and headings; the address of the original comes before that of the console', () => {
  const location = { passage: 3, start: 10, end: 20, page: 12, headings: ['Travel', 'Expenses'] };
  const { passages } = selectPassages(
    [result(1, { location }), result(2, { sourceUrl: 'https://a.example/' })],
    10_000,
  );
  expect(passages).toMatchObject([
    {
      citation: 'Title 1, page 12, Travel > Expenses',
      knowledgeBase: 'Handbook',
      uri: 'https://kr.example/#/documents/document-1?passage=3',
      start: 10,
      end: 20,
    },
    { citation: 'Title 2', uri: 'https://a.example/' },
  ]);
  expect(toText(passages, { omitted: 1 })).toMatch(
    /^\[1\] Title 1, page 12.+\[2\] Title 2.+1 more had no room/s,
  );
});

test('words that are near in meaning are named', () => {
  const meaning = {
    contribution: 0.1,
    similarity: 0.6,
    pairs: [
      { term: 'accommodation', word: 'hotel', similarity: 0.8 },
      { term: 'price', word: 'cost', similarity: 0.7 },
    ],
  };
  const explanation = { terms: [], neighbours: 0, feedback: 0, missing: [], fullMatch: 0, meaning };
  const { passages } = selectPassages([result(1, { explanation }), result(2)], 10_000);
  expect(passages.map(({ nearInMeaning }) => nearInMeaning)).toEqual([
    [
      { word: 'accommodation', near: 'hotel' },
      { word: 'price', near: 'cost' },
    ],
    undefined,
  ]);
  const text = toText(passages, { omitted: 0 });
  expect(text).toContain('\nNear in meaning: accommodation ≈ hotel, price ≈ cost.\n');
  expect(text.match(/Near in meaning/g)).toHaveLength(1);
});

test('a phrase that no passage has is named', () => {
  const { passages } = selectPassages(RESULTS, 10_000);
  const text = (found: typeof passages) =>
    toText(found, { omitted: 0, phrasesAsWords: ['one two', 'three'] });
  expect(text(passages)).toMatch(/^No passage has "one two", "three"; the words .+\[1\] Title 1/s);
  expect(text([])).toMatch(/^No passage has "one two".+Nothing was found/s);
});

test('the citation of a subtitle names the time', () => {
  const location = { passage: 3, start: 10, end: 20, headings: [], time: 765.48 };
  expect(selectPassages([result(1, { location })], 10_000).passages).toMatchObject([
    { citation: 'Title 1, at 00:12:45', time: 765.48 },
  ]);
});

test.each([
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['Die Reisekostenabrechnung muss eingereicht werden.', 13],
  ['人工智能正在改变世界', 10],
])('the estimate for %o is not below its tokens, nor more than twice as many', (text, tokens) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens);
  expect(estimateTokens(text)).toBeLessThanOrEqual(2 * tokens);
});
