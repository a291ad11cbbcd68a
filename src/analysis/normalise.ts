/** Unifies letters that readers treat as the same: compatibility forms before stemming, accents after it. */

/**
 * A text → the form that is tokenised.
 *
 * - NFKC (full width, ligatures, composed accents), one apostrophe and one hyphen.
 * - Without characters that are irrelevant to a search (soft hyphens, joiners, byte order marks, bidi controls,
 *   kashida, variation selectors).
 * - Without characters that PostgreSQL rejects (NUL, lone surrogates).
 * - With its letter case.
 */
export function normaliseText(text: string): string {
  if (NORMAL.test(text)) return text;
  return text
    .replace(UNWANTED, '')
    .replace(MANY_MARKS, (marks) => marks.slice(0, COMBINING_MAX_LENGTH))
    .normalize('NFKC')
    .slice(0, EXPANSION_MAX * text.length + EXPANSION_FREE)
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, '-')
    .replace(ARABIC_SEPARATORS, (separator) => (separator === '\u066b' ? '.' : ','));
}

/** Printable ASCII without the backtick, and ideographs: a text of these alone is normalised already. */
const NORMAL = /^[\t\n\r -_a-~\u3400-\u9fff]*$/;

/**
 * Format controls, variation selectors, lone surrogates, NUL, and the Arabic kashida, which only stretches words. The
 * zero-width non-joiner stays between Arabic letters, where it separates words as a space does (see persian.ts). In
 * Indian scripts it only changes the look of a word.
 */
const UNWANTED = new RegExp(
  String.raw`[[\p{Cf}\p{Cs}\p{Variation_Selector}\0\u0640]--\u200c]` +
    String.raw`|(?<![\p{Script=Arabic}\p{M}\u200c])\u200c|\u200c(?!\p{Script=Arabic})`,
  'gv',
);
/**
 * Unicode's "stream-safe" bound (UAX #15 §13). Without it, many combining marks in a row take quadratic time: 200,000
 * of them kept `normalize` busy for 11 s.
 */
const COMBINING_MAX_LENGTH = 30;
const MANY_MARKS = /\p{M}{31,}/gu;
/** The most that NFKC may lengthen a text. One Arabic ligature (U+FDFA) becomes 18 characters. */
const EXPANSION_MAX = 3;
const EXPANSION_FREE = 100;
const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4`]/g;
const HYPHENS = /[\u2010\u2012\u2212]/g;
/** The decimal and the thousands separator. */
const ARABIC_SEPARATORS = /[\u066b\u066c]/g;

/**
 * A lexeme → the same lexeme in one form of each letter.
 *
 * - Without Arabic vowel signs and hamzas, Hebrew points, and stress marks on Cyrillic letters.
 * - ё → е, Persian ی and ک → their Arabic forms, ς → σ, digits of any script → ASCII.
 *
 * Accents of other letters stay, because they may distinguish words: Vietnamese bán, bàn and bạn.
 */
export const unifyLetters = (lexeme: string): string => fold(lexeme, OPTIONAL_MARKS, SAME_LETTERS);

/**
 * A lexeme → the same without accents, so that `cafe` finds `café`. In addition to `unifyLetters`, it removes the marks
 * that NFD separates from Latin and Greek letters, and replaces letters that NFD keeps whole (ß, ø, ł …) by ASCII.
 * Marks that make another letter in their script stay: й, Indic vowel signs, Japanese voicing.
 */
export const foldAccents = (lexeme: string): string => fold(lexeme, ALL_ACCENTS, FOLDED_LETTERS);

function fold(lexeme: string, marks: RegExp, letters: ReadonlyMap<string, string>): string {
  if (UNACCENTED.test(lexeme)) return lexeme;
  const folded = lexeme
    .normalize('NFD')
    .replace(marks, '')
    .normalize('NFC')
    .replace(WHOLE_LETTERS, (letter) => letters.get(letter) ?? letter)
    .replace(DIGITS, asciiDigit);
  return folded === '' ? lexeme : folded; // a lone accent stays: PostgreSQL has no empty lexeme
}

/** Decimal digits of all scripts: ۱۴۰۲, १४०२ and 1402 are one number. */
const DIGIT = /[\p{Nd}--[0-9]]/v;
const DIGITS = new RegExp(DIGIT, 'gv');

/** The same text with ASCII digits. Those of two UTF-16 units stay, so that its length is the same. */
export const asciiDigits = (text: string): string =>
  ASCII.test(text) ? text : text.replace(DIGITS, (digit) => (digit.length === 1 ? asciiDigit(digit) : digit));

const ASCII = /^[\0-\x7f]*$/;

/** Digit of any script → ASCII. In Unicode, a script's ten digits are consecutive, and no digit precedes the zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

/**
 * ASCII, Hangul syllables and ideographs (of plane 2: the halves of their surrogate pairs). Most lexemes
 * consist of these and need no decomposition to show that they have no accent.
 */
const UNACCENTED = /^[\0-\x7f\u3400-\u9fff\uac00-\ud7a3\ud840-\ud87d\udc00-\udfff]*$/;

/** Hebrew points; Arabic tashkeel, hamzas, superscript alef. */
const POINTS = '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670';
/** Combining diacritics except the breve, which makes й and ў. */
const DIACRITICS = '\u0300-\u0305\u0307-\u036f';
const BREVE = '(?<![иу])\u0306';
const OPTIONAL_MARKS = new RegExp(
  `[${POINTS}]|(?<=\\p{Script=Cyrillic})(?:${BREVE}|[${DIACRITICS}])[${DIACRITICS}]*`,
  'gu',
);
const ALL_ACCENTS = new RegExp(`${BREVE}|[${DIACRITICS}${POINTS}]`, 'gu');

/** The Arabic rows as in Lucene's ArabicNormalizer and PersianNormalizer. */
const SAME_LETTERS = new Map([
  ['ς', 'σ'],
  ['ٱ', 'ا'],
  ['ى', 'ي'],
  ['ی', 'ي'],
  ['ک', 'ك'],
  ['ة', 'ه'],
]);
/** The Latin rows as in Unicode's Latin-ASCII transform. */
const FOLDED_LETTERS = new Map([
  ...SAME_LETTERS,
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ł', 'l'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['ŧ', 't'],
  ['ŋ', 'n'],
]);
const WHOLE_LETTERS = new RegExp(`[${[...FOLDED_LETTERS.keys()].join('')}]`, 'g');
