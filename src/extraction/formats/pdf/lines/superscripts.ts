/** Finds superscripts by their size and place. */
import type { Glyph } from '../glyphs/glyph.ts';

/**
 * A superscript is at most this large, relative to its line's letters: 0.58 in Word, 0.83 in browsers, 0.97 at most.
 */
const SIZE_MAX = 0.98;
/** Its baseline is raised by this part of their size: a third is usual. */
const RAISED_MIN = 0.15;
const RAISED_MAX = 1.15;
/** It stands this near to a letter of the line's size, in ems. Other small type is a label of its own. */
const NEAR_EMS = 0.25;
/**
 * Some programs raise a mark without making it smaller. It is this short, raised by this much, and touches its word.
 */
const FULL_SIZE = { glyphs: 4, raisedMin: 0.25, raisedMax: 0.75, nearEms: 0.1 };
/** The rest of such a line is level: letters on an arc are no superscripts. */
const LEVEL = 0.1;

/** The superscripts of a line. `base`: a glyph of the line's own size and baseline. */
export function findRaised(line: Glyph[]): { base: Glyph | undefined; raised: ReadonlySet<Glyph> } {
  const base = baseOf(line);
  const raised = new Set<Glyph>();
  if (!base || base.isVertical) return { base, raised };
  const level = countLevel(line, base);
  if (level === line.length) return { base, raised };
  const takesFullSize = 2 * level >= line.length;
  for (let i = 0; i < line.length; ) {
    const small = endOf(line, i, (glyph) => isRaised(glyph, base));
    const end = small > i || !takesFullSize ? small : endOf(line, i, (glyph) => isRaisedInFull(glyph, base));
    const isMark =
      small > i
        ? hasNarrowGap(line, i, base) || hasNarrowGap(line, end, base)
        : end > i && end - i <= FULL_SIZE.glyphs && touchesBefore(line, i, base);
    if (isMark) for (const glyph of line.slice(i, end)) raised.add(glyph);
    i = Math.max(end, i + 1);
  }
  return { base, raised };
}

function endOf(line: Glyph[], start: number, isIn: (glyph: Glyph) => boolean): number {
  let end = start;
  for (let glyph = line[end]; glyph && isIn(glyph); glyph = line[end]) end++;
  return end;
}

function isRaised({ size, across }: Glyph, base: Glyph): boolean {
  const rise = (across - base.across) / base.size;
  return size <= SIZE_MAX * base.size && rise >= RAISED_MIN && rise <= RAISED_MAX;
}

function isRaisedInFull({ size, across }: Glyph, base: Glyph): boolean {
  const rise = (across - base.across) / base.size;
  return (
    Math.abs(size - base.size) <= LEVEL * base.size &&
    rise >= FULL_SIZE.raisedMin &&
    rise <= FULL_SIZE.raisedMax
  );
}

/** The number of glyphs on the baseline. */
function countLevel(line: Glyph[], base: Glyph): number {
  let count = 0;
  for (const { across } of line) if (Math.abs(across - base.across) <= LEVEL * base.size) count++;
  return count;
}

function touchesBefore(line: Glyph[], at: number, base: Glyph): boolean {
  const [left, right] = [line[at - 1], line[at]];
  return left !== undefined && right !== undefined && touches(left, right, base);
}

const touches = (left: Glyph, right: Glyph, { em }: Glyph): boolean =>
  Math.abs(right.start - left.end - left.spacing) <= FULL_SIZE.nearEms * em;

/** Whether a glyph that is drawn next is a superscript right after the last one of a line with that base. */
export const isMarkBeside = (last: Glyph, base: Glyph, glyph: Glyph): boolean =>
  isRaised(glyph, base)
    ? isNarrow(last, glyph, base) && glyph.start > last.end - NEAR_EMS * base.em
    : isRaisedInFull(glyph, base) && touches(last, glyph, base);

const isNarrow = (left: Glyph, right: Glyph, { em }: Glyph): boolean =>
  right.start - left.end - left.spacing < NEAR_EMS * em;

/** Whether the gap before a glyph is narrow. */
function hasNarrowGap(line: Glyph[], at: number, base: Glyph): boolean {
  const [left, right] = [line[at - 1], line[at]];
  return left !== undefined && right !== undefined && isNarrow(left, right, base);
}

/** Larger letters count for more: a word with many superscripts is still the line's own. */
function baseOf(line: Glyph[]): Glyph | undefined {
  const [first] = line;
  if (line.every(({ size }) => size === first?.size)) return first;
  const weights = new Map<number, { weight: number; glyph: Glyph }>();
  for (const glyph of line) {
    const size = Math.round(glyph.size * 2);
    const found = weights.get(size);
    if (found) found.weight += glyph.size ** 2;
    else weights.set(size, { weight: glyph.size ** 2, glyph });
  }
  let base: { weight: number; glyph: Glyph } | undefined;
  for (const entry of weights.values()) if (!base || entry.weight > base.weight) base = entry;
  return base?.glyph;
}
