/** Joins accents that are drawn over letters, as by TeX, whose old fonts have no letters with accents. */
import type { Glyph } from '../glyphs/glyph.ts';

/**
 * Accents that take room of their own, and the combining ones (Unicode, the decompositions of Latin-1 and U+02D8 to
 * U+02DD).
 */
const COMBINING: ReadonlyMap<string, string> = new Map([
  ...([
    ['`', '\u0300'],
    ['\u02cb', '\u0300'],
    ['\u00b4', '\u0301'],
    ['\u02ca', '\u0301'],
    ['\u02c6', '\u0302'],
  ] as const),
  ...([
    ['\u02dc', '\u0303'],
    ['\u00af', '\u0304'],
    ['\u02c9', '\u0304'],
    ['\u02d8', '\u0306'],
    ['\u02d9', '\u0307'],
  ] as const),
  ...([
    ['\u00a8', '\u0308'],
    ['\u02da', '\u030a'],
    ['\u02dd', '\u030b'],
    ['\u02c7', '\u030c'],
    ['\u00b8', '\u0327'],
  ] as const),
  ...([['\u02db', '\u0328']] as const),
]);
/** Letters whose dot the accent replaces. */
const DOTLESS: Record<string, string> = { ı: 'i', ȷ: 'j' };
/** An accent is raised by less, in sizes of its letter: over a capital by a quarter. */
const RAISED_MAX = 0.5;

/** The glyphs in the order of drawing, an accent and its letter as one. */
export function joinAccents(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(isAccent)) return glyphs;
  const joined: Glyph[] = [];
  for (let i = 0; i < glyphs.length; i++) {
    const [glyph, next, last] = [glyphs[i], glyphs[i + 1], joined.at(-1)];
    if (!glyph) continue;
    const withNext = next && withAccent(next, glyph);
    const withLast = !withNext && last && withAccent(last, glyph);
    if (withNext) {
      joined.push({ ...withNext, isAfterBlank: glyph.isAfterBlank || withNext.isAfterBlank });
      i++;
    } else if (withLast) joined.splice(-1, 1, withLast);
    else joined.push(glyph);
  }
  return joined;
}

const isAccent = ({ text }: Glyph): boolean => (text >= '\u00a8' || text === '`') && COMBINING.has(text);

/** The letter with the accent, if that stands over or under it. */
function withAccent(letter: Glyph, accent: Glyph): Glyph | undefined {
  const centre = (accent.start + accent.end) / 2;
  const isOver =
    isAccent(accent) &&
    letter.direction === accent.direction &&
    Math.abs(letter.across - accent.across) < RAISED_MAX * letter.size &&
    centre > letter.start &&
    centre < letter.end;
  if (!isOver) return undefined;
  const text = `${DOTLESS[letter.text] ?? letter.text}${COMBINING.get(accent.text)}`.normalize('NFC');
  return /^\p{L}$/u.test(text) ? { ...letter, text } : undefined;
}
