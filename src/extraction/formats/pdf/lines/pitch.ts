/** Finds lines whose letters are placed at one distance from each other, as by a typewriter, but have widths. */
import type { Glyph } from '../glyphs/glyph.ts';

/** Distances are the same that differ by less, in ems. */
const SAME_EMS = 0.01;
/** A wider distance separates words, and leaves such a gap, in ems. */
const WORD_GAP_EMS = 0.15;
/** Fewer distances show nothing. */
const DISTANCES_MIN = 3;

/**
 * The glyphs of a line. Where it has a pitch, they are as wide as that unless a blank follows: what is left beside a
 * narrow letter is no gap. Only letters that overlap the next one, as M then does, tell it from the gaps of others.
 */
export function withPitch(line: Glyph[]): Glyph[] {
  const overlapping = line.findIndex(
    (glyph, i) => distanceAfter(line, i) < glyph.end - glyph.start - SAME_EMS * glyph.em,
  );
  if (overlapping < 0 || line.length <= DISTANCES_MIN) return line;
  const pitch = distanceAfter(line, overlapping);
  if (!line.every((_, i) => isPlacedBy(pitch, line, i))) return line;
  return line.map((glyph, i) => {
    const end = Math.max(glyph.end, glyph.start + pitch);
    return line[i + 1]?.isAfterBlank ? glyph : { ...glyph, end };
  });
}

function isPlacedBy(pitch: number, line: Glyph[], i: number): boolean {
  const glyph = line[i];
  const more = distanceAfter(line, i) - pitch;
  if (!glyph || Math.abs(more) < SAME_EMS * glyph.em) return true;
  const gap = Math.min(more, distanceAfter(line, i) - (glyph.end - glyph.start));
  return gap > WORD_GAP_EMS * glyph.em;
}

/** From a glyph to the next one; endless after the last one. */
function distanceAfter(line: Glyph[], i: number): number {
  const [glyph, next] = [line[i], line[i + 1]];
  return glyph && next ? next.start - glyph.start : Number.POSITIVE_INFINITY;
}
