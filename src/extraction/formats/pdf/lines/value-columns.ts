/** Puts columns of figures and dates that are drawn apart from their rows into these. */
import type { GlyphLine } from './group-lines.ts';

/** A line with more glyphs is no single figure or date. */
const CELL_LENGTH_MAX = 30;
/** A line of one cell has no gap as wide as this, in ems. */
const CELL_GAP_EMS = 1.5;
/** The cells of a column have the same left or right edge, up to this many ems. */
const SAME_EDGE_EMS = 0.3;
/** Rows are at least this far from each other, and cells of a row differ by less than that, in sizes. */
const NEXT_ROW = 0.6;
const SAME_ROW = 0.25;
/** Fewer cells are no column. */
const CELLS_MIN = 3;
/** This share of a column is figures, and that share of it has other text on its baselines. */
const VALUES_SHARE = 0.75;
const ROWS_SHARE = 0.66;
/** Lines of prose begin with a small letter more often than this, cells of a table do not. */
const PROSE_SHARE = 0.33;
/** More lines on one baseline cannot be read. */
const CELLS_MAX = 50;

/** The lines in the same order, each row where its first cell was. Takes n log n time for n lines. */
export function joinValueColumns(lines: GlyphLine[]): GlyphLine[] {
  const columns = columnsOf(lines);
  if (columns.length === 0) return lines;
  const others = createFinder(lines);
  const rows = new Rows(lines.length);
  for (const column of columns) {
    const found = column
      .map((cell) => ({ cell, others: others(cell) }))
      .filter(({ others }) => others.length > 0);
    const isProse = isRunningText(found.flatMap(({ others }) => others.map((i) => lines[i])));
    if (found.length < ROWS_SHARE * column.length || isProse) continue;
    for (const { cell, others } of found) for (const other of others) rows.join(cell, other);
  }
  const byRow = Map.groupBy(lines.keys(), (i) => rows.firstOf(i));
  return [...byRow.values()].map((cells) => inRow(cells.map((i) => lines[i] ?? [])));
}

/** One line of several, whose cells may stand between those of another. */
function inRow(lines: GlyphLine[]): GlyphLine {
  if (lines.length === 1) return lines[0] ?? [];
  return lines
    .flatMap(cellsOf)
    .sort(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0))
    .flat();
}

function cellsOf(line: GlyphLine): GlyphLine[] {
  const cells: GlyphLine[] = [];
  for (const [i, glyph] of line.entries()) {
    if (i === 0 || isAtGap(line, i)) cells.push([]);
    cells.at(-1)?.push(glyph);
  }
  return cells;
}

/** Which lines are in one row. */
class Rows {
  readonly #earlier: Uint32Array;

  constructor(count: number) {
    this.#earlier = Uint32Array.from({ length: count }, (_, i) => i);
  }

  /** The first line of a line's row. */
  firstOf(line: number): number {
    let first = line;
    for (let next = this.#earlier[first] ?? first; next !== first; next = this.#earlier[first] ?? first) {
      this.#earlier[first] = this.#earlier[next] ?? next;
      first = next;
    }
    return first;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.firstOf(a), this.firstOf(b)];
    this.#earlier[Math.max(first, second)] = Math.min(first, second);
  }
}

/** The columns of figures: the numbers of their lines, with that of a header. */
function columnsOf(lines: GlyphLine[]): number[][] {
  const columns: number[][] = [];
  for (let start = 0; start < lines.length; ) {
    const end = endOfColumn(lines, start);
    const cells = lines.slice(start, end);
    const count = cells.filter(isValue).length;
    if (count >= CELLS_MIN && count >= VALUES_SHARE * cells.length) {
      const first = start > 0 && isHeader(lines[start - 1], lines[start]) ? start - 1 : start;
      columns.push(Array.from({ length: end - first }, (_, i) => first + i));
    }
    start = end;
  }
  return columns;
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

const leftOf = (line: GlyphLine): number => line[0]?.start ?? 0;
const rightOf = (line: GlyphLine): number => line.at(-1)?.end ?? 0;

/** How far a line stands below another, in sizes; nothing where it has another direction. */
function dropBetween([above]: GlyphLine, [line]: GlyphLine): number {
  if (!above || !line || above.direction !== line.direction) return 0;
  return (above.across - line.across) / Math.max(above.size, line.size);
}

const isCell = (line: GlyphLine): boolean =>
  line.length <= CELL_LENGTH_MAX && !line.some((_, i) => isAtGap(line, i));

/** Whether a gap that separates cells stands before a glyph. */
function isAtGap(line: GlyphLine, at: number): boolean {
  const [left, right] = [line[at - 1], line[at]];
  return left !== undefined && right !== undefined && right.start - left.end >= CELL_GAP_EMS * right.em;
}

/** A figure, a date, or a dash for none: `12.50 €`, `3 May 2024`, `–`. */
function isValue(line: GlyphLine): boolean {
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

/** Finds the lines beside a cell: on its baseline, and without a glyph over it. */
function createFinder(lines: GlyphLine[]): (line: number) => number[] {
  const byBaseline = lines
    .keys()
    .toArray()
    .sort((a, b) => acrossOf(lines[a]) - acrossOf(lines[b]));
  return (line) => {
    const cell = lines[line] ?? [];
    const reach = SAME_ROW * (cell[0]?.size ?? 0);
    const found: number[] = [];
    for (
      let at = firstAtLeast(byBaseline, acrossOf(cell) - reach, (i) => acrossOf(lines[i])), seen = 0;
      seen < CELLS_MAX;
      at++, seen++
    ) {
      const other = byBaseline[at];
      if (other === undefined || acrossOf(lines[other]) > acrossOf(cell) + reach) break;
      if (other !== line && isBeside(cell, lines[other] ?? [])) found.push(other);
    }
    return found;
  };
}

const acrossOf = (line: GlyphLine | undefined): number => line?.[0]?.across ?? 0;

function isBeside(cell: GlyphLine, other: GlyphLine): boolean {
  const next = firstAtLeast(other, leftOf(cell), ({ start }) => start);
  const [left, right] = [other[next - 1], other[next]];
  if (cell[0]?.direction !== other[0]?.direction) return false;
  return (
    (left?.end ?? Number.NEGATIVE_INFINITY) <= leftOf(cell) &&
    (right?.start ?? Number.POSITIVE_INFINITY) >= rightOf(cell)
  );
}

/** The place of the first entry with at least this number, where they grow. */
function firstAtLeast<Entry>(sorted: Entry[], least: number, numberOf: (entry: Entry) => number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = sorted[middle];
    if (entry !== undefined && numberOf(entry) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isRunningText(lines: (GlyphLine | undefined)[]): boolean {
  const small = lines.filter((line) => /^\p{Ll}/u.test(line?.[0]?.text ?? ''));
  return small.length > PROSE_SHARE * lines.length;
}
