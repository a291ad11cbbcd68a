/** Finds superscripts by their size and place. */
import type { Glyph } from '../glyphs/glyphs.ts';

/** A superscript is at most this large, relative to its line's letters: 0.58 in Word, 0.83 in browsers, 0.97 at most. */
const SIZE_MAX = 0.98;
/** Its baseline is raised by this part of their size: a third is usual. */
const RAISED_MIN = 0.15;
const RAISED_MAX = 1.15;
/** It stands this near to a letter of the line's size, in ems. Other small type is a label of its own. */
const NEAR_EMS = 0.25;

/** The superscripts of a line. `base`: a glyph of the line's own size and baseline. */
export function findRaised(line: Glyph[]): { base: Glyph | undefined; raised: ReadonlySet<Glyph> } {
  const base = baseOf(line);
  const raised = new Set<Glyph>();
  if (!base || base.isVertical) return { base, raised };
  for (let i = 0; i < line.length; ) {
    const end = endOfRaised(line, i, base);
    if (end > i && (hasNarrowGap(line, i, base) || hasNarrowGap(line, end, base)))
      for (const glyph of line.slice(i, end)) raised.add(glyph);
    i = Math.max(end, i + 1);
  }
  return { base, raised };
}

function endOfRaised(line: Glyph[], start: number, base: Glyph): number {
  let end = start;
  for (let glyph = line[end]; glyph && isRaised(glyph, base); glyph = line[end]) end++;
  return end;
}

function isRaised({ size, across }: Glyph, base: Glyph): boolean {
  const rise = (across - base.across) / base.size;
  return size <= SIZE_MAX * base.size && rise >= RAISED_MIN && rise <= RAISED_MAX;
}

/** Whether a glyph that is drawn next is a superscript right after the last one of a line with that base. */
export const isMarkBeside = (last: Glyph, base: Glyph, glyph: Glyph): boolean =>
  isRaised(glyph, base) && isNarrow(last, glyph, base) && glyph.start > last.end - NEAR_EMS * base.em;

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
