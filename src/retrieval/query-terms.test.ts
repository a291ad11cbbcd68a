import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stem } from './lexemes.ts';
import { analyseQuery } from './query-terms.ts';

/** Cuts a plural s; has a few stop words of English and German. */
const stem: Stem = async (language, words) => {
  const stopWords = language === 'german' ? ['die', 'der', 'das'] : ['the', 'to', 'be', 'or', 'not'];
  return words.map((word) => (stopWords.includes(word) ? '' : word.replace(/s$/, '')));
};

describe('analyseQuery', () => {
  it('gives each word once, in order, with its frequency', async () => {
    expect(await analyseQuery('cats and cats', ['english'], stem)).toEqual([
      { lexemes: ['cat'], frequency: 2, isStopWord: false },
      { lexemes: ['and'], frequency: 1, isStopWord: false },
    ]);
  });

  it('counts two forms of one word as one term', async () => {
    expect(await analyseQuery('cat cats', ['english'], stem)).toEqual([
      { lexemes: ['cat'], frequency: 2, isStopWord: false },
    ]);
  });

  it('unites the lexemes that a word has in every language', async () => {
    expect(await analyseQuery('cats', ['english', 'simple'], stem)).toEqual([
      { lexemes: ['cat', 'cats'], frequency: 1, isStopWord: false },
    ]);
  });

  it('keeps stop words and says so', async () => {
    const terms = await analyseQuery('to be or not to be', ['english'], stem);
    expect(terms.map(({ lexemes, isStopWord }) => [lexemes[0], isStopWord])).toEqual([
      ['to', true],
      ['be', true],
      ['or', true],
      ['not', true],
    ]);
  });

  it('judges stop words by the query’s own language', async () => {
    const terms = await analyseQuery(
      'How did the famous explorer die on the island?',
      ['english', 'german'],
      stem,
    );
    expect(terms.find(({ lexemes }) => lexemes.includes('die'))?.isStopWord).toBe(false);
    expect(terms.find(({ lexemes }) => lexemes.includes('the'))?.isStopWord).toBe(true);
  });

  it('has no term for a query without a word', async () => {
    expect(await analyseQuery('?! …', ['english'], stem)).toEqual([]);
  });

  it('passes on what stemming throws', async () => {
    const away = new Error('database away');
    await expect(analyseQuery('cats', ['english'], () => Promise.reject(away))).rejects.toBe(away);
  });

  it('bounds the terms of any query of 8,192 characters', async () => {
    const query = fc.string({ unit: 'binary', maxLength: 8192, size: 'max' });
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const terms = await analyseQuery(text, ['english', 'simple'], stem);
        expect(terms.length).toBeLessThanOrEqual(8192);
      }),
      { numRuns: 50 },
    );
  });
});
