/** Writes the rows of a sheet as a table. The label of merged cells stands in each of their rows. */
import type { Attributes } from '../markup/markup-tokens.ts';
import { DATA_TABLE, type HtmlRenderer } from './html-renderer.ts';
import { LABEL_MAX_LENGTH } from './table-columns.ts';

/** A cell's text, in runs where parts of it are raised or lowered. */
export type CellText = string | TextRun[];
export type TextRun = { text: string; element?: 'sup' | 'sub' };

/** How many rows and columns a merged cell covers, itself included. */
export type Span = { rows: number; columns: number };

/** A row. `index` and the columns of `spans` count from 0. `isHeader`: the file says that it names the columns. */
export type SheetRow = {
  index: number;
  cells: CellText[];
  spans?: ReadonlyMap<number, Span>;
  isHeader?: boolean;
};

/** The table begins with its first row. */
export type SheetTable = { row(row: SheetRow, cell: 'td' | 'th'): void; end(): void };

export function sheetTable(renderer: HtmlRenderer): SheetTable {
  let isOpen = false;
  let cellsOf = mergedRows();
  return {
    row(row, element) {
      if (!isOpen) renderer.open('table', DATA_TABLE);
      isOpen = true;
      renderer.open('tr');
      for (const { text, columns } of cellsOf(row)) {
        renderer.open(element, columns > 1 ? colspan(columns) : undefined);
        writeCellText(renderer, text);
        renderer.close(element);
      }
      renderer.close('tr');
    },
    end() {
      if (isOpen) renderer.close('table');
      isOpen = false;
      cellsOf = mergedRows();
    },
  };
}

const colspan = (columns: number): Attributes => new Map([['colspan', String(columns)]]);

export function writeCellText(renderer: HtmlRenderer, text: CellText): void {
  for (const run of typeof text === 'string' ? [{ text }] : text) {
    if (run.element) renderer.open(run.element);
    renderer.text(run.text);
    if (run.element) renderer.close(run.element);
  }
}

type ShownCell = { text: CellText; columns: number };

/** Labels that one row takes over from the rows above; further ones stand in their first row alone. */
const LABELS_MAX = 64;

/**
 * Returns a function from a row to its visible cells: those that others cover are left out, and a short label of cells
 * that are merged over several rows is repeated. It takes rows in their order. The renderer's `rowspan` would count
 * empty rows, which are left out here, and of which a sheet may have a million.
 */
function mergedRows(): (row: SheetRow) => ShownCell[] {
  const labels = new Map<number, ShownCell & { end: number }>();
  return ({ index, cells, spans }) => {
    let width = cells.length;
    for (const [column, { end }] of labels) {
      if (end <= index) labels.delete(column);
      else width = Math.max(width, column + 1);
    }
    const shown: ShownCell[] = [];
    for (let column = 0; column < width; ) {
      const { rows = 1, columns = 1 } = spans?.get(column) ?? {};
      const cell = labels.get(column) ?? { text: cells[column] ?? '', columns };
      if (rows > 1 && labels.size < LABELS_MAX && isLabel(cell.text))
        labels.set(column, { ...cell, end: index + rows });
      shown.push(cell);
      column += cell.columns;
    }
    return shown;
  };
}

function isLabel(text: CellText): boolean {
  const length = typeof text === 'string' ? text.length : text.reduce((sum, run) => sum + run.text.length, 0);
  return length > 0 && length <= LABEL_MAX_LENGTH;
}
