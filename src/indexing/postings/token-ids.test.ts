/** Token ids: equal texts have the same id, in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenise, tokeniseAs } from '../../analysis/tokens.ts';
import { createTokenIds } from './token-ids.ts';

const someText = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 4 })
  .map((text) => text.replaceAll('\0', '0'));

describe('createTextNumbers', () => {
  it('gives each text a number of its own, from which the text comes back', () => {
    fc.assert(
      fc.property(fc.array(someText, { maxLength: 100 }), (texts) => {
        const numbers = createTokenIds();
        const given = texts.map(numbers.ofText);
        expect(texts.map(numbers.ofText)).toEqual(given);
        expect(given.map(numbers.textOf)).toEqual(texts);
        expect(numbers.size()).toBe(new Set(texts).size);
      }),
    );
  });

  it('keeps them apart, however many pairs there are', () => {
    const numbers = createTokenIds();
    const pairs = Array.from({ length: 50_000 }, (_, i) => [0x4e00 + (i % 500), 0x4e00 + i / 500] as const);
    const numberAll = () => pairs.map(([first, second]) => numbers.ofPair(first, second));
    const given = numberAll();
    expect(numberAll()).toEqual(given);
    expect(new Set(given).size).toBe(pairs.length);
    expect(given.map(numbers.textOf)).toEqual(pairs.map((pair) => String.fromCharCode(...pair)));
    expect(numbers.ofText('一')).toBe(pairs.length);
  });

  it('numbers the tokens of any text that it would have as texts', () => {
    const mixed = fc.array(fc.constantFrom('東', '京', 'カ゚', '𠀀', 'ไที่', '한', ' ', 'ab', 'é', '-', '1'));
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      mixed.map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (text) => {
        const numbers = createTokenIds();
        const { tokens, fragments, fragmentPlaces } = tokeniseAs(numbers, text);
        expect({
          tokens: tokens.map(numbers.textOf),
          fragments: fragments.map(numbers.textOf),
          fragmentPlaces,
        }).toEqual(tokenise(text));
      }),
    );
  });
});
