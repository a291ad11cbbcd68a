/** Finds the rows of a sheet that name its columns. */
import type { Area } from '../cell-references.ts';

/** More rows than this that stay in place hold more than names of columns: only the last row does. */
const FROZEN_MAX = 2;
/** More rows on each printed page than this are no header. */
const PRINT_TITLES_MAX = 6;

/** What a workbook says of a sheet. */
type DeclaredHeaders = {
  /** Tables with a header row. */
  tables: Area[];
  /** The rows that buttons in their first row filter. */
  filter: Area | undefined;
  /** Rows that stay in place while the others are scrolled. */
  frozenRows: number;
  /** Rows that are printed on each page. */
  printTitles: Area | undefined;
};

/** The rows that name the columns of those below them, as far as the workbook says so. */
export function headerRows({ tables, filter, frozenRows, printTitles }: DeclaredHeaders): Set<number> {
  const rows = new Set<number>();
  const add = (first: number, last: number) => {
    for (let row = first; row <= last; row++) rows.add(row);
  };
  for (const { top } of topmost(tables)) rows.add(top);
  if (filter && tables.length === 0) rows.add(filter.top);
  if (printTitles && printTitles.bottom - printTitles.top < PRINT_TITLES_MAX)
    add(printTitles.top, printTitles.bottom);
  if (frozenRows >= 1) add(frozenRows > FROZEN_MAX ? frozenRows - 1 : 0, frozenRows - 1);
  return rows;
}

/** The tables that begin below all rows of those above. One beside others would begin in the middle of their rows. */
function topmost(tables: Area[]): Area[] {
  let end = -1;
  return tables
    .toSorted((a, b) => a.top - b.top)
    .filter(({ top, bottom }) => {
      const isBelow = top > end;
      end = Math.max(end, bottom);
      return isBelow;
    });
}
