/** The benchmark's documents and queries have the properties that its figures assume. */
import { expect, test } from 'vitest';
import { detectLanguage } from '../../../src/analysis/language.ts';
import { analyseDocument } from '../../../src/indexing/analyse-document.ts';
import { readAnalysis } from '../../../src/indexing/testing/analysed-passages.ts';
import { makeDocument, makePassage, planDocuments } from './corpus.ts';
import { makeLongQueries, makeQueries, queryKinds } from './query-mix.ts';

test('documents cover their planned passages, in order', () => {
  const plans = planDocuments(100, 5_000);
  const ends = plans.map(({ first, passages }) => first + passages);
  expect(plans.map(({ first }) => first)).toEqual([100, ...ends.slice(0, -1)]);
  expect(ends.at(-1)).toBe(5_000);
});

test('the service cuts a document into its original passages, and detects English', async () => {
  const document = makeDocument({ first: 60, passages: 40 });
  const stem = async (_language: string, words: string[]) => words;
  const { passages } = await readAnalysis(analyseDocument({ format: 'text', ...document }, stem));
  expect(passages).toHaveLength(40);
  expect(new Set(passages.map(({ language }) => language))).toEqual(new Set(['english']));
  expect(passages[10]?.content).toContain(makePassage(70));
  expect(detectLanguage(makePassage(123_456))).toBe('english');
});

test('the largest document fits into the contract', () => {
  expect(makeDocument({ first: 0, passages: 900 }).content.length).toBeLessThanOrEqual(1_000_000);
});

test('a hundred queries hold every kind, and are the same at every run', () => {
  const queries = makeQueries(100, 1_000, 1);
  expect(new Set(queries.map(({ kind }) => kind))).toEqual(new Set(queryKinds));
  expect(queries.filter(({ kind }) => kind === 'claims of 12 terms')).toHaveLength(50);
  expect(makeQueries(100, 1_000, 1)).toEqual(queries);
  expect(makeLongQueries(1, 1_000, 1)[0]).toHaveLength(8_192);
});
