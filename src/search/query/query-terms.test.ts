/** The terms of a query. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseQuery, mostImportant, type QueryTerm, readQuery } from './query-terms.ts';

/** Stems by removing a plural s; knows a few stop words of English and German. */
function stemOf(language: string, word: string): string {
  const stopWords = language === 'german' ? ['die', 'der', 'das'] : ['the', 'to', 'be', 'or', 'not'];
  return stopWords.includes(word) ? '' : word.replace(/s$/, '');
}

function analyse(query: string, languages: string[]) {
  const words = readQuery(query);
  const stemsIn = (language: string) =>
    new Map(language === 'simple' ? [] : words.toStem.map((word) => [word, stemOf(language, word)]));
  return analyseQuery(words, new Map(languages.map((language) => [language, stemsIn(language)])));
}

describe('analyseQuery', () => {
  const common = { isInformative: true, isStopWord: false, weight: 1, share: 0.005 };

  it('gives each word once, in order, with its frequency', async () => {
    expect(analyse('cats and cats', ['english'])).toEqual([
      { word: 'cats', tokens: ['cats'], ...common, lexemes: ['cat'], unaccented: [], frequency: 2 },
      {
        word: 'and',
        tokens: ['and'],
        ...common,
        share: 0.3,
        lexemes: ['and'],
        unaccented: [],
        frequency: 1,
      },
    ]);
  });

  it('counts two forms of one word as one term', async () => {
    expect(analyse('cat cats', ['english'])).toEqual([
      { word: 'cat', tokens: ['cat', 'cats'], ...common, lexemes: ['cat'], unaccented: [], frequency: 2 },
    ]);
  });

  it('unites the lexemes that a word has in every language', async () => {
    expect(analyse('cats', ['english', 'simple'])).toEqual([
      { word: 'cats', tokens: ['cats'], ...common, lexemes: ['cat', 'cats'], unaccented: [], frequency: 1 },
    ]);
  });

  it('has the word without its accents beside it', () => {
    expect(analyse('cafés', ['english', 'simple'])).toMatchObject([
      { lexemes: ['café', 'cafés'], unaccented: ['cafe', 'cafes'] },
    ]);
  });

  it('keeps the accents of each form of a word', () => {
    expect(analyse('cafe cafés café', ['english'])).toMatchObject([
      { lexemes: ['cafe'], unaccented: [], frequency: 1 },
      { lexemes: ['café'], unaccented: ['cafe'], frequency: 2 },
    ]);
    const stems = new Map([
      ['informe', 'inform'],
      ['información', 'inform'],
      ['informacion', 'informacion'],
    ]);
    expect(analyseQuery(readQuery('informe información'), new Map([['spanish', stems]]))).toMatchObject([
      { lexemes: ['inform'], unaccented: ['informacion'], frequency: 2 },
    ]);
  });

  it('keeps stop words and says so', async () => {
    const terms = analyse('to be or not to be', ['english']);
    expect(terms.map(({ lexemes, isStopWord }) => [lexemes[0], isStopWord])).toEqual([
      ['to', true],
      ['be', true],
      ['or', true],
      ['not', true],
    ]);
  });

  it('weighs a compound less than its parts, of which it is a variant, unless it has digits', () => {
    const termsOf = (query: string) =>
      analyse(query, ['english']).map(({ word, weight, unaccented }) => [word, weight, unaccented]);
    expect(termsOf('Pre-eclampsia')).toEqual([
      ['preeclampsia', 0.4, []],
      ['pre', 1, ['preeclampsia']],
      ['eclampsia', 1, ['preeclampsia']],
    ]);
    expect(termsOf('PDP-ten PDP-10').find(([word]) => word === 'pdp10')).toEqual(['pdp10', 1, []]);
    expect(termsOf('boa boat boar boas').map(([, weight]) => weight)).toEqual([1, 1, 1]);
  });

  it('weighs stop words less, unless there is nothing else', async () => {
    const weights = (query: string) =>
      analyse(query, ['english']).map(({ weight, isInformative }) => [weight, isInformative]);
    expect(weights('the cats')).toEqual([
      [0.25, false],
      [1, true],
    ]);
    expect(weights('to be or not to be')).toEqual(Array.from({ length: 4 }, () => [1, true]));
  });

  it('has single characters after the bigrams, with less weight, once', async () => {
    const terms = analyse('東京都の東', ['simple']);
    expect(terms.map(({ lexemes, frequency, weight }) => [lexemes.join(), frequency, weight])).toEqual([
      ['東京', 1, 1],
      ['京都', 1, 1],
      ['都の', 1, 1],
      ['の東', 1, 1],
      ['東', 2, 0.4],
      ['京', 1, 0.4],
      ['都', 1, 0.4],
    ]);
  });

  it('lets a lone character weigh as much as a word', async () => {
    expect(analyse('猫', ['simple'])).toEqual([
      { word: '猫', tokens: ['猫'], ...common, lexemes: ['猫'], unaccented: ['貓'], frequency: 1 },
    ]);
    const [lone, ...others] = analyse('猫 猫耳', ['simple']);
    expect(lone).toMatchObject({ lexemes: ['猫'], weight: 1 });
    expect(others.map(({ lexemes }) => lexemes[0])).toEqual(['猫耳', '耳']);
  });

  it('judges stop words by the query’s own language', async () => {
    const terms = analyse('How did the famous explorer die on the island?', ['english', 'german']);
    expect(terms.find(({ lexemes }) => lexemes.includes('die'))?.isStopWord).toBe(false);
    expect(terms.find(({ lexemes }) => lexemes.includes('the'))?.isStopWord).toBe(true);
  });

  it('has no term for a query without a word', async () => {
    expect(analyse('?! …', ['english'])).toEqual([]);
  });

  it('has the most frequent tokens of a long query, otherwise those at its ends, in its order', () => {
    const numbers = Array.from({ length: 1_000 }, (_, number) => String(number));
    const terms = analyse(`${numbers.join(' ')} 700 3 700 999`, ['simple']);
    const lexemes = terms.map((term) => term.lexemes.join());
    // 3, 700 and 999 occur more often; the other 509 are 255 of the first and 254 of the last.
    expect(lexemes).toEqual([...numbers.slice(0, 256), '700', ...numbers.slice(745)]);
    expect(terms[256]).toMatchObject({ lexemes: ['700'], frequency: 3 });
  });

  it('bounds the terms of any query of 8,192 characters', async () => {
    const query = fc.string({ unit: 'binary', maxLength: 8192, size: 'max' });
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const terms = analyse(text, ['english', 'simple']);
        expect(terms.length).toBeLessThanOrEqual(512);
      }),
      { numRuns: 50 },
    );
  });
});

describe('mostImportant', () => {
  const term = (lexemes: string[], frequency: number, weight = 1): QueryTerm => ({
    word: lexemes.join(),
    tokens: lexemes,
    isInformative: true,
    lexemes,
    unaccented: [],
    frequency,
    isStopWord: false,
    weight,
    share: 0.005,
  });
  const terms = [term(['the'], 5, 0.25), term(['cat', 'cats'], 1), term(['sat'], 2), term(['mat'], 1)];

  it('leaves out what counts least, and keeps the order', () => {
    expect(mostImportant(terms, { lexemesMax: 3, termsMin: 1 })).toEqual([terms[1], terms[2]]);
    expect(mostImportant(terms, { lexemesMax: 9, termsMin: 1 })).toEqual(terms);
  });

  it('keeps a few terms, however many lexemes they have', () => {
    expect(mostImportant(terms, { lexemesMax: 0, termsMin: 2 })).toEqual([terms[1], terms[2]]);
    expect(mostImportant(terms, { lexemesMax: 0, termsMin: 4 })).toEqual(terms);
  });
});
