/** Writes HTML tables as text: one row a line, cells separated by ` | `. */
import type { Table } from '../../indexing/split/extracted-text.ts';
import type { Attributes } from '../markup/markup-tokens.ts';
import type { Anchor, TextWriter } from './text-writer.ts';

type Row = { start: Anchor; begin: number; cells: number; headerCells: number };
/** `isInner`: the table stands in a row that must not be broken. */
type OpenTable = {
  isInner: boolean;
  start: Anchor;
  rows: number;
  row: Row | undefined;
  header: Written | undefined;
  /** The table has header cells, or declares itself a table. */
  hasHeaders: boolean;
};
type Written = { start: Anchor; end: number };

export type TableWriter = {
  /** `role="table"` declares that the table is not page layout, with or without header cells. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Whether a line break would split a row: true in a cell of a data table. Other tables may be page layout. */
  isInRow(): boolean;
  /** The outermost tables. `text`: the writer's output. */
  finish(text: string): Table[];
};

/** Follows the table elements of a page; others are ignored. */
export function createTableWriter(writer: TextWriter): TableWriter {
  const open: OpenTable[] = [];
  const written: (Written & { header: Written | undefined })[] = [];
  const isInRow = () => {
    const table = open.at(-1);
    return table !== undefined && (table.isInner || (table.hasHeaders && (table.row?.cells ?? 0) > 0));
  };
  return {
    open(name, attributes) {
      const table = open.at(-1);
      if (name === 'table')
        open.push({ ...newTable(writer, isInRow()), hasHeaders: attributes.get('role') === 'table' });
      else if (table && name === 'tr') beginRow(writer, table);
      else if (table?.row && (name === 'td' || name === 'th')) beginCell(writer, table, table.row, name);
    },
    close(name) {
      const table = open.at(-1);
      if (table?.row && name === 'tr') endRow(writer, table, table.row);
      if (!table || name !== 'table') return;
      open.pop();
      if (open.length === 0) written.push({ start: table.start, end: writer.end(), header: table.header });
    },
    isInRow,
    finish: (text) =>
      written.flatMap(({ start, end, header }): Table[] =>
        start.offset === undefined || start.offset >= end
          ? []
          : [{ start: start.offset, end, header: header ? text.slice(header.start.offset, header.end) : '' }],
      ),
  };
}

function newTable(writer: TextWriter, isInner: boolean): Omit<OpenTable, 'hasHeaders'> {
  return { isInner, start: writer.anchor(), rows: 0, row: undefined, header: undefined };
}

function beginRow(writer: TextWriter, table: OpenTable): void {
  table.row = { start: writer.anchor(), begin: writer.end(), cells: 0, headerCells: 0 };
  table.rows++;
}

function beginCell(writer: TextWriter, table: OpenTable, row: Row, name: 'td' | 'th'): void {
  if (row.cells > 0) writer.writeMarker(writer.end() === row.begin ? '| ' : ' | ');
  row.cells++;
  if (name === 'th') {
    row.headerCells++;
    table.hasHeaders = true;
  }
}

/** A first row of header cells only names the columns. */
function endRow(writer: TextWriter, table: OpenTable, row: Row): void {
  writer.dropMarkers();
  const isHeader = table.rows === 1 && row.cells > 0 && row.headerCells === row.cells;
  if (isHeader && row.start.offset !== undefined) table.header = { start: row.start, end: writer.end() };
  table.row = undefined;
}
