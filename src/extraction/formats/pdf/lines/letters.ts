/** The letters that a glyph stands for. */
import { ACTUAL_TEXT } from '../glyphs/actual-text.ts';
import type { Glyph } from '../glyphs/glyph.ts';

/** Ligatures of Latin, Armenian and Hebrew, shapes of Arabic letters, and forms for vertical lines. */
const SHAPES = /[\ufb00-\ufdff\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc\u00b5\u2126]/;
/** Invisible format characters, but for the non-joiner, which Persian words need, and the soft hyphen. */
const INVISIBLE = /[\p{Cf}--[\u200c\u00ad]]/gv;

/** Adobe's private small capitals and old-style figures, and the ligatures of old fonts (Adobe Glyph List). */
const PRIVATE = /^[\uf001\uf002\uf730-\uf739\uf761-\uf77a\uf7e0-\uf7fe]$/;
const LIGATURES: Record<string, string> = { '\uf001': 'fi', '\uf002': 'fl' };
const lettersOfPrivate = (text: string): string =>
  LIGATURES[text] ?? String.fromCharCode(text.charCodeAt(0) - 0xf700);

/** No glyph joins an alef to a lam after it. A glyph of both is a lam with an alef after it, written backwards. */
const BACKWARD_LAM_ALEF = /^[\u0627\u0622\u0623\u0625\u0671]\p{M}*\u0644$/u;
const SEVERAL_RIGHT_TO_LEFT = /^[\p{Script=Hebrew}\p{Script=Arabic}\p{M}]{2,}$/u;

/**
 * The fonts that write the letters of their ligatures from left to right. Most producers write them in the order of
 * reading, some in the visual order of the line.
 */
export function fontsWithBackwardLigatures(glyphs: Glyph[]): ReadonlySet<string> {
  const backward = glyphs.filter(
    ({ text, font }) => text.length > 1 && font !== ACTUAL_TEXT && BACKWARD_LAM_ALEF.test(text),
  );
  return new Set(backward.map(({ font }) => font));
}

/** The letters in the order of reading, without the shapes that some characters have on the page. */
export function lettersOf({ text, font, start, end }: Glyph, backward: ReadonlySet<string>): string {
  // The usual case costs one comparison.
  if (text.length === 1 && text < '\u007f' && text >= ' ') return text;
  if (PRIVATE.test(text)) return lettersOfPrivate(text);
  const isBackward = backward.has(font) && SEVERAL_RIGHT_TO_LEFT.test(text);
  const letters = (isBackward ? [...text].reverse().join('') : text).replace(INVISIBLE, '');
  // A soft hyphen that can be seen is a hyphen.
  if (letters === '\u00ad') return end > start ? letters : '';
  return SHAPES.test(letters) ? letters.normalize('NFKC') : letters;
}
