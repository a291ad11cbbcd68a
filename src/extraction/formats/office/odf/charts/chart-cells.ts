/** The cells of the table that a chart of OpenDocument keeps for its values. */
import { attributeOf, childrenOf, isElement, type XmlElement } from '../../../../markup/xml-tree.ts';
import { areaOf } from '../../../cell-references.ts';

/** `value`: the number of a numeric cell, as it is stored. */
export type ChartCell = { text: string; value: string | undefined };

export type ChartCells = {
  /** The cells of `local-table.$B$2:.$B$4`, column by column; none of another table, or beyond a bound. */
  at(address: string | undefined): ChartCell[];
};

/** Equal cells side by side are read this often. */
const REPEATED_MAX = 1_000;
/** Cells of all areas of a chart together. Series may name the same cells again and again. */
const NAMED_MAX = 200_000;
const ROW_GROUPS = new Set(['table-header-rows', 'table-rows', 'table-row-group']);

export function chartCells(table: XmlElement | undefined): ChartCells {
  const rows = rowsIn(table).map(cellsOf);
  const name = attributeOf(table, 'name') ?? '';
  const columnAt = (left: number, top: number, bottom: number): ChartCell[] =>
    rows.slice(top, bottom + 1).map((cells) => cells[left] ?? { text: '', value: undefined });
  const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  let left = NAMED_MAX;
  return {
    at(address = '') {
      const [, table = '', cells = ''] = /^\$?'?([^'.]*)'?\.(.*)$/s.exec(address) ?? [];
      const area = areaOf(cells.replace(/:[^:]*\./s, ':'));
      if (!area || (table !== name && table !== '')) return [];
      const count = Math.max(0, Math.min(area.right, width - 1) - area.left + 1);
      left -= count * Math.min(area.bottom - area.top + 1, rows.length);
      if (left < 0) return [];
      const columns = Array.from({ length: count });
      return columns.flatMap((_, i) => columnAt(area.left + i, area.top, area.bottom));
    },
  };
}

function rowsIn(table: XmlElement | undefined): XmlElement[] {
  return (table?.children ?? [])
    .filter(isElement)
    .flatMap((child) =>
      ROW_GROUPS.has(child.name) ? rowsIn(child) : child.name === 'table-row' ? [child] : [],
    );
}

function cellsOf(row: XmlElement): ChartCell[] {
  return childrenOf(row, 'table-cell').flatMap((cell) => {
    const count = Math.floor(Number(attributeOf(cell, 'number-columns-repeated') ?? 1));
    const text = childrenOf(cell, 'p').map(textIn).join(' ').trim();
    const read: ChartCell = { text, value: attributeOf(cell, 'value') };
    return Array.from({ length: count > 1 ? Math.min(count, REPEATED_MAX) : 1 }, () => read);
  });
}

/** The text of a title or paragraph on one line. */
export function textIn(element: XmlElement | undefined): string {
  const pieces = (element?.children ?? []).map((child) => {
    if (!isElement(child)) return child;
    // The cell range that a value comes from.
    if (child.name === 'g') return '';
    if (child.name === 's' || child.name === 'line-break' || child.name === 'tab') return ' ';
    return child.name === 'p' ? ` ${textIn(child)} ` : textIn(child);
  });
  return pieces.join('').replace(/\s+/g, ' ').trim();
}
