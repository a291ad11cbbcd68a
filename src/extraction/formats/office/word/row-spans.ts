/** Finds how many rows the merged cells of a part's tables cover. Word marks the cells below, not their number. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, type XmlEvents } from '../../../markup/read-xml.ts';

/** `cell`: the cell's number in the part, from 1. `merge`: its `vMerge` (17.4.84), undefined without one. */
export type MergedCell = { cell: number; width: number; merge: 'restart' | 'continue' | undefined };

/** Follows the columns of one table. */
export type MergeTracker = {
  /** `before`: the columns that the row leaves out (17.4.15). */
  beginRow(before: number): void;
  /** Takes the next cell of the row. Returns the number of the cell above that covers it; undefined if none does. */
  take(cell: MergedCell): number | undefined;
};

export function mergeTracker(): MergeTracker {
  /** The merged cells by their column, with the last row that they cover. */
  const merged = new Map<number, { cell: number; row: number }>();
  let row = 0;
  let column = 0;
  return {
    beginRow(before) {
      row++;
      column = before;
    },
    take({ cell, width, merge }) {
      const above = merged.get(column);
      const isCovered = merge === 'continue' && above?.row === row - 1;
      if (isCovered) above.row = row;
      else if (merge === undefined) merged.delete(column);
      else merged.set(column, { cell, row });
      column += width;
      return isCovered ? above.cell : undefined;
    },
  };
}

/** Takes a property of a cell. */
export function cellProperty(cell: MergedCell, name: string, attributes: Attributes): void {
  if (name === 'gridSpan') cell.width = numberOf(attributes) || 1;
  // In lower case: Word 2003.
  if (name === 'vMerge' || name === 'vmerge')
    cell.merge = attribute(attributes, 'val') === 'restart' ? 'restart' : 'continue';
}

export const numberOf = (attributes: Attributes): number => {
  const number = Number.parseInt(attribute(attributes, 'val') ?? '', 10);
  return number > 0 ? number : 0;
};

/** The number of rows of each cell that covers several, by the number of the cell. */
export type RowSpans = ReadonlyMap<number, number>;

/** The former properties of cells, where changes are tracked. */
const FORMER = new Set(['tcPrChange', 'trPrChange']);

/** `read`: gives a part or tree to these events. */
export function rowSpans(read: (events: Required<XmlEvents>) => void): RowSpans {
  const spans = new Map<number, number>();
  const tables: { merges: MergeTracker; before: number; isBegun: boolean }[] = [];
  const cells: MergedCell[] = [];
  let count = 0;
  let former = 0;
  read({
    open(name, attributes) {
      const table = tables.at(-1);
      const cell = cells.at(-1);
      if (FORMER.has(name)) former++;
      if (former > 0) return;
      if (name === 'tbl') tables.push({ merges: mergeTracker(), before: 0, isBegun: false });
      else if (name === 'tc') cells.push({ cell: ++count, width: 1, merge: undefined });
      else if (table && name === 'tr') Object.assign(table, { before: 0, isBegun: false });
      else if (table && name === 'gridBefore') table.before = numberOf(attributes);
      else if (cell) cellProperty(cell, name, attributes);
    },
    close(name) {
      if (FORMER.has(name)) former--;
      if (former > 0) return;
      if (name === 'tbl') tables.pop();
      const cell = name === 'tc' ? cells.pop() : undefined;
      const table = tables.at(-1);
      if (!cell || !table) return;
      if (!table.isBegun) table.merges.beginRow(table.before);
      table.isBegun = true;
      const top = table.merges.take(cell);
      if (top !== undefined) spans.set(top, (spans.get(top) ?? 1) + 1);
    },
    text() {},
  });
  return spans;
}
