/** Tokens → lexemes, and which tokens need stems. */
import { describe, expect, it } from 'vitest';
import { lexemesOf, wordsToStem } from './lexemes.ts';

const none = new Map<string, string>();

describe('lexemesOf', () => {
  it('returns the stem, and the stem of the word without accents', () => {
    const stems = new Map([
      ['cafés', 'café'],
      ['cafes', 'cafe'],
    ]);
    expect(lexemesOf('cafés', stems)).toEqual({ asWritten: ['café'], unaccented: ['cafe'] });
    expect(lexemesOf('cafes', stems)).toEqual({ asWritten: ['cafe'], unaccented: [] });
  });

  it('returns a stop word itself, so that "to be or not to be" finds its passage', () => {
    expect(lexemesOf('be', new Map([['be', '']]))).toEqual({ asWritten: ['be'], unaccented: [] });
  });

  it('adds the stem of the word without accents where a stemmer needs the accent', () => {
    const stems = new Map([
      ['información', 'inform'],
      ['informacion', 'informacion'],
    ]);
    expect(lexemesOf('información', stems)).toEqual({ asWritten: ['inform'], unaccented: ['informacion'] });
  });

  it('distinguishes words that differ in accents alone, without a stemmer', () => {
    expect(lexemesOf('bán', none)).toEqual({ asWritten: ['bán'], unaccented: ['ban'] });
    expect(lexemesOf('bạn', none)).toEqual({ asWritten: ['bạn'], unaccented: ['ban'] });
  });

  it('removes an accent that only the stemmer adds', () => {
    const stems = new Map([
      ['yardım', 'yar'],
      ['yardim', 'yardı'],
    ]);
    expect(lexemesOf('yardim', stems)).toEqual({ asWritten: ['yardı'], unaccented: ['yardi'] });
    expect(lexemesOf('yardım', stems)).toEqual({ asWritten: ['yar'], unaccented: ['yardi'] });
  });

  it('does not treat Arabic vowel signs and hamzas as accents', () => {
    expect(lexemesOf('أحْمد', none)).toEqual({ asWritten: ['احمد'], unaccented: [] });
    const stems = new Map([
      ['أسماء', 'أسم'],
      ['اسماء', 'اسماء'],
    ]);
    expect(lexemesOf('أسماء', stems)).toEqual({ asWritten: ['اسم', 'اسماء'], unaccented: [] });
  });
});

describe('wordsToStem', () => {
  it('returns each plain word once, with and without accents', () => {
    expect(wordsToStem(['café', 'x86', 'café', '東京', 'run'])).toEqual(['café', 'cafe', 'run']);
  });
});
