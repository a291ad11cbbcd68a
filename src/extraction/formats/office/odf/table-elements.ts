/** Tables of OpenDocument texts, presentations and embedded objects (OpenDocument 1.3 part 3, clause 9). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { DATA_TABLE } from '../../../rendering/html-renderer.ts';
import type { ElementReaders } from './elements.ts';
import type { TextContext } from './text-elements.ts';

/** `isHeader`: the row being read, or all rows being read, name the columns. */
type OpenTable = { rows: number; headerRows: number; isFirstRowHeader: boolean };

const openTable = (attributes: Attributes): OpenTable => ({
  rows: 0,
  headerRows: 0,
  isFirstRowHeader: attribute(attributes, 'use-first-row-styles') === 'true',
});

const namesColumns = ({ headerRows, isFirstRowHeader, rows }: OpenTable): boolean =>
  headerRows > 0 || (isFirstRowHeader && rows === 1);

export function tableElements({ flow, styles, useMasterPage }: TextContext): ElementReaders {
  const tables: OpenTable[] = [];
  const isHeader = (): boolean => tables.slice(-1).some(namesColumns);
  return {
    table(attributes) {
      const style = attribute(attributes, 'style-name') ?? '';
      useMasterPage(styles.property('table', style, 'masterPage') ?? '');
      tables.push(openTable(attributes));
      flow.openBlock('table', DATA_TABLE);
      return () => {
        tables.pop();
        flow.closeBlock('table');
      };
    },
    'table-header-rows'() {
      const table = tables.at(-1);
      if (!table) return undefined;
      table.headerRows++;
      return () => {
        table.headerRows--;
      };
    },
    'table-row'() {
      const table = tables.at(-1);
      if (table) table.rows++;
      flow.openBlock('tr');
      return () => flow.closeBlock('tr');
    },
    'table-cell'(attributes) {
      const cell = isHeader() ? 'th' : 'td';
      flow.openBlock(cell, extentOf(attributes));
      // The table of a chart has this where a value is missing.
      if (attribute(attributes, 'value') !== 'NaN') return () => flow.closeBlock(cell);
      flow.closeBlock(cell);
      return 'skip';
    },
    // What a merged cell covers is not shown.
    'covered-table-cell': () => 'skip',
  };
}

/** Attributes of clause 19.675 and 19.676 as HTML's, for cells that cover others. */
function extentOf(attributes: Attributes): Attributes {
  const extent = new Map<string, string>();
  const width = attribute(attributes, 'number-columns-spanned');
  const height = attribute(attributes, 'number-rows-spanned');
  if (width !== undefined) extent.set('colspan', width);
  if (height !== undefined) extent.set('rowspan', height);
  return extent;
}
