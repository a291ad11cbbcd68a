/** Reads the rows of a sheet (ECMA-376 part 1, 18.3). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml } from '../../../markup/read-xml.ts';
import type { CellText, SheetRow, Span } from '../../../rendering/sheet-table.ts';
import { columnOf, rowOf } from '../../cell-references.ts';
import type { CellFormatter } from '../cell-formats.ts';
import type { SheetLayout } from './layout.ts';
import { stringReader } from './strings.ts';

/** What the cells of a workbook share. */
export type WorkbookCells = {
  strings: CellText[];
  /** The format code of each style. */
  codes: string[];
  format: CellFormatter;
  countCells(added: number): void;
};

type RowReader = WorkbookCells & { layout: SheetLayout; writeRow(row: SheetRow): void };

type OpenCell = { type: string; code: string; column: number; value: string; isFormula: boolean };

/** `next`: the column of a cell that does not name its own. */
const openCell = (attributes: Attributes, next: number, codes: string[]): OpenCell => ({
  type: attribute(attributes, 't') ?? 'n',
  code: codes[Number(attribute(attributes, 's') ?? 0)] ?? 'General',
  column: columnOf(attribute(attributes, 'r')) ?? next,
  value: '',
  isFormula: false,
});

/** Adds a text to a row in its column. Returns by how many cells the row is longer. */
function addText(row: SheetRow & { spans: Map<number, Span> }, column: number, text: CellText): number {
  const added = 1 + Math.max(0, column - row.cells.length);
  while (row.cells.length < column) row.cells.push('');
  row.cells[column] = text;
  return added;
}

const openRow = (index: number) => ({ index, cells: [] as CellText[], spans: new Map<number, Span>() });

/** Reads the rows with content. Returns the number of formulas whose results the file does not have. */
export function readRows(part: Uint8Array, { layout, writeRow, countCells, ...workbook }: RowReader): number {
  let row = openRow(-1);
  let cell: OpenCell | undefined;
  let inValue = false;
  let missing = 0;
  const strings = stringReader();
  const endCell = ({ column, value, ...written }: OpenCell): void => {
    const text = textOf({ ...written, value, inline: strings.take() }, workbook);
    if (written.isFormula && value === '' && written.type !== 'str') missing++;
    if (text.length === 0) return;
    countCells(addText(row, column, text));
    const span = layout.spanAt(row.index, column);
    if (span) row.spans.set(column, span);
  };
  readXml(part, {
    open(name, attributes) {
      if (name === 'row') row = openRow(rowOf(attribute(attributes, 'r')) ?? row.index + 1);
      if (name === 'c') cell = openCell(attributes, row.cells.length, workbook.codes);
      if (name === 'f' && cell) cell.isFormula = true;
      inValue = name === 'v';
      strings.open(name, attributes);
    },
    close(name) {
      inValue = false;
      strings.close(name);
      if (name === 'c' && cell) {
        endCell(cell);
        cell = undefined;
      }
      if (name === 'row') writeRow({ ...row, isHeader: layout.isHeader(row.index) });
    },
    text(written) {
      if (inValue && cell) cell.value += written;
      else strings.text(written);
    },
  });
  return missing;
}

type WrittenCell = Pick<OpenCell, 'type' | 'code' | 'value'> & { inline: CellText };

/** The text that the sheet shows in a cell. */
function textOf(
  { type, code, value, inline }: WrittenCell,
  { strings, format }: Pick<WorkbookCells, 'strings' | 'format'>,
): CellText {
  const isText = type === 's' || type === 'inlineStr';
  if (!isText) return value === '' ? '' : format({ type, code, value });
  const text = type === 's' && value !== '' ? (strings[Number(value)] ?? '') : inline;
  return typeof text === 'string' && text !== '' ? format({ type, code, value: text }) : text;
}
