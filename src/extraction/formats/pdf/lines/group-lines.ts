/** Groups the glyphs of a page into lines. */
import type { Glyph } from '../glyphs/glyph.ts';
import { isMarkBeside } from './superscripts.ts';

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

/** A line is taken up again after at most so many others, where two texts are drawn by turns. */
const TURNS_MAX = 3;
/** The letters of one of these texts are at least so many times as large: otherwise it is another cell or column. */
const OTHER_SIZE = 2;

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
  /** The last lines that were drawn on, the latest last. */
  let recent: Draft[] = [];
  for (const piece of piecesOf(glyphs)) {
    const [first] = piece;
    const last = piece.at(-1);
    if (!first || !last) continue;
    const line = lineOf(recent, first) ?? { pieces: [], tallest: first, last };
    if (line.pieces.length === 0) lines.push(line);
    line.pieces.push(piece);
    line.last = last;
    if (first.size > line.tallest.size) line.tallest = first;
    if (line !== recent.at(-1))
      recent = [...recent.filter((other) => other !== line), line].slice(-1 - TURNS_MAX);
  }
  return lines.map(({ pieces }) => pieces.toSorted(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0)).flat());
}

/** The line that a piece belongs to, by its first glyph. */
function lineOf(recent: Draft[], glyph: Glyph): Draft | undefined {
  const line = recent.at(-1);
  return takenUp(recent, glyph) ?? (line && continuesLine(line, glyph) ? line : undefined);
}

/** An earlier line that the glyph stands right after, with lines of quite other sizes since. */
function takenUp(recent: Draft[], glyph: Glyph): Draft | undefined {
  for (const [i, line] of recent.toReversed().entries()) {
    if (i > 0 && line.tallest.style === glyph.style && isRightAfter(line, glyph)) return line;
    const ratio = line.tallest.size / glyph.size;
    if (ratio < OTHER_SIZE && ratio > 1 / OTHER_SIZE) return undefined;
  }
  return undefined;
}

function isRightAfter({ tallest, last }: Draft, { start, across, em, size, direction }: Glyph): boolean {
  const gap = (start - last.end) / em;
  const isLevel = Math.abs(across - tallest.across) <= SAME_PIECE * size;
  return isLevel && direction === last.direction && gap > -BACKWARD_EMS && gap < FORWARD_EMS;
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
  if (isMarkBeside(last, tallest, glyph)) return true;
  const isBackward = glyph.start < last.end - BACKWARD_EMS * glyph.em;
  const limit = isBackward
    ? SAME_LINE_BACKWARD * Math.min(glyph.size, last.size)
    : SAME_LINE * Math.max(tallest.size, glyph.size);
  return Math.abs(glyph.across - tallest.across) <= limit;
}
