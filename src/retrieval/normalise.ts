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

/** Controls of format, lone surrogates, NUL, and the Arabic kashida that only stretches words. */
const UNWANTED = /[\p{Cf}\p{Cs}\0\u0640]/gu;
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
 * A lexeme without accents, so that `cafe` finds `café`: what NFD splits off from Latin and Greek letters,
 * Arabic vowel signs and hamzas, Hebrew points; and letters that NFD leaves whole (ß, ø, ł …). Marks that
 * make another letter in their script stay: й, Indic vowel signs, Japanese voicing.
 */
export function foldAccents(lexeme: string): string {
  if (UNACCENTED.test(lexeme)) return lexeme;
  const folded = lexeme
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(WHOLE_LETTERS, (letter) => FOLDED_LETTERS[letter] ?? letter);
  return folded === '' ? lexeme : folded; // a lone accent stays: PostgreSQL has no empty lexeme
}

/** ASCII and ideographs: most lexemes, which need not be taken apart to be seen to have no accent. */
const UNACCENTED = /^[\0-\x7f\u3400-\u9fff]*$/;
/** Combining diacritics but the breve of й and ў; Hebrew points; Arabic tashkeel, hamzas, superscript alef. */
const ACCENTS =
  /(?<![иу])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;
/** As in Unicode's Latin-ASCII transform; the Arabic rows as in Lucene's ArabicNormalizer and PersianNormalizer. */
const FOLDED_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ŋ: 'n',
  ς: 'σ',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};
const WHOLE_LETTERS = new RegExp(`[${Object.keys(FOLDED_LETTERS).join('')}]`, 'g');
