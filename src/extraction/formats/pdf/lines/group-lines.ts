/** Groups the glyphs of a page into lines. */
import type { Glyph } from '../glyphs/glyphs.ts';

/** A line's glyphs from left to right (of vertical text: from top to bottom). */
export type GlyphLine = Glyph[];

/** A glyph that begins this far before the end of the last one, in ems, belongs to another piece of the line. */
const BACKWARD_EMS = 0.2;
/** So does one that follows at this distance: it may be another cell of a table. */
const FORWARD_EMS = 0.6;
/** Accents are drawn over the letter before or after them. */
const ACCENT_EMS = 1.5;
/** Pieces differ in their baselines by more than this part of their size. */
const SAME_PIECE = 0.1;
/** The pieces of a line differ by less than this part of the tallest one's size: superscripts are raised by a third. */
const SAME_LINE = 0.5;
/** Where the next piece stands further left, and differs by this part of the smaller size, it is the next line. */
const SAME_LINE_BACKWARD = 0.7;

/** Glyphs that follow each other on one baseline. */
type Piece = Glyph[];
/** `tallest`: the first of its largest glyphs. */
type Draft = { pieces: Piece[]; tallest: Glyph; last: Glyph };

/**
 * The lines in the order of drawing, which is usually the reading order: what is drawn one after another on nearly the
 * same baseline is a line, in whatever order. Columns of prose that are drawn one after another stay apart.
 */
export function groupLines(glyphs: Glyph[]): GlyphLine[] {
  const lines: Draft[] = [];
  for (const piece of piecesOf(glyphs)) {
    const [first] = piece;
    const last = piece.at(-1);
    if (!first || !last) continue;
    const line = lines.at(-1);
    if (!line || !continuesLine(line, first)) lines.push({ pieces: [piece], tallest: first, last });
    else {
      line.pieces.push(piece);
      line.last = last;
      if (first.size > line.tallest.size) line.tallest = first;
    }
  }
  return lines.map(({ pieces }) => pieces.toSorted(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0)).flat());
}

function piecesOf(glyphs: Glyph[]): Piece[] {
  const pieces: Piece[] = [];
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (last && continuesPiece(last, glyph)) pieces.at(-1)?.push(glyph);
    else pieces.push([glyph]);
    last = glyph;
  }
  return pieces;
}

function continuesPiece(last: Glyph, { start, end, across, em, size, direction }: Glyph): boolean {
  if (direction !== last.direction) return false;
  const widest = Math.max(em, last.em);
  const gap = start - last.end;
  if (end === start && Math.abs(gap) < ACCENT_EMS * widest) return true;
  const isLevel = Math.abs(across - last.across) <= SAME_PIECE * Math.max(size, last.size);
  return isLevel && gap > -BACKWARD_EMS * widest && gap < FORWARD_EMS * widest;
}

function continuesLine({ tallest, last }: Draft, glyph: Glyph): boolean {
  if (glyph.direction !== last.direction) return false;
  const isBackward = glyph.start < last.end - BACKWARD_EMS * glyph.em;
  const limit = isBackward
    ? SAME_LINE_BACKWARD * Math.min(glyph.size, last.size)
    : SAME_LINE * Math.max(tallest.size, glyph.size);
  return Math.abs(glyph.across - tallest.across) <= limit;
}
