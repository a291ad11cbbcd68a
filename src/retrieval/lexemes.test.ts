import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lexemesOf, passageLexemes, wordsToStem } from './lexemes.ts';

const none = new Map<string, string>();

/** PostgreSQL manual 8.11.1: quoted lexemes with quotes and backslashes doubled, positions with weights. */
const TSVECTOR = /^(?:'(?:[^'\\]|''|\\\\)+':\d+[AB]?(?:,\d+[AB]?)*(?: (?=')|$))*$/;

describe('lexemesOf', () => {
  it('is the stem without accents', () => {
    expect(
      lexemesOf(
        'cafés',
        new Map([
          ['cafés', 'café'],
          ['cafes', 'cafe'],
        ]),
      ),
    ).toEqual(['cafe']);
  });

  it('is a stop word itself, so that "to be or not to be" finds its passage', () => {
    expect(lexemesOf('be', new Map([['be', '']]))).toEqual(['be']);
  });

  it('has the stem of the plain spelling beside it where a stemmer needs the accent', () => {
    const stems = new Map([
      ['información', 'inform'],
      ['informacion', 'informacion'],
    ]);
    expect(lexemesOf('información', stems)).toEqual(['inform', 'informacion']);
    expect(lexemesOf('informacion', stems)).toEqual(['informacion']);
  });

  it('is the token without accents where nothing stems it', () => {
    expect(lexemesOf('café', none)).toEqual(['cafe']);
  });
});

describe('wordsToStem', () => {
  it('asks for words only, once, with and without accents', () => {
    expect(wordsToStem(['café', 'x86', 'café', '東京', 'run'])).toEqual(['café', 'cafe', 'run']);
  });
});

describe('passageLexemes', () => {
  const plain = (token: string) => lexemesOf(token, none);

  it('numbers title, headings and content in this order, with weights A, B and D, and marks dense words', () => {
    const tokens = { title: ['a', 'b'], headings: ['b'], content: ['a', 'c'] };
    expect(passageLexemes(tokens, plain)).toEqual({
      tsvector: "'a':1A,4 'b':2A,3B 'c':5 '/1/a' '/2/a' '/1/b' '/2/b'",
      length: 5,
      lexemes: ['a', 'b', 'c', '/1/a', '/2/a', '/1/b', '/2/b'],
    });
  });

  it('doubles quotes and backslashes', () => {
    expect(passageLexemes({ title: [], headings: [], content: ["it's\\"] }, plain).tsvector).toBe(
      "'it''s\\\\':1",
    );
  });

  it('keeps within the positions that a tsvector has', () => {
    const content = Array.from({ length: 20_000 }, (_, i) => (i % 2 ? 'even' : `w${i}`));
    const { tsvector, length } = passageLexemes({ title: [], headings: [], content }, plain);
    const positions = [...tsvector.matchAll(/\d+(?=[,A-D ]|$)/g)].map(Number);
    expect(Math.max(...positions)).toBeLessThanOrEqual(16_383);
    expect(tsvector.match(/'even':([\d,]+)/)?.[1]?.split(',')).toHaveLength(255);
    expect(length).toBe(20_000);
  });

  it('is tsvector text for any tokens', () => {
    const token = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const tokens = fc.record({ title: fc.array(token), headings: fc.array(token), content: fc.array(token) });
    fc.assert(fc.property(tokens, (any) => TSVECTOR.test(passageLexemes(any, plain).tsvector)));
  });
});
