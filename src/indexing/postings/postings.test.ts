/** A document's postings by passage equal the postings by a simple implementation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TokenisedText, tokenise } from '../../analysis/tokens.ts';
import { LEXEMES_PER_DELTA } from '../../database/schema/tables.ts';
import { createBinaryArray, elementTypes } from '../../database/values/postgres-binary-insides.ts';
import { readDocumentFrequencies, readObjects, readTsvector } from '../testing/analysed-passages.ts';
import { createDocumentPostings } from './postings.ts';
import { createTokenIds } from './token-ids.ts';

/** Offset of the first element: after the header of an array and the element's length. */
const ELEMENT_OFFSET = 24;

type PassageTokens = { title: TokenisedText; headings: TokenisedText; content: TokenisedText };

/** A document whose tokens are their own lexemes. */
function createDocument() {
  const tokenIds = createTokenIds();
  const postings = createDocumentPostings(tokenIds);
  const withIds = ({ tokens, stackedTokens, stackedAt }: TokenisedText) => ({
    tokens: tokens.map(tokenIds.ofText),
    stackedTokens: stackedTokens.map(tokenIds.ofText),
    stackedAt,
  });
  return {
    /** Returns the passage's tsvector. */
    add({ title, headings, content }: PassageTokens): string {
      const lexemes = createBinaryArray(elementTypes.tsvector);
      const vector = createBinaryArray(elementTypes.varbit);
      const tokens = {
        title: withIds(title),
        headings: withIds(headings),
        content: withIds(content),
      };
      postings.addPassage({ lexemes, vector }, tokens, {
        lexemes: { lexeme: (token) => token, alternative: () => undefined },
        vectors: undefined,
      });
      return readTsvector(lexemes.toBuffer().subarray(ELEMENT_OFFSET));
    },
    counts: () => Object.fromEntries(readDocumentFrequencies(postings.documentFrequencies())),
    statements: () => postings.documentFrequencies(),
    objects: () => readObjects(postings.documentFrequencies()),
  };
}
const onePassage = (tokens: PassageTokens) => createDocument().add(tokens);
const text = (...tokens: string[]): TokenisedText => ({ tokens, stackedTokens: [], stackedAt: [] });
const contentOnly = (...tokens: string[]): PassageTokens => ({
  title: text(),
  headings: text(),
  content: text(...tokens),
});

describe('createDocumentPostings', () => {
  it('gives positions to the title four times, then to headings and content, with weights A, B and D', () => {
    const tokens = { title: text('a'), headings: text('b'), content: text(...'cdefghijklmnopqrstuvwxyz') };
    expect(onePassage(tokens)).toMatch(/^a:1A,2A,3A,4A b:5B c:6 d:7 e:8 /);
  });

  it('adds the impact tiers of lexemes in which a passage is dense', () => {
    expect(onePassage(contentOnly('a', 'b', 'a'))).toBe('a:1,3 b:2 /1/a: /2/a:');
  });

  it('puts stackedTokens at the positions of their tokens', () => {
    const headings = { tokens: ['東京'], stackedTokens: ['東', '京'], stackedAt: [0, 0] };
    const content = { tokens: ['in', '京都'], stackedTokens: ['京'], stackedAt: [1] };
    expect(onePassage({ title: text(), headings, content })).toMatch(
      /^東京:1B 東:1B 京:1B,3 in:2 京都:3( |$)/,
    );
  });

  it('counts the passages that contain a lexeme, and keeps positions apart by passage', () => {
    const document = createDocument();
    document.add(contentOnly('a', 'b', 'a', 'a'));
    expect(document.add(contentOnly('c', 'a'))).toBe('c:1 a:2');
    expect(document.counts()).toEqual({ a: 2, b: 1, '/1/a': 1, '/2/a': 1, c: 1 });
  });

  it('counts lexemes that JSON has to escape, and writes all in UTF-8', () => {
    const lexemes = ['a"b', '1\\2', '東京', '東', 'я', '東a', 'é東', '𠀀', '𠀀京', '😀😀', '\u0001'];
    const document = createDocument();
    expect(document.add(contentOnly(...lexemes))).toBe(
      lexemes.map((lexeme, i) => `${lexeme}:${i + 1}`).join(' '),
    );
    expect(document.counts()).toEqual(Object.fromEntries(lexemes.map((lexeme) => [lexeme, 1])));
    expect(createDocument().counts()).toEqual({});
  });

  it('divides many lexemes between several objects, each into one', () => {
    const lexemes = Array.from({ length: 2 * LEXEMES_PER_DELTA + 1 }, (_, i) => `word${i}`);
    const document = createDocument();
    document.add(contentOnly(...lexemes));
    const objects = document.objects();
    expect(objects.map((object) => Object.keys(object).length)).toEqual([
      LEXEMES_PER_DELTA,
      LEXEMES_PER_DELTA,
      1,
    ]);
    expect(Object.keys(document.counts()).sort()).toEqual(lexemes.sort());
  });

  it('divides very many lexemes between several statements', () => {
    const document = createDocument();
    const lexemes = Array.from({ length: 9 * LEXEMES_PER_DELTA }, (_, i) => `word${i}`);
    document.add(contentOnly(...lexemes));
    const sizes = document.statements().map((array) => readObjects([array]).length);
    expect(sizes).toEqual([4, 4, 1]);
  });

  it('keeps to the positions that a tsvector allows, each once', () => {
    const content = Array.from({ length: 20_000 }, (_, i) =>
      i % 2 ? 'even' : i < 17_000 ? `w${i}` : 'late',
    );
    const tsvector = onePassage(contentOnly(...content));
    const positions = [...tsvector.matchAll(/(?<=[:,])\d+/g)].map(Number);
    expect(Math.max(...positions)).toBeLessThanOrEqual(16_383);
    expect(tsvector.match(/even:([\d,]+)/)?.[1]?.split(',')).toHaveLength(255);
    expect(tsvector.match(/late:([\d,]+)/)?.[1]).toBe('16383');
  });

  it('has the positions of every lexeme in ascending order, in any text', () => {
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
        for (const [, positions = ''] of tsvector.matchAll(/:([\d,A]+)/g)) {
          const tokenIds = positions.split(',').map((position) => Number.parseInt(position, 10));
          expect(tokenIds).toEqual([...new Set(tokenIds)].sort((left, right) => left - right));
        }
      }),
    );
  });

  it('gives every token of any passage a position', () => {
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
