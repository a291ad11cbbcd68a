/** Classes of characters, for tokens and languages. A table is faster than matching a pattern for each character. */

/**
 * Letters and marks of scripts that write no spaces between words. `〇` is included because it is used as an ideograph.
 */
export const UNSPACED =
  '[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}' +
  '\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}〇]]';

/**
 * Emoji and pictures in the way of one, such as ☎ and ❤. Without arrows, geometric shapes and other signs that stand at
 * names or begin the lines of a list: ©, ↔, ▪.
 */
export const PICTOGRAPH =
  '[\\p{Emoji_Presentation}[\\p{Extended_Pictographic}--[\\0-\\u25ff\\u2b05-\\u2b07\\u3030\\u303d]]]';

/** Characters of scripts without stemmers. */
export const UNSTEMMED_SCRIPTS =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}' +
  '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';

/**
 * Classes of a UTF-16 unit, one bit each; a unit may have several. A surrogate, which is half of a character, has no
 * other class.
 */
export const SURROGATE = 1 << 0;
export const IN_RUN = 1 << 1;
/** Characters that words consist of: letters, marks and numbers that are not `IN_RUN`. */
export const IN_WORD = 1 << 2;
export const UPPER = 1 << 3;
export const LOWER = 1 << 4;
export const NUMBER = 1 << 5;
export const LETTER = 1 << 6;
export const MARK = 1 << 7;
/** Characters that are also indexed one by one (as unigrams), in addition to their bigrams: see tokens.ts. */
export const UNIGRAM_SCRIPT = 1 << 8;
export const UNSTEMMED = 1 << 9;
/** Pictures that are tokens. Pictures of plane 1 are surrogates. */
export const EMOJI = 1 << 10;
/** The table has the unit's classes. Each unit is classified when it first occurs, because all of them take 50 ms. */
const KNOWN = 1 << 11;

const patterns: [flag: number, pattern: RegExp][] = [
  [SURROGATE, /\p{Cs}/u],
  [IN_RUN, new RegExp(UNSPACED, 'v')],
  [IN_WORD, new RegExp(`[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]`, 'v')],
  [UPPER, /\p{Lu}/u],
  [LOWER, /\p{Ll}/u],
  [NUMBER, /\p{N}/u],
  [LETTER, /\p{L}/u],
  [MARK, /\p{M}/u],
  [UNIGRAM_SCRIPT, /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u],
  [UNSTEMMED, new RegExp(UNSTEMMED_SCRIPTS, 'u')],
  [EMOJI, new RegExp(PICTOGRAPH, 'v')],
];

const known = new Uint16Array(0x10000);

/** The classes of a UTF-16 unit: `SURROGATE` for a surrogate, otherwise the classes of the character. */
export function classesOf(unit: number): number {
  const classes = known[unit] as number; // a unit is below 0x10000
  return classes === 0 ? classify(unit) : classes;
}

function classify(unit: number): number {
  const character = String.fromCharCode(unit);
  let classes = KNOWN;
  for (const [flag, pattern] of patterns) if (pattern.test(character)) classes |= flag;
  known[unit] = classes;
  return classes;
}
