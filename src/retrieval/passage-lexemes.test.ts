import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBinaryArray, elementTypes } from '../storage/binary-array.ts';
import { readTsvector } from '../testing/analysed-passages.ts';
import { createDocumentLexemes, type PassageTokens } from './passage-lexemes.ts';

/** Behind the header of an array, and the length of its one element. */
const ELEMENT_OFFSET = 24;

function addPassage(lexemes: ReturnType<typeof createDocumentLexemes>, tokens: PassageTokens) {
  const column = createBinaryArray(elementTypes.tsvector);
  const length = lexemes.addPassage(column, tokens, (token) => [lexemes.entryOf(token)]);
  return { tsvector: readTsvector(column.toBuffer().subarray(ELEMENT_OFFSET)), length };
}
const onePassage = (tokens: PassageTokens) => addPassage(createDocumentLexemes(), tokens);

describe('createDocumentLexemes', () => {
  it('numbers title, headings and content in this order, with weights A, B and D, and marks dense words', () => {
    const tokens = { title: ['a', 'b'], headings: ['b'], content: ['a', 'c'] };
    expect(onePassage(tokens)).toEqual({ tsvector: 'a:1A,4 b:2A,3B c:5 /1/a: /2/a: /1/b: /2/b:', length: 5 });
  });

  it('counts the passages that have a lexeme, and forgets where another passage had it', () => {
    const lexemes = createDocumentLexemes();
    addPassage(lexemes, { title: [], headings: [], content: ['a', 'b', 'a', 'a'] });
    const second = addPassage(lexemes, { title: [], headings: [], content: ['c', 'a'] });
    expect(second.tsvector).toBe('c:1 a:2');
    expect(new Map(lexemes.passageCounts())).toEqual(
      new Map(Object.entries({ a: 2, b: 1, '/1/a': 1, '/2/a': 1, c: 1 })),
    );
  });

  it('keeps within the positions that a tsvector has, each once', () => {
    const content = Array.from({ length: 20_000 }, (_, i) =>
      i % 2 ? 'even' : i < 17_000 ? `w${i}` : 'late',
    );
    const { tsvector, length } = onePassage({ title: [], headings: [], content });
    const positions = [...tsvector.matchAll(/(?<=[:,])\d+/g)].map(Number);
    expect(Math.max(...positions)).toBeLessThanOrEqual(16_383);
    expect(tsvector.match(/even:([\d,]+)/)?.[1]?.split(',')).toHaveLength(255);
    expect(tsvector.match(/late:([\d,]+)/)?.[1]).toBe('16383');
    expect(length).toBe(20_000);
  });

  it('gives every token of any passage its place', () => {
    const token = fc.stringMatching(/^[a-zé漢'\\]{1,20}$/);
    const tokens = fc.record({ title: fc.array(token), headings: fc.array(token), content: fc.array(token) });
    fc.assert(
      fc.property(tokens, (any) => {
        const all = [...any.title, ...any.headings, ...any.content];
        const { tsvector, length } = onePassage(any);
        expect(length).toBe(all.length);
        expect(tsvector.match(/(?<=[:,])\d+[AB]?(?=[, ]|$)/g) ?? []).toHaveLength(all.length);
      }),
    );
  });
});
