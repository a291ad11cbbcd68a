/** Finds columns of figures and dates, whose cells are drawn one below the other. */
import type { GlyphLine } from './group-lines.ts';

/** A line with more glyphs is no single figure or date. */
const CELL_LENGTH_MAX = 30;
/** A line of one cell has no gap as wide as this, in ems. */
const CELL_GAP_EMS = 1.5;
/** The cells of a column have the same left or right edge, up to this many ems. */
const SAME_EDGE_EMS = 0.3;
/** Cells of a column are at least this far below each other, in sizes. */
const NEXT_ROW = 0.6;
/** Fewer cells are no column. */
const CELLS_MIN = 3;
/** This share of a column is figures. */
const VALUES_SHARE = 0.75;

/** The columns of figures: the numbers of their lines, the line of a header included. */
export function valueColumns(lines: GlyphLine[]): number[][] {
  const columns: number[][] = [];
  for (let start = 0; start < lines.length; ) {
    const end = endOfColumn(lines, start);
    const cells = lines.slice(start, end);
    const count = cells.filter(isValue).length;
    if (count >= CELLS_MIN && count >= VALUES_SHARE * cells.length) {
      const first = start > 0 && isHeader(lines[start - 1], lines[start]) ? start - 1 : start;
      const last = hasSameStart(lines[end], lines[end - 1]) ? end : end - 1;
      columns.push(Array.from({ length: last - first + 1 }, (_, i) => first + i));
    }
    start = end;
  }
  return columns;
}

/** Whether a line begins below or above a cell: the last cell of a column may be followed by the rest of its row. */
function hasSameStart(line: GlyphLine | undefined, cell: GlyphLine | undefined): boolean {
  if (!line || !cell || Math.abs(dropBetween(line, cell)) < NEXT_ROW) return false;
  return Math.abs(leftOf(line) - leftOf(cell)) < SAME_EDGE_EMS * (cell[0]?.em ?? 0);
}

/** The end of a run of cells below each other, or above each other. */
function endOfColumn(lines: GlyphLine[], start: number): number {
  const [first, second] = [lines[start], lines[start + 1]];
  if (!first || !isCell(first) || !second) return start + 1;
  const sign = Math.sign(dropBetween(first, second));
  let [sameLeft, sameRight] = [true, true];
  let end = start + 1;
  for (let above = first, cell = lines[end]; cell && isCell(cell); above = cell, cell = lines[end]) {
    const em = SAME_EDGE_EMS * (cell[0]?.em ?? 0);
    sameLeft &&= Math.abs(leftOf(cell) - leftOf(first)) < em;
    sameRight &&= Math.abs(rightOf(cell) - rightOf(first)) < em;
    if (!(sameLeft || sameRight) || sign * dropBetween(above, cell) < NEXT_ROW) break;
    end++;
  }
  return end;
}

export const leftOf = (line: GlyphLine): number => line[0]?.start ?? 0;
export const rightOf = (line: GlyphLine): number => line.at(-1)?.end ?? 0;

/** How far a line stands below another, in sizes; nothing where it has another direction. */
function dropBetween([above]: GlyphLine, [line]: GlyphLine): number {
  if (!above || !line || above.direction !== line.direction) return 0;
  return (above.across - line.across) / Math.max(above.size, line.size);
}

/** A line of one cell, or of figures alone. */
const isCell = (line: GlyphLine): boolean =>
  line.length <= CELL_LENGTH_MAX && (!line.some((_, i) => isAtGap(line, i)) || isValue(line));

/** Whether a gap that separates cells stands before a glyph. */
export function isAtGap(line: GlyphLine, at: number): boolean {
  const [left, right] = [line[at - 1], line[at]];
  return left !== undefined && right !== undefined && right.start - left.end >= CELL_GAP_EMS * right.em;
}

/** Figures, dates, or dashes for none: `12.50 €`, `3 May 2024`, `–`. */
export function isValue(line: GlyphLine): boolean {
  if (line.length > CELL_LENGTH_MAX) return false;
  const text = line.map((glyph) => glyph.text).join('');
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters === 0 || letters <= (text.match(/\p{Nd}/gu)?.length ?? 0);
}

/** Whether a cell stands beyond the first one of a column, over its width. */
function isHeader(line: GlyphLine | undefined, first: GlyphLine | undefined): boolean {
  if (!line || !first || !isCell(line)) return false;
  return (
    Math.abs(dropBetween(line, first)) >= NEXT_ROW &&
    leftOf(line) < rightOf(first) &&
    leftOf(first) < rightOf(line)
  );
}
