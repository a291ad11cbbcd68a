/** Leaves out glyphs that are drawn again at nearly the same place: bold type by double strike, and shadows. */
import type { Glyph } from './glyphs.ts';

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

type Cells = Map<number, Glyph[]>;

/** The glyphs without copies, in the same order. Takes time in proportion to their number. */
export function withoutCopies(glyphs: Glyph[]): Glyph[] {
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
