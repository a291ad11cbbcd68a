/** Finds the gaps of a line that separate words. */
import type { Glyph } from '../glyphs/glyph.ts';
import type { GlyphLine } from './group-lines.ts';
import { withPitch } from './pitch.ts';

/** A gap this many ems wider than the usual one between letters separates words. The narrowest blanks have 0.15. */
const WORD_GAP_EMS = 0.102;
/** Letters that are spaced out are spaced less evenly: a word gap exceeds their gap by this part of it, too. */
const WORD_GAP_SHARE = 0.35;
/** Letters spaced out by blanks have one between them, and two or three between words. */
const WIDER_BLANK = 1.6;
/** What begins this far before the end of the last piece is another text over it; an accent is less far. */
const OVERPRINT_EMS = 0.8;
/** A blank that leaves less than this was taken back by the next movement. */
const BLANK_MIN_EMS = 0.03;
/** Chinese and Japanese have no blanks, but lines are stretched to full width: only a third of a letter is a gap. */
const IDEOGRAPH_GAP_EMS = 0.33;
const isIdeograph = (text: string): boolean => text >= '\u2e80' && IDEOGRAPH.test(text);
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Wider gaps stand between cells, and do not count for the usual gap. */
const LETTER_GAP_MAX_EMS = 1;
/** Narrower ones are none: kerning, and widths that are rounded. */
const LETTER_GAP_MIN_EMS = 0.03;
/** Fewer gaps do not show whether letters are spaced out. */
const SPACED_GAPS_MIN = 3;
/** This share of the gaps is nearly the same where letters are spaced out. */
const SPACED_EVENLY = 0.6;
const EVEN_EMS = 0.05;
/** Figures as far apart as this are several. */
const FIGURES_APART_EMS = 0.6;
const FIGURE = /^\p{Nd}/u;
/** Unless the file sets the spacing of its letters, this share must be letters: figures may be a row of numbers. */
const LETTERS_BETWEEN_BLANKS = 0.8;
const LETTERS_APART = 0.5;

/** For each glyph of the line whether white space stands before it. */
export function findWordGaps(placed: GlyphLine): boolean[] {
  const line = withPitch(placed);
  const spacings = letterSpacings(line);
  return line.map((right, i) => {
    const left = line[i - 1];
    if (!left) return false;
    const own = left.style === right.style ? spacings.get(left.style) : undefined;
    return isWordGap(left, right, own ?? spacingAround(line, i));
  });
}

/** The gap between two neighbours, in ems. */
function gapBetween(left: Glyph, right: Glyph): number {
  const em = Math.max(left.em, right.em);
  return em > 0 ? (right.start - left.end) / em : 0;
}

/** White space was drawn there. */
const isBlank = (left: Glyph, right: Glyph): boolean =>
  right.isAfterBlank || (left.isAfterBlank && left.order > right.order);

/** The usual gap between letters, in ems. `byBlanks`: blanks make it, one after each letter. */
type LetterSpacing = { ems: number; byBlanks: boolean };
const NO_SPACING: LetterSpacing = { ems: 0, byBlanks: false };

/** What the file adds after a letter. */
const setSpacing = ({ spacing, em }: Glyph): LetterSpacing =>
  em > 0 && spacing > 0 ? { ems: spacing / em, byBlanks: false } : NO_SPACING;

/**
 * What the file adds after the letter before, if it does so beside it: some set it for the gap of a word alone. So do
 * others between the figures of a row.
 */
function spacingAround(line: Glyph[], at: number): LetterSpacing {
  const [left, right] = [line[at - 1], line[at]];
  // Most letters have none.
  if (left === undefined || left.spacing <= 0) return NO_SPACING;
  const spacing = setSpacing(left);
  if (spacing.ems > FIGURES_APART_EMS && right && FIGURE.test(left.text) && FIGURE.test(right.text))
    return NO_SPACING;
  const isSame = (a: Glyph | undefined, b: Glyph | undefined): boolean =>
    a !== undefined &&
    b !== undefined &&
    Math.abs(setSpacing(a).ems - spacing.ems) < EVEN_EMS &&
    gapBetween(a, b) > spacing.ems - EVEN_EMS;
  return spacing.ems === 0 ||
    line.length === 2 ||
    isSame(line[at - 2], left) ||
    isSame(line[at], line[at + 1])
    ? spacing
    : NO_SPACING;
}

