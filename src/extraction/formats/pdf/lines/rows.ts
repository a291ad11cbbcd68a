/** Puts columns of figures and marks of lists that are drawn apart from their rows into these. */
import type { GlyphLine } from './group-lines.ts';
import { isAtGap, isValue, leftOf, rightOf, valueColumns } from './value-columns.ts';

/** The cells of a row differ in their baselines by less than this part of their size. */
const SAME_ROW = 0.25;
/** This share of a column has other text on its baselines. */
const ROWS_SHARE = 0.66;
/** Lines of prose begin with a small letter more often than this, cells of a table do not. */
const PROSE_SHARE = 0.33;
/** A mark stands at most this far before its text, in ems. */
const MARK_EMS = 3;
/** More lines on one baseline cannot be read. */
const CELLS_MAX = 50;

/** The lines in the same order, each row where its text was. Takes n log n time for n lines. */
export function joinRows(lines: GlyphLine[]): GlyphLine[] {
  const columns = valueColumns(lines);
  const marks = lines
    .keys()
    .filter((i) => isMark(lines[i] ?? []))
    .toArray();
  if (columns.length === 0 && marks.length === 0) return lines;
  const beside = createFinder(lines);
  const rows = new Rows(lines.length);
  const joined = columns.filter((column) => joinColumn(column));
  if (joined.length > 0) joinRest();
  for (const mark of marks) {
    const text = nextOf(lines, mark, beside(mark));
    if (text !== undefined) rows.join(mark, text);
  }
  return inOrder(lines, rows, joined, marks);

  function joinColumn(column: number[]): boolean {
    const found = column
      .map((cell) => ({ cell, others: beside(cell) }))
      .filter(({ others }) => others.length > 0);
    const isProse = isRunningText(found.flatMap(({ others }) => others.map((i) => lines[i])));
    if (found.length < ROWS_SHARE * column.length || isProse) return false;
    for (const { cell, others } of found) for (const other of others) rows.join(cell, other);
    return true;
  }

  /** Other figures on the baselines of these rows. */
  function joinRest(): void {
    const cells = new Set(joined.flat().flatMap((cell) => [cell, ...beside(cell)]));
    for (const [i, line] of lines.entries()) {
      const other = cells.has(i) || !isFigure(line) ? undefined : beside(i).find((cell) => cells.has(cell));
      if (other !== undefined) rows.join(i, other);
    }
  }
}

/** Not only dashes, or the dots that lead to a figure. */
const isFigure = (line: GlyphLine): boolean =>
  isValue(line) && line.some(({ text }) => /^\p{Nd}/u.test(text));

/** A bullet or a number: `•`, `12.`, `(a)`. */
const MARK = /^(?:[•◦▪▫‣●○■□–*-]|\(?(?:\d{1,3}|\p{L}|[ivxlc]{1,6})[.)])$/u;
const MARK_LENGTH_MAX = 8;

const isMark = (line: GlyphLine): boolean =>
  line.length <= MARK_LENGTH_MAX && MARK.test(line.map(({ text }) => text).join(''));

/** The line that begins next after a mark. */
function nextOf(lines: GlyphLine[], mark: number, others: number[]): number | undefined {
  const end = rightOf(lines[mark] ?? []);
  const distance = (i: number): number => leftOf(lines[i] ?? []) - end;
  const [next] = others.filter((i) => distance(i) >= 0).sort((a, b) => distance(a) - distance(b));
  const em = lines[mark]?.[0]?.em ?? 0;
  return next !== undefined && distance(next) < MARK_EMS * em ? next : undefined;
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

/** Each row is where its text was. Rows of a column follow each other from top to bottom. */
function inOrder(lines: GlyphLine[], rows: Rows, columns: number[][], marks: number[]): GlyphLine[] {
  const apart = new Set([...columns.flat(), ...marks]);
  const cellsOf = Map.groupBy(lines.keys(), (i) => rows.firstOf(i));
  const places = new Map<number, number>();
  for (const [row, cells] of cellsOf) places.set(row, cells.find((i) => !apart.has(i)) ?? row);
  for (const column of columns) {
    const own = [...new Set(column.map((cell) => rows.firstOf(cell)))];
    const sorted = own.map((row) => places.get(row) ?? row).sort((a, b) => a - b);
    own.sort((a, b) => acrossOf(lines[b]) - acrossOf(lines[a]));
    for (const [i, row] of own.entries()) places.set(row, sorted[i] ?? row);
  }
  return [...cellsOf]
    .sort(([a], [b]) => (places.get(a) ?? a) - (places.get(b) ?? b))
    .map(([, cells]) => inRow(cells.map((i) => lines[i] ?? [])));
}

/** One of several lines, whose cells may be between the cells of another. */
function inRow(lines: GlyphLine[]): GlyphLine {
  if (lines.length === 1) return lines[0] ?? [];
  return lines
    .flatMap(cellsIn)
    .sort(([a], [b]) => (a?.start ?? 0) - (b?.start ?? 0))
    .flat();
}

function cellsIn(line: GlyphLine): GlyphLine[] {
  const cells: GlyphLine[] = [];
  for (const [i, glyph] of line.entries()) {
    if (i === 0 || isAtGap(line, i)) cells.push([]);
    cells.at(-1)?.push(glyph);
  }
  return cells;
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

const isBeside = (line: GlyphLine, other: GlyphLine): boolean =>
  line[0]?.direction === other[0]?.direction && cellsIn(line).every((cell) => isFree(other, cell));

/** Whether no glyph of a line stands over a cell. */
function isFree(line: GlyphLine, cell: GlyphLine): boolean {
  const next = firstAtLeast(line, leftOf(cell), ({ start }) => start);
  const [left, right] = [line[next - 1], line[next]];
  return (
    (left === undefined || left.end <= leftOf(cell)) && (right === undefined || right.start >= rightOf(cell))
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
