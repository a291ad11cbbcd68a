/** Follows one sheet of an OpenDocument spreadsheet: its rows and cells, and what lies on them. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import type { CellText, SheetRow } from '../../../rendering/sheet-table.ts';
import { isRawNumber, shownText, valueText } from './cell-value.ts';
import { type RowWriter, rowWriter } from './rows.ts';
import type { SheetTexts } from './sheet-texts.ts';

/** What is open, with its depth. The text of a shape or comment in a cell is no text of the cell. */
type Holder = { kind: 'cell' | 'covered' | 'comment' | 'shape'; depth: number; attributes: Attributes };

const HOLDERS: ReadonlyMap<string, Holder['kind']> = new Map([
  ['table-cell', 'cell'],
  ['covered-table-cell', 'covered'],
  ['shapes', 'shape'],
]);

export type SheetTarget = {
  row(row: SheetRow): void;
  countCells(added: number): void;
  /** Takes a paragraph of a shape, or a comment. */
  note(text: CellText): void;
  /** Takes the address of an object on the sheet; undefined for one of another program. */
  object(address: string | undefined): void;
  /** Called where equal cells or rows are left out. */
  onLimit(): void;
};

export type OpenSheet = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Whether a row or cell is open, in which another table may begin. */
  isInside(): boolean;
};

/** Whether an element in a cell is its own text, or a table of it. */
const isOfCell = (name: string): boolean => name === 'p' || name === 'table';

function takeObject(target: SheetTarget, name: string, attributes: Attributes): void {
  if (name === 'object') target.object(attribute(attributes, 'href') ?? '');
  if (name === 'object-ole') target.object(undefined);
}

/** Follows the elements of rows. */
function createSheetRows(rows: RowWriter, headers: ReadonlySet<number>) {
  let headerDepth = 0;
  return {
    open(name: string, attributes: Attributes): void {
      if (name === 'table-row') rows.beginRow(attributes);
      if (name === 'table-header-rows') headerDepth++;
    },
    close(name: string): void {
      if (name === 'table-header-rows') headerDepth--;
      if (name === 'table-row') rows.endRow((index) => headerDepth > 0 || headers.has(index));
    },
  };
}

type HeldTarget = { rows: RowWriter; target: SheetTarget; codeOf(cellStyle: string): string | undefined };

/** Writes what a cell, a shape or a comment holds. */
function writeHeld(
  { kind, attributes }: Holder,
  text: CellText | undefined,
  { rows, target, codeOf }: HeldTarget,
): void {
  if (kind === 'cell') rows.cell(cellText(text, attributes, codeOf), attributes);
  else if (kind === 'covered') rows.cell('', attributes);
  else if (text !== undefined && text.length > 0) target.note(text);
}

/**
 * `headers`: declared header rows, beside those that the sheet marks itself. `codeOf`: the format of a cell style.
 */
export function openSheet(
  target: SheetTarget,
  texts: SheetTexts,
  { headers, codeOf }: { headers: ReadonlySet<number>; codeOf(cellStyle: string): string | undefined },
): OpenSheet {
  const rows = rowWriter(target);
  const sheetRows = createSheetRows(rows, headers);
  const holders: Holder[] = [];
  let depth = 0;
  const hold = (kind: Holder['kind'], attributes: Attributes): void => {
    holders.push({ kind, depth, attributes });
    texts.begin();
  };
  const release = (holder: Holder): void => writeHeld(holder, texts.end(), { rows, target, codeOf });
  return {
    open(name, attributes) {
      depth++;
      const holder = holders.at(-1);
      const kind = HOLDERS.get(name);
      takeObject(target, name, attributes);
      const isInCell = holder?.kind === 'cell' && depth === holder.depth + 1;
      if (isInCell && !isOfCell(name)) hold(name === 'annotation' ? 'comment' : 'shape', attributes);
      else if (holder === undefined && kind) hold(kind, attributes);
      else if (holder === undefined) sheetRows.open(name, attributes);
    },
    close(name) {
      depth--;
      const holder = holders.at(-1);
      if (holder && depth < holder.depth) {
        holders.pop();
        release(holder);
      } else if (holder?.kind === 'shape' && (name === 'p' || name === 'h')) {
        // Each paragraph of a shape is one of its own.
        release({ ...holder });
        texts.begin();
      } else if (holder === undefined) sheetRows.close(name);
    },
    isInside: () => depth > 0,
  };
}

/** The text of a cell as the sheet shows it, or its value where the file has no such text of it. */
function cellText(
  text: CellText | undefined,
  attributes: Attributes,
  codeOf: (cellStyle: string) => string | undefined,
): CellText {
  if (text === undefined || isRawNumber(text, attributes))
    return valueText(attributes, codeOf(attribute(attributes, 'style-name') ?? ''));
  return typeof text === 'string' ? shownText(text, attributes) : text;
}
