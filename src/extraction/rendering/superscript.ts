/** Writes superscripts so that the word before them stays a word, and a power stays a power. */

/** A longer superscript is running text that is set higher, not a mark. */
const MARK_MAX_LENGTH = 40;

const NUMBER_END = /[\d)\]]$/;
/** A unit or variable: one or two letters, such as `m`, `km` or `x`. */
const SYMBOL_END = /(?:^|[^\p{L}\p{M}])(?:\p{Script=Latin}|\p{Script=Greek}){1,2}$/u;
const ROMAN_END = /(?:^|\P{L})[IVXLC]+$/u;

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
  if (mark.length > MARK_MAX_LENGTH || /\s\S+\s/.test(mark)) return ` ${mark}`;
  const isWord = /^\p{L}+\.?$/u.test(mark);
  if (isWord && /\d$/.test(before)) return mark; // 1st
  if (isWord && mark.length <= 3 && (ROMAN_END.test(before) || (mark.length > 1 && SYMBOL_END.test(before))))
    return mark;
  const power = POWERS.get(mark);
  if (power !== undefined && SYMBOL_END.test(before)) return power;
  if (NUMBER_END.test(before) || SYMBOL_END.test(before))
    return /^[\p{L}\p{N}.,]+$/u.test(mark) ? `^${mark}` : `^(${mark})`;
  return /^[[(].*[\])]$/.test(mark) ? ` ${mark}` : ` [${mark}]`;
}
