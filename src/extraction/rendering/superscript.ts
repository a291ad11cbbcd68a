/** Writes superscripts so that the word before them stays a word, and a power stays a power. */

/** A longer superscript is running text that is set higher, not a mark. */
const MARK_MAX_LENGTH = 40;

const NUMBER_END = /\d$/;
/** A year, or a number of more digits than a base has: a superscript after it is a note. */
const NO_BASE_END = /(?:\d{5}|(?<!\d)(?:1[5-9]|20)\d\d|\d[.,]\d{3})$/;
const BRACKET_END = /\)$/;
/** A unit or variable: one or two letters, such as `m`, `km` or `x`. */
const SYMBOL_END = /(?:^|[^\p{L}\p{M}])(?:\p{Script=Latin}|\p{Script=Greek}){1,2}$/u;
const ROMAN_END = /(?:^|\P{L})[IVXLC]+$/u;
/** Ordinals after a number: English, French, Spanish, Portuguese, Italian, Catalan. */
const ORDINAL = /^(?:st|nd|rd|th|e|er|re|me|ère|ème|nde?|[oa]s?|[ºª])\.?$/;
const SHORT_NUMBER_END = /(?<!\d|\d[.,])\d{1,3}\.?$/;

const POWERS = new Map([
  ['2', '²'],
  ['3', '³'],
]);
const SIGNS = new Map([
  ['TM', '™'],
  ['SM', '℠'],
  ['R', '®'],
]);

/**
 * The text of a superscript right after `before`, the end of the text so far ('' where nothing touches it).
 * Notes: `membership [3]`, `euros [a]`. Powers: `10^3`, `m²`, `x^n`. Ordinals and abbreviations: `1st`, `XXe`, `Mme`.
 */
export function superscript(before: string, mark: string): string {
  if (before === '' || mark === '') return mark;
  const sign =
    SIGNS.get(mark) ?? (/^[^\p{L}\p{N}]$/u.test(mark) && !/[*†‡§¶#]/.test(mark) ? mark : undefined);
  if (sign !== undefined) return sign;
  if (/^[:;,.]/.test(mark)) return mark; // a page after a note: [25]: 210
  if (/^[[(].*[\])]$/.test(mark) || mark.length > MARK_MAX_LENGTH || /\s\S+\s/.test(mark)) return ` ${mark}`;
  if (isPartOfWord(before, mark)) return mark;
  const power = POWERS.get(mark);
  if (power !== undefined && SYMBOL_END.test(before)) return power;
  if (!isPower(before, mark)) return ` [${mark}]`;
  return /^[\p{L}\p{N}.,]+$/u.test(mark) ? `^${mark}` : `^(${mark})`;
}

/** `1st`, `XXe`, `Mme` */
function isPartOfWord(before: string, mark: string): boolean {
  if (SHORT_NUMBER_END.test(before) || ROMAN_END.test(before)) return ORDINAL.test(mark);
  return /^\p{L}{2,3}\.?$/u.test(mark) && SYMBOL_END.test(before);
}

/** `10^3`, `x^n`, `(1+p)^n`; but after `(2031)` or a year a number is a note. */
function isPower(before: string, mark: string): boolean {
  if (BRACKET_END.test(before)) return /^(?:\d|[-+−–]?\p{L}.{0,8}|[-+−–]\d+)$/u.test(mark);
  return (
    SYMBOL_END.test(before) || (NUMBER_END.test(before) && !NO_BASE_END.test(before) && !/^[a-z]$/.test(mark))
  );
}
