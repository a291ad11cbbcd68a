/** Writes the tables of a Word document (ECMA-376 part 1, 17.4), with cells that cover several rows or columns. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { DATA_TABLE, type HtmlRenderer } from '../../../rendering/html-renderer.ts';
import { isOn } from '../on-off.ts';
import {
  cellProperty,
  type MergedCell,
  type MergeTracker,
  mergeTracker,
  numberOf,
  type RowSpans,
} from './row-spans.ts';

/** A cell begins with its first content, since its properties precede that. A covered one shows nothing. */
type OpenCell = MergedCell & { state: 'waiting' | 'open' | 'covered' };
type OpenRow = {
  isHeader: boolean;
  isDeleted: boolean;
  before: number;
  isBegun: boolean;
  cell: OpenCell | undefined;
};
/** A table of one column is a box around paragraphs. */
type OpenTable = {
  kind: 'table' | 'box' | undefined;
  columns: number;
  hasHeader: boolean;
  rows: number;
  row: OpenRow;
  merges: MergeTracker;
};

export type WordTables = {
  /** `cell`: the number of cells of the part so far. */
  open(name: string, cell: number): void;
  /** Takes a property of the innermost table, row or cell. */
  property(name: string, attributes: Attributes): void;
  /** Begins the open cell, whose content comes next. Returns whether the reader sees that content. */
  beginContent(): boolean;
  close(name: string): void;
};

export function wordTables(renderer: HtmlRenderer, spans: RowSpans): WordTables {
  const tables: OpenTable[] = [];
  return {
    open(name, cell) {
      const table = tables.at(-1);
      if (name === 'tbl') tables.push(newTable());
      else if (table && name === 'tr') {
        beginTable(renderer, table);
        table.row = newRow(table.rows++ === 0 && table.hasHeader);
        if (table.kind === 'table') renderer.open('tr');
      } else if (table && name === 'tc')
        table.row.cell = { cell, width: 1, merge: undefined, state: 'waiting' };
    },
    property(name, attributes) {
      const table = tables.at(-1);
      if (table) takeProperty(table, name, attributes);
    },
    beginContent() {
      const table = tables.at(-1);
      if (table?.row.cell) beginCell(renderer, table, spans);
      return table?.row.cell?.state !== 'covered';
    },
    close(name) {
      const table = tables.at(-1);
      if (!table) return;
      if (name === 'tc' && table.row.cell) {
        beginCell(renderer, table, spans);
        if (table.kind === 'table' && table.row.cell.state === 'open') renderer.close(elementOf(table.row));
        table.row.cell = undefined;
      } else if (name === 'tr' && table.kind === 'table') renderer.close('tr');
      else if (name === 'tbl') {
        if (table.kind === 'table') renderer.close('table');
        tables.pop();
      }
    },
  };
}

const newTable = (): OpenTable => ({
  kind: undefined,
  columns: 0,
  hasHeader: false,
  rows: 0,
  row: newRow(false),
  merges: mergeTracker(),
});

const newRow = (isHeader: boolean): OpenRow => ({
  isHeader,
  isDeleted: false,
  before: 0,
  isBegun: false,
  cell: undefined,
});

const elementOf = ({ isHeader }: OpenRow): 'td' | 'th' => (isHeader ? 'th' : 'td');

function takeProperty(table: OpenTable, name: string, attributes: Attributes): void {
  const { row } = table;
  if (name === 'gridCol') table.columns++;
  if (name === 'tblLook') table.hasHeader = marksFirstRow(attributes);
  if (name === 'tblHeader' && isOn(attribute(attributes, 'val'))) row.isHeader = true;
  if (name === 'gridBefore') row.before = numberOf(attributes);
  if (name === 'del') row.isDeleted = true;
  if (row.cell) cellProperty(row.cell, name, attributes);
}

/** `firstRow` in the older form of a table's look, a bit mask (17.4.55). */
const FIRST_ROW_BIT = 0x20;

function marksFirstRow(look: Attributes): boolean {
  const flag = attribute(look, 'firstRow');
  if (flag !== undefined) return isOn(flag);
  return (Number.parseInt(attribute(look, 'val') ?? '0', 16) & FIRST_ROW_BIT) !== 0;
}

/** A table begins with its first row, since its columns are declared before that. */
function beginTable(renderer: HtmlRenderer, table: OpenTable): void {
  if (table.kind !== undefined) return;
  table.kind = table.columns === 1 ? 'box' : 'table';
  if (table.kind === 'table') renderer.open('table', DATA_TABLE);
}

function beginCell(renderer: HtmlRenderer, { kind, row, merges }: OpenTable, spans: RowSpans): void {
  const { cell } = row;
  if (cell?.state !== 'waiting') return;
  if (!row.isBegun) beginRow(renderer, kind, row, merges);
  const isCovered = merges.take(cell) !== undefined;
  cell.state = isCovered || row.isDeleted ? 'covered' : 'open';
  if (cell.state === 'covered') return;
  if (kind === 'table') renderer.open(elementOf(row), extent(cell.width, spans.get(cell.cell) ?? 1));
}

/** A row may begin in a later column. */
function beginRow(renderer: HtmlRenderer, kind: OpenTable['kind'], row: OpenRow, merges: MergeTracker): void {
  row.isBegun = true;
  merges.beginRow(row.before);
  if (row.before === 0 || kind !== 'table') return;
  renderer.open('td', extent(row.before, 1));
  renderer.close('td');
}

const extent = (columns: number, rows: number): Attributes =>
  new Map([
    ['colspan', String(columns)],
    ['rowspan', String(rows)],
  ]);
