/**
 * Writes HTML tables as text: one row a line, cells separated by ` | `. A cell that covers several rows is written
 * again in each of them, so that every row says all, wherever the table is divided.
 */
import type { Table } from '../../indexing/split/extracted-text.ts';
import type { Attributes } from '../markup/markup-tokens.ts';
import { addTo, newRow, newTable, type OpenRow, type OpenTable, type Row, type Rows } from './open-table.ts';
import {
  type Cell,
  columnNames,
  continuedCells,
  extentOf,
  LABEL_MAX_LENGTH,
  widthOf,
} from './table-columns.ts';
import type { TextWriter } from './text-writer.ts';

/** A table that begins with more rows of header cells than this has a header of one row. */
const HEADER_ROWS_MAX = 6;

/** No name of rows or columns is longer than this. The cells of tables in tables would be copied again and again. */
const NAME_MAX_LENGTH = 4_000;

export type TableWriter = {
  /** `role="table"` declares that the table is not page layout, with or without header cells. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Whether a line break would split a row: true in a cell of a data table. Other tables may be page layout. */
  isInRow(): boolean;
  /** Whether nothing has been written yet in the open cell: no break is needed before its first text. */
  isAtCellStart(): boolean;
  /** The rows of all tables but those that stand in a row. */
  finish(): Table[];
};

/** Follows the table elements of a page; others are ignored. */
export function createTableWriter(writer: TextWriter): TableWriter {
  const open: OpenTable[] = [];
  const written: Rows[] = [];
  const isInRow = () => {
    const table = open.at(-1);
    return table !== undefined && (table.isInner || (table.hasHeaders && (table.row?.column ?? 0) > 0));
  };
  return {
    open(name, attributes) {
      const table = open.at(-1);
      if (name === 'table') {
        if (table?.row && !isInRow()) beginInnerTable(writer, table.row);
        open.push(newTable(isInRow(), attributes.get('role') === 'table'));
      }
      if (table && name === 'thead') table.isInHead = true;
      if (table && name === 'tr') table.row = newRow(writer);
      if (table?.row && (name === 'td' || name === 'th'))
        beginCell(writer, table, table.row, { isHeader: name === 'th' || table.isInHead, attributes });
    },
    close(name) {
      const table = open.at(-1);
      if (table?.row && (name === 'td' || name === 'th')) endCell(writer, table, table.row);
      if (table?.row && name === 'tr') endRow(writer, table, table.row);
      if (table && ROW_GROUPS.has(name)) endRowGroup(table);
      if (!table || name !== 'table') return;
      open.pop();
      if (table.isInner) return;
      if (!table.isLayout) written.push(...endTable(table));
      const outer = open.at(-1);
      if (outer) outer.isLayout = true;
    },
    isInRow,
    isAtCellStart() {
      const cell = open.at(-1)?.row?.cell;
      return cell !== undefined && cell.start.offset === undefined;
    },
    finish: () => written.flatMap(toTable),
  };
}

/** None for rows without text. */
const toTable = ({ start, end, header }: Rows): Table[] =>
  start.offset === undefined || start.offset >= end ? [] : [{ start: start.offset, end, header }];

const ROW_GROUPS = new Set(['thead', 'tbody', 'tfoot']);

/** No cell reaches from one group of rows into the next. */
function endRowGroup(table: OpenTable): void {
  const { leading = [] } = table;
  for (const [i, row] of leading.entries())
    for (const cell of row.cells) cell.height = Math.min(cell.height, leading.length - i);
  Object.assign(table, { isInHead: false, continued: continuedCells() });
}

type CellStart = { isHeader: boolean; attributes: Attributes };

function beginCell(writer: TextWriter, table: OpenTable, row: OpenRow, begun: CellStart): void {
  endCell(writer, table, row);
  // A paragraph in each cell, as Word and reporting tools write it, does not make the table a layout.
  const isBroken = writer.joinLine(row.start, 0);
  if (isBroken) row.separated = row.column;
  for (let above = table.continued.at(row.column); above; above = table.continued.at(row.column))
    continueCell(writer, row, above);
  separate(writer, row, row.column);
  const { width, height } = extentOf(begun.attributes, row.column);
  row.cell = { column: row.column, width, height, start: writer.anchor() };
  row.column += width;
  if (!begun.isHeader) return;
  row.headerCells++;
  table.hasHeaders = true;
}

