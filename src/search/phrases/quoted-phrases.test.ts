/** The phrases of a query, and how texts may write them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spellPhrase } from './phrase-spellings.ts';
import { readPhrases } from './phrases.ts';
import { endsWithPhrase, quotedTexts, withoutQuoted } from './quoted-phrases.ts';

const textsOf = (query: string) => quotedTexts(query).map(({ text }) => text);

describe('quotation marks', () => {
  test.each([
    ['straight', 'the "blood pressure" of "young people"', ['blood pressure', 'young people']],
    ['English', '“blood pressure” rose', ['blood pressure']],
    ['German', 'der „hohe Blutdruck“ und „Puls”', ['hohe Blutdruck', 'Puls']],
    ['French', 'la « pression artérielle » basse', [' pression artérielle ']],
    ['guillemets that point inwards', 'der »hohe Blutdruck« steigt', ['hohe Blutdruck']],
    ['Swedish', 'högt ”blodtryck idag” sa', ['blodtryck idag']],
    ['Japanese', '「高血圧」と『低血圧』', ['高血圧', '低血圧']],
    ['of full width', '＂高血圧＂', ['高血圧']],
    ['Chinese without spaces', '请问"机器学习"是什么', ['机器学习']],
    ['with a line break', '"blood\npressure"', ['blood\npressure']],
    ['one within another', '「『機械』学習」', ['『機械』学習']],
    ['not closed', 'the "blood pressure', []],
    ['closed before they open', 'pressure” of “blood', []],
    ['a pair and one that is not closed', '"blood" and "pressure', ['blood']],
    ['inches', 'a 5" pipe and a 6" pipe', []],
    ['within Hebrew words', 'צה"ל וארה"ב', []],
    ['around a Hebrew word that has one', 'על "צה"ל היום" נכתב', ['צה"ל היום']],
    ['apostrophes', "it's 'blood pressure'", []],
  ])('%s', (_kind, query, expected) => {
    expect(textsOf(query)).toEqual(expected);
  });

  test('a query has at most as many phrases as can be looked for, and names the others', () => {
    const { spelt, excess } = readPhrases(Array.from({ length: 10 }, (_, i) => `"phrase ${i}"`).join(' '));
    expect(spelt.map(({ text }) => text)).toEqual(Array.from({ length: 8 }, (_, i) => `phrase ${i}`));
    expect(excess).toEqual(['phrase 8', 'phrase 9']);
    const long = 'word '.repeat(200).trim();
    expect(readPhrases(`"${long}" "short one"`)).toMatchObject({
      spelt: [{ text: 'short one' }],
      excess: [long],
    });
  });

  test('punctuation and repeated phrases are none', () => {
    expect(readPhrases('"…" "" "one two" "One, two"').spelt).toHaveLength(1);
  });

  test('the rest of a query', () => {
    expect(withoutQuoted('a "b c" d “e” f').split(/\s+/)).toEqual(['a', 'd', 'f']);
    expect(endsWithPhrase('a "b c" ')).toBe(true);
    expect(endsWithPhrase('a "b c" d')).toBe(false);
    expect(endsWithPhrase('a "b c')).toBe(false);
  });

  test('phrases are parts of the query, in linear time', () => {
    const marks = fc.string({
      unit: fc.constantFrom('"', '“', '”', '„', '«', '»', '「', '」', 'a', ' ', '机'),
      maxLength: 200,
    });
    fc.assert(
      fc.property(marks, (query) => {
        for (const { text, start, end } of quotedTexts(query)) expect(query.slice(start, end)).toBe(text);
        expect(withoutQuoted(query).length).toBeLessThanOrEqual(query.length);
        readPhrases(query);
      }),
    );
    for (const unit of ['"', '„', '"a" ', '“”', '"机器学习习习" ', '「a-b c-d」'])
      readPhrases(unit.repeat(8192 / unit.length));
  });
});

describe('spellings', () => {
  test.each([
    ['of words', 'red dog', ['red dog']],
    ['with a compound among them', 'red brown dog', ['red brown dog', 'red browndog brown dog']],
    ['of a compound', 'the e-mail', ['the email e mail', 'the e mail', 'the email']],
    [
      'with inner capitals',
      'an HTTPServer',
      ['an httpserver http server', 'an http server', 'an httpserver'],
    ],
    ['but not a word without a part of it', 'the iPhone', ['the iphone phone', 'the iphone']],
    ['across a line break of Chinese', '机器学习', ['机器 器学 学习', '机器 学习']],
    ['with a space in Korean', '기계 학습', ['기계 학습', '기계 계학 학습']],
  ])('%s', (_kind, phrase, expected) => {
    expect(spellPhrase(phrase).map((tokens) => tokens.join(' '))).toEqual(expected);
  });

  test('law paragraphs', () => {
    const spellings = spellPhrase('§ 5 Abs.2 Nr. 3').map((tokens) => tokens.join(' '));
    expect(spellings).toContain('5 abs 2 nr 3');
    expect(spellings).toContain('5 abs2 abs 2 nr3 nr 3');
  });

  test('have a bounded number of tokens', () => {
    for (const phrase of ['机器'.repeat(500), 'ab-12 '.repeat(60), 'a b '.repeat(8)])
      expect(spellPhrase(phrase).slice(1).flat().length).toBeLessThanOrEqual(512);
  });
});
