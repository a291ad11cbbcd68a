/** The columns of a table whose cells may stretch over several rows and columns (HTML standard, 4.9.12). */
import type { Attributes } from '../markup/markup-tokens.ts';

/** A cell: its first column from 0, how many columns and rows it covers, and its text on one line. */
export type Cell = { column: number; width: number; height: number; text: string };

/** A merged cell names each of its rows, and a row those below it, with at most this many UTF-16 units. */
export const LABEL_MAX_LENGTH = 120;

/** Cells stretch over columns up to this one. A hostile row would cost far more than its bytes otherwise. */
const STRETCHED_COLUMNS_MAX = 1_000;
/** HTML's bound; a cell of `rowspan="0"` reaches to the end of its table. */
const HEIGHT_MAX = 65_534;
/** Cells that one row takes over from the rows above; further ones end with their first row. */
const CONTINUED_MAX = 64;

/** How many columns and rows a cell at `column` covers, by its `colspan` and `rowspan`. */
export function extentOf(attributes: Attributes, column: number): Pick<Cell, 'width' | 'height'> {
  const width = spanOf(attributes.get('colspan'), 1);
  return {
    width: Math.max(1, Math.min(width, STRETCHED_COLUMNS_MAX - column)),
    height: spanOf(attributes.get('rowspan'), HEIGHT_MAX),
  };
}

function spanOf(written: string | undefined, ofZero: number): number {
  if (written === undefined) return 1;
  const span = Number.parseInt(written, 10);
  if (span === 0) return ofZero;
  return span > 0 ? Math.min(span, HEIGHT_MAX) : 1;
}

/** The cells that reach from the rows above into the current one. */
export type ContinuedCells = {
  /** The continued cell that covers this column. */
  at(column: number): Cell | undefined;
  /** The first continued cell at or after this column. */
  from(column: number): Cell | undefined;
  /** Ends a row with these new cells. */
  endRow(cells: readonly Cell[]): void;
};

export function continuedCells(): ContinuedCells {
  let continued: Cell[] = [];
  return {
    at: (column) => continued.find((cell) => cell.column <= column && column < cell.column + cell.width),
    from: (column) => continued.find((cell) => cell.column >= column),
    endRow(cells) {
      if (continued.length === 0 && cells.every(({ height }) => height === 1)) return;
      continued = [...continued, ...cells]
        .filter(({ height }) => height > 1)
        .map((cell) => ({ ...cell, height: cell.height - 1 }))
        .sort((a, b) => a.column - b.column)
        .slice(0, CONTINUED_MAX);
    },
  };
}

/**
 * The names of a table's columns from its header rows: `Room | Equipment Projector | Equipment Board`.
 * A row of one cell over all columns precedes them: `Prices: Room | …`.
 */
export function columnNames(headerRows: readonly (readonly Cell[])[]): string {
  const titles: string[] = [];
  const columns: string[][] = [];
  for (const cells of headerRows) {
    const [first] = cells;
    if (first && cells.length === 1 && first.width > 1) titles.push(first.text);
    else for (const cell of cells) addName(columns, cell);
  }
  const names = columns.map((parts) => parts.join(' ')).join(' | ');
  return [...titles, names].filter((part) => /[^\s|]/.test(part)).join(': ');
}

/** Adds a header cell's text to the names of its columns. A long text would drown the texts of several columns. */
function addName(columns: string[][], { column, width, text }: Cell): void {
  const end = column + (text.length > LABEL_MAX_LENGTH ? 1 : width);
  while (columns.length < end) columns.push([]);
  if (text === '') return;
  for (const parts of columns.slice(column, end)) if (!parts.includes(text)) parts.push(text);
}

/** A row may have more cells than a call has arguments. */
export const widthOf = (cells: Cell[]): number =>
  cells.reduce((columns, { column, width }) => Math.max(columns, column + width), 0);
