/** The package eld has its table where the service reads it, in the form that it reads. */
import { expect, test } from 'vitest';
import { parseScores, readEld } from './eld-insides.ts';

const CHANGED = 'the package eld keeps its n-grams in another form: see eld-insides.ts';

test('eld’s table has its languages, and n-grams with scores of these', () => {
  const { languages, ngrams } = readEld();
  const codes = languages.map(({ code }) => code);
  expect(codes, CHANGED).toHaveLength(60);
  expect(codes, CHANGED).toEqual(expect.arrayContaining(['de', 'en', 'fr', 'ru', 'zh']));
  expect(languages.filter(({ average }) => !(average > 0 && average <= 1))).toEqual([]);
  let count = 0;
  const odd: unknown[] = [];
  for (const { bytes, scores } of ngrams) {
    count++;
    const numbers = parseScores(scores);
    const isKnown = numbers.every((number, i) => (i % 2 === 0 ? number in languages : number > 0));
    if (bytes <= 0 || bytes >= 2 ** 32 || numbers.length % 2 !== 0 || !isKnown) odd.push({ bytes, scores });
  }
  expect(odd, CHANGED).toEqual([]);
  expect(count, CHANGED).toBeGreaterThan(10_000);
});

test('the word “the” is English', () => {
  const { languages, ngrams } = readEld();
  const the = Buffer.from('the').readUIntBE(0, 3);
  const [found] = [...ngrams].filter(
    ({ bytes, isBeginning, isEnd }) => bytes === the && isBeginning && isEnd,
  );
  const scores = parseScores(found?.scores ?? '');
  const english = languages.findIndex(({ code }) => code === 'en');
  const at = scores.findIndex((number, i) => i % 2 === 0 && number === english);
  expect(at, CHANGED).toBeGreaterThanOrEqual(0);
  expect(scores[at + 1], CHANGED).toBe(Math.max(...scores.filter((_, i) => i % 2 === 1)));
});
