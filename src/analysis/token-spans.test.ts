import { describe, expect, it } from 'vitest';
import { readSpans } from './token-spans.ts';
import { tokenise } from './tokens.ts';

/** The characters of `text` in the range of each of these tokens. */
const rangesOf = (text: string, ...tokens: string[]) => {
  const characters = [...text];
  const spans = readSpans(text).tokens;
  return tokens.map((token) =>
    spans
      .filter((span) => span.token === token)
      .map(({ start, end }) => characters.slice(start, end).join('')),
  );
};

const TEXTS = [
  'The U.S. committee’s e-mail (re: Node.js 1.10, 12,345.67 FY2018 100mg) isn’t in C:\\temp\\a_b.txt, C++ or .NET.',
  'Die Kündigungsfrist — für „Straßenbahnen“ — beträgt zwei Monate. co\u00adop\u00ader\u00ada\u00adtion ﬁnal ﬃ',
  '北京大学位于中国。ﾊﾟｿｺﾝとカタカナ、㍿、漢字かな交じり文。\u{20000}\u{20001}',
  '대한민국 서울 학교에서 \u1112\u1161\u11ab\u1100\u1173\u11af',
  'ประเทศไทยมีประชากร ๗๐ ล้านคน',
  'می‌شود و می شود، کتاب‌ها را خواندم. اَلسَّلامُ عَلَيْكُم ـــكتابـــ ﷺ',
  'हिन्दी क्‍या है',
  'İstanbul ISTANBUL straße STRASSE e\u0301te\u0301 \ufb01 \u{1d400}\u{1d401} 👩‍🚀 x²',
  '\ud800 lone \udc00 \0 zero\u200bwidth \ufeffmark',
  `a${'\u0301'.repeat(100)}b`,
  '',
];

describe('readSpans', () => {
  it.each(TEXTS)('has the tokens of tokenise, in order, within the text: %j', (text) => {
    const spans = readSpans(text).tokens;
    expect(spans.map(({ token }) => token)).toEqual(tokenise(text).tokens);
    for (const { start, end } of spans) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeGreaterThan(start);
      expect(end).toBeLessThanOrEqual([...text].length);
    }
  });

  it('covers words as the text writes them', () => {
    const text = '😀 Die STRASSE, co\u00adop und e\u0301te\u0301; ﬁnal. 👩‍🚀 x';
    expect(rangesOf(text, 'strasse', 'coop', 'été', 'final', 'x')).toEqual([
      ['STRASSE'],
      ['co\u00adop'],
      ['e\u0301te\u0301'],
      ['ﬁnal'],
      ['x'],
    ]);
  });

  it('covers parts of compounds, and the compound for what it shows differently', () => {
    expect(rangesOf('See getUserById or Node.js, FY2018.', 'user', 'js', 'nodejs', 'fy', '2018')).toEqual([
      ['User'],
      ['js'],
      ['Node.js'],
      ['FY'],
      ['2018'],
    ]);
  });

  it('covers bigrams, also of half-width, decomposed and rare characters', () => {
    expect(rangesOf('在北京北京。', '北京', '京北')).toEqual([['北京', '北京'], ['京北']]);
    expect(rangesOf('ﾊﾟｿｺﾝ', 'パソ', 'コン')).toEqual([['ﾊﾟｿ'], ['ｺﾝ']]);
    expect(rangesOf('\u1112\u1161\u11ab\u1100\u1173\u11af', '한글')).toEqual([
      ['\u1112\u1161\u11ab\u1100\u1173\u11af'],
    ]);
    expect(rangesOf('x \u{20000}\u{20001}\u{20002}', '\u{20001}\u{20002}')).toEqual([['\u{20001}\u{20002}']]);
  });

  it('covers both words around a zero-width non-joiner', () => {
    expect(rangesOf('او می‌شود.', 'می', 'شود')).toEqual([['می'], ['شود']]);
  });
});
