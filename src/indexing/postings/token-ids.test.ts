/** Token ids: equal texts have the same id, in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenise, tokeniseAs } from '../../analysis/tokens.ts';
import { createTokenIds } from './token-ids.ts';

const someText = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 4 })
  .map((text) => text.replaceAll('\0', '0'));

describe('createTokenIds', () => {
  it('gives each text an id of its own, and returns the text of each id', () => {
    fc.assert(
      fc.property(fc.array(someText, { maxLength: 100 }), (texts) => {
        const tokenIds = createTokenIds();
        const given = texts.map(tokenIds.ofText);
        expect(texts.map(tokenIds.ofText)).toEqual(given);
        expect(given.map(tokenIds.textOf)).toEqual(texts);
        expect(tokenIds.size()).toBe(new Set(texts).size);
      }),
    );
  });

  it('gives every pair an id of its own, also when there are many', () => {
    const tokenIds = createTokenIds();
    const pairs = Array.from({ length: 50_000 }, (_, i) => [0x4e00 + (i % 500), 0x4e00 + i / 500] as const);
    const idsOfAll = () => pairs.map(([first, second]) => tokenIds.ofPair(first, second));
    const given = idsOfAll();
    expect(idsOfAll()).toEqual(given);
    expect(new Set(given).size).toBe(pairs.length);
    expect(given.map(tokenIds.textOf)).toEqual(pairs.map((pair) => String.fromCharCode(...pair)));
    expect(tokenIds.ofText('一')).toBe(pairs.length);
  });

  it('gives ids to the tokens of any text, which have the same texts as the tokens made as strings', () => {
    const mixed = fc.array(fc.constantFrom('東', '京', 'カ゚', '𠀀', 'ไที่', '한', ' ', 'ab', 'é', '-', '1'));
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      mixed.map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (text) => {
        const tokenIds = createTokenIds();
        const { tokens, stackedTokens, stackedAt } = tokeniseAs(tokenIds, text);
        expect({
          tokens: tokens.map(tokenIds.textOf),
          stackedTokens: stackedTokens.map(tokenIds.textOf),
          stackedAt,
        }).toEqual(tokenise(text));
      }),
    );
  });
});
