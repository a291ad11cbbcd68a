/** No text can contain a reserved lexeme. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { impactTierLexeme } from '../indexing/postings/impact-tiers.ts';
import { knowledgeBaseLexeme } from './reserved-lexemes.ts';
import { tokenise } from './tokens.ts';

test('no text contains a reserved lexeme', () => {
  const reserved = [
    impactTierLexeme('word', 0),
    impactTierLexeme('1', 1),
    knowledgeBaseLexeme('0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f'),
  ];
  for (const lexeme of reserved)
    expect(tokenise(`x ${lexeme} y /${lexeme} 1${lexeme}`).tokens).not.toContain(lexeme);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { tokens, stackedTokens } = tokenise(text);
      const all = [...tokens, ...stackedTokens];
      expect(all.filter((token) => token.startsWith('/'))).toEqual([]);
    }),
  );
});
