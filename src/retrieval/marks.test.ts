/** Marks tell dense passages from others, and no text can hold one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scopeMark } from '../storage/scope-mark.ts';
import { TIERS, tierMark, tierMarks } from './marks.ts';
import { tokenise } from './tokens.ts';

test('a word that occurs once is of no tier, however short the passage', () => {
  expect(tierMarks('word', 1, 1)).toEqual([]);
});

test('tiers take repetition against length', () => {
  expect(tierMarks('word', 3, 150)).toEqual(['/1/word']);
  expect(tierMarks('word', 3, 40)).toEqual(['/1/word', '/2/word']);
  expect(tierMarks('word', 3, 400)).toEqual([]);
  expect(tierMarks('word', 12, 150)).toEqual(['/1/word', '/2/word', '/3/word']);
});

test('a passage of a tier is of all tiers below', () => {
  const counts = fc.integer({ min: 1, max: 255 });
  fc.assert(
    fc.property(counts, counts, (frequency, others) => {
      const marks = tierMarks('word', frequency, frequency + others);
      expect(marks).toEqual(TIERS.slice(0, marks.length).map((_, tier) => tierMark('word', tier)));
    }),
  );
});

test('no text holds a mark', () => {
  const marks = ['/1/word', '/2/1', scopeMark('0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f')];
  for (const mark of marks) expect(tokenise(`x ${mark} y /${mark} 1${mark}`)).not.toContain(mark);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(tokenise(text).filter((token) => token.startsWith('/'))).toEqual([]);
    }),
  );
});
