import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBinaryArray, elementTypes } from '../storage/binary-array.ts';
import { readTsvector } from '../testing/analysed-passages.ts';
import { createDocumentLexemes, type PassageTokens } from './passage-lexemes.ts';
import { type TokenisedText, tokenise } from './tokens.ts';

/** Behind the header of an array, and the length of its one element. */
const ELEMENT_OFFSET = 24;

function addPassage(lexemes: ReturnType<typeof createDocumentLexemes>, tokens: PassageTokens): string {
  const column = createBinaryArray(elementTypes.tsvector);
  lexemes.addPassage(column, tokens, (token) => [lexemes.entryOf(token)]);
  return readTsvector(column.toBuffer().subarray(ELEMENT_OFFSET));
}
const onePassage = (tokens: PassageTokens) => addPassage(createDocumentLexemes(), tokens);
const text = (...tokens: string[]): TokenisedText => ({ tokens, fragments: [] });
const contentOnly = (...tokens: string[]): PassageTokens => ({
  title: text(),
  headings: text(),
  content: text(...tokens),
});

describe('createDocumentLexemes', () => {
  it('numbers the title four times, headings and content, with weights A, B and D', () => {
    const tokens = { title: text('a'), headings: text('b'), content: text(...'cdefghijklmnopqrstuvwxyz') };
    expect(onePassage(tokens)).toMatch(/^a:1A,2A,3A,4A b:5B c:6 d:7 e:8 /);
  });

  it('marks the lexemes that a passage is dense in', () => {
    expect(onePassage(contentOnly('a', 'b', 'a'))).toBe('a:1,3 b:2 /1/a: /2/a:');
  });

  it('puts fragments at the positions of their tokens', () => {
    const headings = {
      tokens: ['東京'],
      fragments: [
        { token: '東', at: 0 },
        { token: '京', at: 0 },
      ],
    };
    const content = { tokens: ['in', '京都'], fragments: [{ token: '京', at: 1 }] };
    expect(onePassage({ title: text(), headings, content })).toMatch(
      /^東京:1B 東:1B 京:1B,3 in:2 京都:3( |$)/,
    );
  });

  it('counts the passages that have a lexeme, and forgets where another passage had it', () => {
    const lexemes = createDocumentLexemes();
    addPassage(lexemes, contentOnly('a', 'b', 'a', 'a'));
    expect(addPassage(lexemes, contentOnly('c', 'a'))).toBe('c:1 a:2');
    expect(new Map(lexemes.passageCounts())).toEqual(
      new Map(Object.entries({ a: 2, b: 1, '/1/a': 1, '/2/a': 1, c: 1 })),
    );
  });

  it('keeps within the positions that a tsvector has, each once', () => {
    const content = Array.from({ length: 20_000 }, (_, i) =>
      i % 2 ? 'even' : i < 17_000 ? `w${i}` : 'late',
    );
    const tsvector = onePassage(contentOnly(...content));
    const positions = [...tsvector.matchAll(/(?<=[:,])\d+/g)].map(Number);
    expect(Math.max(...positions)).toBeLessThanOrEqual(16_383);
    expect(tsvector.match(/even:([\d,]+)/)?.[1]?.split(',')).toHaveLength(255);
    expect(tsvector.match(/late:([\d,]+)/)?.[1]).toBe('16383');
  });

  it('has the places of every lexeme in rising order, whatever the text', () => {
    const piece = fc.constantFrom(
      '京都',
      '京',
      '東京',
      '한국',
      '어',
      ' ',
      'カタカナ',
      'な',
      'ไทย',
      'a',
      '.',
      '\n',
    );
    const content = fc.array(piece, { maxLength: 40 }).map((pieces) => tokenise(pieces.join('')));
    fc.assert(
      fc.property(content, content, (title, content) => {
        const tsvector = onePassage({ title, headings: text(), content });
        for (const [, places = ''] of tsvector.matchAll(/:([\d,A]+)/g)) {
          const numbers = places.split(',').map((place) => Number.parseInt(place, 10));
          expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
        }
      }),
    );
  });

  it('gives every token of any passage its place', () => {
    const token = fc.stringMatching(/^[a-zé漢'\\]{1,20}$/);
    const tokens = fc.record({ title: fc.array(token), headings: fc.array(token), content: fc.array(token) });
    fc.assert(
      fc.property(tokens, ({ title, headings, content }) => {
        const tsvector = onePassage({
          title: text(...title),
          headings: text(...headings),
          content: text(...content),
        });
        expect(tsvector.match(/(?<=[:,])\d+[AB]?(?=[, ]|$)/g) ?? []).toHaveLength(
          4 * title.length + headings.length + content.length,
        );
      }),
    );
  });
});
