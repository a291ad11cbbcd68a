/** Impact tiers tell dense passages from others, and no text can contain a tier's lexeme. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { impactTierLexeme, knowledgeBaseLexeme, tierCount } from './reserved-lexemes.ts';
import { tokenise } from './tokens.ts';

test('a word that occurs once is of no tier, however short the passage', () => {
  expect(tierCount(1, 1)).toBe(0);
});

test('tiers take repetition against length', () => {
  expect(tierCount(3, 150)).toBe(1);
  expect(tierCount(3, 40)).toBe(2);
  expect(tierCount(3, 400)).toBe(0);
  expect(tierCount(12, 150)).toBe(3);
});

test('no text holds a mark', () => {
  const marks = [
    impactTierLexeme('word', 0),
    impactTierLexeme('1', 1),
    knowledgeBaseLexeme('0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f'),
  ];
  for (const mark of marks) expect(tokenise(`x ${mark} y /${mark} 1${mark}`).tokens).not.toContain(mark);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { tokens, fragments } = tokenise(text);
      const all = [...tokens, ...fragments];
      expect(all.filter((token) => token.startsWith('/'))).toEqual([]);
    }),
  );
});
