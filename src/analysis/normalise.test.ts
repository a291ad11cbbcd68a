/** Different forms of one text become the same; unwanted characters are removed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usedMsOf } from '../../contract-tests/harness/machine/processor-time.ts';
import { foldAccents, normaliseText, unifyLetters } from './normalise.ts';

describe('foldAccents', () => {
  const pairs: [reason: string, accented: string, folded: string][] = [
    ['Latin accents', 'café', 'cafe'],
    ['Vietnamese stacks two', 'việt', 'viet'],
    ['letters that NFD leaves whole', 'straße', 'strasse'],
    ['and others of them', 'łódź', 'lodz'],
    ['Turkish dotless i', 'ısparta', 'isparta'],
    ['Greek tonos and final sigma', 'λόγος', 'λογοσ'],
    ['ё is written е', 'ёлка', 'елка'],
    ['Arabic vowel signs', 'كِتَاب', 'كتاب'],
    ['Arabic hamza on alef', 'أحمد', 'احمد'],
    ['Persian kaf and yeh', 'کتابی', 'كتابي'],
    ['Hebrew points', 'שָׁלוֹם', 'שלום'],
  ];
  it.each(pairs)('%s: %s', (_reason, accented, folded) => expect(foldAccents(accented)).toBe(folded));

  it.each(['мой', 'हिन्दी', 'がぎ', 'ไทย', '한국', 'தமிழ்'])(
    'keeps marks that make another letter: %s',
    (word) => expect(foldAccents(word)).toBe(word),
  );

  it('is idempotent, and never empties a lexeme', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }), (lexeme) => {
        const folded = foldAccents(lexeme);
        expect(folded).not.toBe('');
        expect(foldAccents(folded)).toBe(folded);
      }),
    );
  });
});

describe('unifyLetters', () => {
  it.each([
    ['ёлка', 'елка'],
    ['за́мок', 'замок'],
    ['мой', 'мой'],
    ['کِتَابی', 'كتابي'],
    ['λόγος', 'λόγοσ'],
    ['việt', 'việt'],
    ['straße', 'straße'],
    ['۱۴۰۲', '1402'],
    ['१९४७', '1947'],
  ])('%s is %s', (word, unified) => expect(unifyLetters(word)).toBe(unified));
});

describe('normaliseText', () => {
  it('limits consecutive combining marks, which NFKC sorts in quadratic time', async () => {
    const usedMs = await usedMsOf(() => {
      expect(normaliseText('\u0301\u0323'.repeat(500_000)).length).toBeLessThan(100);
    });
    expect(usedMs).toBeLessThan(10_000); // quadratic: minutes
  });

  it('keeps the zero-width non-joiner where it separates words', () => {
    expect(normaliseText('می\u200c\u200cشود foo\u200cbar हिन्\u200cदी')).toBe('می\u200cشود foobar हिन्दी');
  });

  it('drops invisible characters and those that PostgreSQL rejects', () => {
    expect(normaliseText('\ufeffa\u00adb\u200d\0\ud800c\u202e')).toBe('abc');
  });
});
