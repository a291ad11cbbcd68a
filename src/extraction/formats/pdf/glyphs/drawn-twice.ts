/** Leaves out glyphs that are drawn again at nearly the same place: bold type by double strike, and shadows. */
import type { Glyph } from './glyph.ts';

/** Largest distance of a copy from its glyph, in ems: a shadow of 1.5 points in type of 10. */
const COPY_MAX_EMS = 0.15;
/** On the same baseline it is also less than this part of the glyph's width: the letters of "ll" are two. */
const COPY_MAX_WIDTH = 0.49;
/** Baselines are the same that differ by less, in ems. */
const SAME_BASELINE_EMS = 0.03;

/** Glyphs are kept by cells of this size in ems: most copies then stand in the cell of their glyph. */
const CELL_EMS = 1.2;
/** Glyphs of a cell that later ones are compared with. More equal ones are there only where nothing can be read. */
const CELL_MAX = 16;
/** Rows of cells are numbered this far apart: no row has as many cells. */
const ROW = 2 ** 26;

/** Glyphs drawn one after another in the direction of writing. `isDense`: a glyph may be a copy of the glyph before. */
type Row = { across: number; start: number; end: number; em: number; isDense: boolean };

function rowsOf(glyphs: Glyph[]): Row[] {
  const rows: Row[] = [];
  let row: Row | undefined;
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    const { across, start, end, em } = glyph;
    const step =
      last && last.direction === glyph.direction && last.across === across ? start - last.start : -1;
    if (row && step > 0) {
      row.end = Math.max(row.end, end);
      row.em = Math.max(row.em, em);
      row.isDense ||= step <= COPY_MAX_EMS * em;
    } else {
      row = { across, start, end, em, isDense: step === 0 };
      rows.push(row);
    }
    last = glyph;
  }
  return rows;
}

/** Rows that one is compared with; in more, something may overlap. */
const COMPARED_MAX = 50;

/** Whether some rows overlap, or glyphs in a row: nearly no page with text that is drawn once has such rows. */
function haveOverlaps(rows: Row[]): boolean {
  const sorted = rows.toSorted((a, b) => a.across - b.across);
  return sorted.some((row, i) => {
    if (row.isDense) return true;
    for (let j = i + 1; j < sorted.length; j++) {
      const other = sorted[j];
      const reach = COPY_MAX_EMS * Math.max(row.em, other?.em ?? 0);
      if (!other || other.across - row.across > reach) return false;
      if (j - i > COMPARED_MAX) return true;
      if (other.start < row.end + reach && row.start < other.end + reach) return true;
    }
    return false;
  });
}

type Cells = Map<number, Glyph[]>;

/** The glyphs without copies, in the same order. Takes time in proportion to the number of glyphs and of rows. */
export function withoutCopies(glyphs: Glyph[]): Glyph[] {
  if (!haveOverlaps(rowsOf(glyphs))) return glyphs;
  const cellsOf = new Map<string, Cells>();
  return glyphs.filter((glyph) => {
    const cells = cellsOf.get(glyph.text) ?? new Map<number, Glyph[]>();
    cellsOf.set(glyph.text, cells);
    return !hasCopy(cells, glyph) && keep(cells, glyph);
  });
}

/** Whether the glyph is drawn already in the cells that its copies may stand in: its own, seldom its neighbours. */
function hasCopy(cells: Cells, glyph: Glyph): boolean {
  const { start, across, em } = glyph;
  const reach = COPY_MAX_EMS * em;
  const left = cellAt(start - reach, em);
  const right = cellAt(start + reach, em);
  const low = cellAt(across - reach, em);
  const high = cellAt(across + reach, em);
  if (isIn(cells, low * ROW + left, glyph)) return true;
  if (left !== right && isIn(cells, low * ROW + right, glyph)) return true;
  if (low === high) return false;
  return isIn(cells, high * ROW + left, glyph) || (left !== right && isIn(cells, high * ROW + right, glyph));
}

function isIn(cells: Cells, cell: number, glyph: Glyph): boolean {
  const drawn = cells.get(cell);
  return drawn?.some((other) => isCopy(other, glyph)) === true;
}

const cellAt = (place: number, em: number): number => Math.floor(place / (CELL_EMS * em));

function isCopy(drawn: Glyph, { start, end, across, em, direction }: Glyph): boolean {
  const rise = Math.abs(drawn.across - across);
  const shift = Math.abs(drawn.start - start);
  if (rise > COPY_MAX_EMS * em || shift > COPY_MAX_EMS * em || direction !== drawn.direction) return false;
  return rise > SAME_BASELINE_EMS * em || shift <= COPY_MAX_WIDTH * (end - start);
}

function keep(cells: Cells, glyph: Glyph): true {
  const key = cellAt(glyph.across, glyph.em) * ROW + cellAt(glyph.start, glyph.em);
  const drawn = cells.get(key);
  if (!drawn) cells.set(key, [glyph]);
  else if (drawn.length < CELL_MAX) drawn.push(glyph);
  return true;
}
