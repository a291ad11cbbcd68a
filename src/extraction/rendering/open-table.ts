/** The state of a table and of its row while they are written, and the rows that were. */
import { type Cell, type ContinuedCells, continuedCells } from './table-columns.ts';
import type { Anchor, TextWriter } from './text-writer.ts';

/** `column`: the next free one. `separated`: the column before which the last separator stands. */
export type OpenRow = {
  start: Anchor;
  begin: number;
  column: number;
  separated: number;
  isBegun: boolean;
  cell: OpenCell | undefined;
  cells: Cell[];
  headerCells: number;
};
type OpenCell = Omit<Cell, 'text'> & { start: Anchor };

export type Row = { start: Anchor; end: number; cells: Cell[]; isHeader: boolean };

export type OpenTable = {
  /** The table stands in a row that must not be broken. */
  isInner: boolean;
  /** The table has header cells, or declares itself a table. */
  hasHeaders: boolean;
  isInHead: boolean;
  /** Other tables stand in it, each with a header of its own: it is page layout. */
  isLayout: boolean;
  row: OpenRow | undefined;
  continued: ContinuedCells;
  /** The first rows while they may all be the header; undefined once a row below them has been read. */
  leading: Row[] | undefined;
  header: string;
  columns: number;
  rows: Rows[];
};

export const newTable = (isInner: boolean, hasHeaders: boolean): OpenTable => ({
  isInner,
  hasHeaders,
  isInHead: false,
  isLayout: false,
  row: undefined,
  continued: continuedCells(),
  leading: [],
  header: '',
  columns: 0,
  rows: [],
});

export const newRow = (writer: TextWriter): OpenRow => ({
  start: writer.anchor(),
  begin: writer.end(),
  column: 0,
  separated: 0,
  isBegun: false,
  cell: undefined,
  cells: [],
  headerCells: 0,
});

/** Rows that follow each other below the same names. */
export type Rows = { start: Anchor; end: number; header: string };

/** Adds rows to the last ones if they have the same header. Others begin where those end, with the line break. */
export function addTo(rows: Rows[], added: Rows): void {
  const last = rows.at(-1);
  if (last?.header === added.header) last.end = added.end;
  else rows.push(last ? { ...added, start: { offset: last.end } } : added);
}
