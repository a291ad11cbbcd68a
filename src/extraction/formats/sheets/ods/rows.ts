/** Writes the cells and rows of an OpenDocument sheet, of which one may stand for many (part 3, 19.673 and 19.677). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import type { CellText, SheetRow, Span } from '../../../rendering/sheet-table.ts';
import { COLUMNS_MAX, ROWS_MAX } from '../../cell-references.ts';

/** Equal neighbours are written this often. More are the whole width or height of a sheet. */
const REPEATED_MAX = 1_000;

export type RowWriter = {
  beginRow(attributes: Attributes): void;
  /** Adds a cell, or cells with the same text. Empty ones count where others follow them. */
  cell(text: CellText, attributes: Attributes): void;
  /** `isHeader`: whether the row of this number names the columns. */
  endRow(isHeader: (index: number) => boolean): void;
};

type RowTarget = {
  row(row: SheetRow): void;
  countCells(added: number): void;
  /** Called where equal cells or rows are left out. */
  onLimit(): void;
};

/** The merged cells of a row, by their first columns. */
function createSpans() {
  let spans = new Map<number, Span>();
  let last: [column: number, span: Span] | undefined;
  return {
    begin(): void {
      spans = new Map();
      last = undefined;
    },
    all: () => spans,
    /** Ends a merged cell before the next cell of its row. Some programs let it reach over others, which are shown. */
    clipAt(column: number): void {
      const [start, span] = last ?? [];
      if (start !== undefined && span && start + span.columns > column)
        spans.set(start, { ...span, columns: column - start });
      last = undefined;
    },
    add(column: number, span: Span | undefined): void {
      if (!span) return;
      spans.set(column, span);
      last = [column, span];
    },
  };
}

export function rowWriter({ row: writeRow, countCells, onLimit }: RowTarget): RowWriter {
  let index = 0;
  let column = 0;
  let height = 1;
  let cells: CellText[] = [];
  const spans = createSpans();
  const boundedCount = (count: number): number => {
    if (count > REPEATED_MAX) onLimit();
    return Math.min(count, REPEATED_MAX);
  };
  return {
    beginRow(attributes) {
      column = 0;
      height = countOf(attributes, 'number-rows-repeated', ROWS_MAX);
      cells = [];
      spans.begin();
    },
    cell(text, attributes) {
      const count = countOf(attributes, 'number-columns-repeated', COLUMNS_MAX);
      if (text.length > 0 && column < COLUMNS_MAX) {
        const shown = boundedCount(Math.min(count, COLUMNS_MAX - column));
        countCells(column - cells.length + shown);
        while (cells.length < column) cells.push('');
        for (let i = 0; i < shown; i++) cells.push(text);
        spans.clipAt(column);
        spans.add(column, spanOf(attributes));
      }
      column += count;
    },
    endRow(isHeader) {
      if (cells.length > 0) {
        const shown = boundedCount(height);
        countCells((shown - 1) * cells.length);
        for (let row = index; row < index + shown; row++)
          writeRow({ index: row, cells, spans: spans.all(), isHeader: isHeader(row) });
      }
      index += height;
    },
  };
}

function countOf(attributes: Attributes, name: string, max: number): number {
  const count = Math.floor(Number(attribute(attributes, name) ?? 1));
  return count > 1 ? Math.min(count, max) : 1;
}

function spanOf(attributes: Attributes): Span | undefined {
  const rows = countOf(attributes, 'number-rows-spanned', ROWS_MAX);
  const columns = countOf(attributes, 'number-columns-spanned', COLUMNS_MAX);
  return rows > 1 || columns > 1 ? { rows, columns } : undefined;
}