/** By font and size. Those whose letters mostly touch are left out, which are nearly all. */
function letterSpacings(line: GlyphLine): Map<string, LetterSpacing> {
  const spacings = new Map<string, LetterSpacing>();
  const apart = stylesApart(line);
  if (apart.size === 0) return spacings;
  const gaps = line.flatMap((right, i): Gap[] => {
    const left = line[i - 1];
    if (!left || left.style !== right.style || !apart.has(left.style)) return [];
    const ems = gapBetween(left, right);
    return ems < LETTER_GAP_MAX_EMS ? [{ left, right, ems }] : [];
  });
  for (const [style, own] of Map.groupBy(gaps, ({ left }) => left.style))
    spacings.set(style, letterSpacing(own));
  return spacings;
}

/** The fonts and sizes with enough gaps, half of which separate letters. */
function stylesApart(line: GlyphLine): Set<string> {
  const counts = new Map<string, { all: number; apart: number }>();
  for (let i = 1; i < line.length; i++) {
    const [left, right] = [line[i - 1], line[i]];
    if (!left || !right || left.style !== right.style) continue;
    const ems = gapBetween(left, right);
    if (ems >= LETTER_GAP_MAX_EMS) continue;
    const count = counts.get(right.style) ?? { all: 0, apart: 0 };
    if (count.all === 0) counts.set(right.style, count);
    count.all++;
    if (ems > LETTER_GAP_MIN_EMS) count.apart++;
  }
  const apart = [...counts].filter(([, { all, apart }]) => all >= SPACED_GAPS_MIN && 2 * apart >= all);
  return new Set(apart.map(([style]) => style));
}

/** A gap between letters of one font and size. */
type Gap = { left: Glyph; right: Glyph; ems: number };

/** `gaps`: some, of one font and size. */
function letterSpacing(gaps: Gap[]): LetterSpacing {
  const usual = Float64Array.from(gaps, ({ ems }) => ems).sort()[gaps.length >> 1] ?? 0;
  if (usual <= WORD_GAP_EMS) return { ems: usual, byBlanks: false };
  const set = gaps[0] ? setSpacing(gaps[0].left).ems : 0;
  const byBlanks = gaps.filter(({ left, right }) => isBlank(left, right)).length > gaps.length / 2;
  const isSpaced = isEven(gaps, usual) && (Math.abs(usual - set) < EVEN_EMS || isText(gaps, usual, byBlanks));
  return isSpaced ? { ems: usual, byBlanks } : NO_SPACING;
}

function isEven(gaps: Gap[], usual: number): boolean {
  const same = gaps.filter(({ ems }) => Math.abs(ems - usual) <= Math.max(EVEN_EMS, 0.2 * usual));
  return same.length >= SPACED_EVENLY * gaps.length;
}

/** Whether enough of the glyphs are letters, and follow each other as in words: a row of marks is a list. */
function isText(gaps: Gap[], usual: number, byBlanks: boolean): boolean {
  const text = gaps
    .map(({ ems, right }) => `${ems > WIDER_BLANK * usual ? '  ' : ' '}${right.text}`)
    .join('');
  const letters = text.match(/\p{L}(?!\S)/gu) ?? [];
  const share = byBlanks ? LETTERS_BETWEEN_BLANKS : LETTERS_APART;
  return letters.length >= share * gaps.length && !LISTED_LETTERS.test(text);
}

/** Three equal letters ("X X X"), or a capital after a small letter ("a A b B"). */
const LISTED_LETTERS = /(?<!\S)(\p{L}) \1 \1(?!\S)|\p{Ll} \p{Lu} (?!\p{Lu})/u;

function isWordGap(left: Glyph, right: Glyph, spacing: LetterSpacing): boolean {
  const ems = gapBetween(left, right);
  if (ems < -OVERPRINT_EMS) return true;
  if (spacing.byBlanks) return ems > WIDER_BLANK * spacing.ems;
  if (isBlank(left, right) && ems > BLANK_MIN_EMS) return true;
  if (isIdeograph(left.text) && isIdeograph(right.text)) return ems > spacing.ems + IDEOGRAPH_GAP_EMS;
  return ems > spacing.ems + Math.max(WORD_GAP_EMS, WORD_GAP_SHARE * spacing.ems);
}
