/** What an explanation by meaning costs is bounded, however long the query is. */
import { expect, test } from 'vitest';
import { DIMENSIONS } from '../../meaning/passage-vectors.ts';
import { pairedWords } from './meaning-pairs.ts';

/** A word whose vector has this length. */
const wordOf = (length: number) => {
  const vector = new Int8Array(DIMENSIONS);
  vector[0] = length;
  return { word: `${length}`, vector };
};
const wordsFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => wordOf(from + i));

test('of a long query, the 24 rarest words are compared with each passage', () => {
  const many = [...wordsFrom(60, 127), ...wordsFrom(60, 127), ...wordsFrom(60, 127)];
  const compared = pairedWords(many).map(({ word }) => Number(word));
  expect(compared).toHaveLength(24);
  expect(Math.min(...compared)).toBe(119);
});

test('function words are in no pair', () => {
  expect(pairedWords(wordsFrom(1, 60))).toEqual([]);
});