/** A table in a cell begins a line, without the separators before the cell. A label before it stays. */
function beginInnerTable(writer: TextWriter, row: OpenRow): void {
  if (row.isBegun && writer.end() === row.begin) writer.keepMarkers();
  else writer.dropMarkers();
  writer.breakLine(1);
}

/** Ends the open cell. Its text is kept where it may name rows or columns. */
function endCell(writer: TextWriter, { leading }: OpenTable, row: OpenRow): void {
  if (!row.cell) return;
  const { start, ...extent } = row.cell;
  const length = start.offset === undefined ? 0 : writer.end() - start.offset;
  const isName = leading !== undefined || extent.height > 1 || extent.width > 1;
  const text = isName && length <= NAME_MAX_LENGTH ? writer.tail(length) : '';
  row.cells.push({ ...extent, text: text.trim().replace(/\s+/g, ' ') });
  row.cell = undefined;
}

/** Writes the separators before a column. They are dropped where no text of the row follows. */
function separate(writer: TextWriter, row: OpenRow, column: number): void {
  row.isBegun ||= writer.end() > row.begin;
  for (; row.separated < column; row.separated++) writer.writeMarker(row.isBegun ? ' | ' : '| ');
}

/** Writes a cell of a row above again. A long one would drown the row. */
function continueCell(writer: TextWriter, row: OpenRow, { column, width, text }: Cell): void {
  separate(writer, row, column);
  if (text !== '' && text.length <= LABEL_MAX_LENGTH) {
    writer.writeMarker(text);
    row.isBegun = true;
  }
  row.column = column + width;
}

function endRow(writer: TextWriter, table: OpenTable, row: OpenRow): void {
  endCell(writer, table, row);
  const { start, begin, cells, headerCells } = row;
  writer.joinLine(start, 1);
  const isEmpty = writer.end() === begin;
  const last = isEmpty ? undefined : table.continued.from(row.column);
  if (last === undefined) writer.dropMarkers();
  for (let above = last; above; above = table.continued.from(row.column)) {
    continueCell(writer, row, above);
    writer.keepMarkers();
  }
  table.continued.endRow(cells);
  table.row = undefined;
  if (isEmpty || start.offset === undefined) return;
  addRow(table, {
    start,
    end: writer.end(),
    cells,
    isHeader: cells.length > 0 && headerCells === cells.length,
  });
}

/** Rows of header cells only, and rows into which one of their cells reaches, may be the header. */
function addRow(table: OpenTable, row: Row): void {
  const { leading } = table;
  const mayBeHeader = leading !== undefined && (row.isHeader || reachesInto(leading));
  if (mayBeHeader && leading.length < HEADER_ROWS_MAX) leading.push(row);
  else {
    if (leading) endHeader(table, leading, mayBeHeader ? 1 : leading.length);
    addBodyRow(table, row);
  }
}

/** Whether a header cell of moderate height covers the row below these. */
function reachesInto(rows: Row[]): boolean {
  return rows.some(({ cells }, i) =>
    cells.some(({ height }) => height > rows.length - i && height <= HEADER_ROWS_MAX),
  );
}

/** The first `count` of the leading rows name the columns of all that follow. */
function endHeader(table: OpenTable, leading: Row[], count: number): void {
  const headerRows = leading.slice(0, count);
  const header = columnNames(headerRows.map(({ cells }) => cells));
  for (const { start, end } of headerRows) addTo(table.rows, { start, end, header });
  Object.assign(table, { header, leading: undefined });
  table.columns = widthOf(headerRows.flatMap(({ cells }) => cells));
  for (const row of leading.slice(count)) addBodyRow(table, row);
}

/** Adds a row. A row of one cell over all columns names the rows below it, up to the next such row. */
function addBodyRow(table: OpenTable, { start, end, cells }: Row): void {
  const { rows, header, columns } = table;
  const [cell] = cells;
  const isGroup = cell && cells.length === 1 && cell.width > 1 && cell.width >= columns;
  addTo(rows, { start, end, header: isGroup ? header : (rows.at(-1)?.header ?? header) });
  table.columns = Math.max(columns, widthOf(cells));
  if (isGroup && cell.text.length <= LABEL_MAX_LENGTH)
    addTo(rows, { start, end, header: [cell.text, header].filter(Boolean).join(': ') });
}

/** The rows of a table. In one of header cells only, the first row is the header. */
function endTable(table: OpenTable): Rows[] {
  if (table.leading)
    endHeader(table, table.leading, Math.min(1, table.leading.filter((row) => row.isHeader).length));
  return table.rows;
}
