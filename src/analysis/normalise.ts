/** Makes equal what people take for the same letters: compatibility forms before stemming, accents after it. */

/**
 * A text in the form that tokens are taken from: NFKC (full width, ligatures, composed accents), one
 * apostrophe and one hyphen, without what no search means (soft hyphens, joiners, byte order marks, bidi
 * controls, kashida) and what PostgreSQL refuses (NUL, lone surrogates). Letter case stays.
 */
export function normaliseText(text: string): string {
  if (NORMAL.test(text)) return text;
  return text
    .replace(UNWANTED, '')
    .replace(MARK_FLOOD, (marks) => marks.slice(0, COMBINING_MAX_LENGTH))
    .normalize('NFKC')
    .slice(0, EXPANSION_MAX * text.length + EXPANSION_FREE)
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, '-');
}

/** Printable ASCII but for the backtick, and ideographs: a text of these alone is in this form already. */
const NORMAL = /^[\t\n\r -_a-~\u3400-\u9fff]*$/;

/**
 * Controls of format, lone surrogates, NUL, and the Arabic kashida that only stretches words. The zero-width non-joiner
 * stays between Arabic letters, where it parts words as a space does (see persian.ts); in Indian scripts it only changes
 * how a word looks.
 */
const UNWANTED =
  /[[\p{Cf}\p{Cs}\0\u0640]--\u200c]|(?<![\p{Script=Arabic}\p{M}\u200c])\u200c|\u200c(?!\p{Script=Arabic})/gv;
/**
 * Unicode's "stream-safe" bound (UAX #15 §13). Without it a flood of marks takes quadratic time: 200,000 of
 * them kept `normalize` busy for 11 s.
 */
const COMBINING_MAX_LENGTH = 30;
const MARK_FLOOD = /\p{M}{31,}/gu;
/** How much longer NFKC may make a text: one Arabic ligature (U+FDFA) becomes 18 characters, a million of them not. */
const EXPANSION_MAX = 3;
const EXPANSION_FREE = 100;
const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4`]/g;
const HYPHENS = /[\u2010\u2012\u2212]/g;

/**
 * A lexeme in the letters that its language takes for the same: without Arabic vowel signs and hamzas, Hebrew points
 * and stress marks on Cyrillic letters; ё as е, Persian ی and ک as their Arabic forms, ς as σ, digits of any script as ASCII. Accents of other
 * letters stay, since they may tell words apart: Vietnamese bán, bàn and bạn.
 */
export const unifyLetters = (lexeme: string): string => fold(lexeme, OPTIONAL_MARKS, SAME_LETTERS);

/**
 * A lexeme without accents, so that `cafe` finds `café`: besides what `unifyLetters` does, without what NFD splits off
 * from Latin and Greek letters, and with ASCII for letters that NFD leaves whole (ß, ø, ł …). Marks that make another
 * letter in their script stay: й, Indic vowel signs, Japanese voicing.
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

/** Unicode has the ten digits of a script one after the other, and something else before the zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

/**
 * ASCII, Hangul syllables and ideographs, those of plane 2 by the halves of their surrogate pairs: most lexemes, which
 * need not be taken apart to be seen to have no accent.
 */
const UNACCENTED = /^[\0-\x7f\u3400-\u9fff\uac00-\ud7a3\ud840-\ud87d\udc00-\udfff]*$/;

/** Hebrew points; Arabic tashkeel, hamzas, superscript alef. */
const POINTS = '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670';
/** Combining diacritics but the breve, which makes й and ў. */
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
