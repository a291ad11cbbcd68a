/** What of a token is indexed, and what has to be stemmed for it. */
import { describe, expect, it } from 'vitest';
import { lexemesOf, wordsToStem } from './lexemes.ts';

const none = new Map<string, string>();

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
