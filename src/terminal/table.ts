/** Prints tables. */
import stringWidth from 'string-width';
import { hasReader, print, toVisibleLine } from './terminal.ts';

export type TableRow = Record<string, string>;

/** Rows that are measured before the first one is printed. Later rows keep their widths, in any number. */
const MEASURED_ROWS = 1000;

/** Prints rows below their names, in columns as wide as the longest value, with two spaces between. */
function createTable(measured: TableRow[]): (row: TableRow) => void {
  const columns = Object.keys(measured[0] ?? {});
  const heading = Object.fromEntries(columns.map((column) => [column, column]));
  const widths = columns.map((column) =>
    [heading, ...measured].reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), 0),
  );
  const printRow = (row: TableRow) => {
    const cells = columns.map((column, index) => {
      const value = row[column] ?? '';
      return value + ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(value)));
    });
    print(cells.join('  ').trimEnd());
  };
  for (const row of [heading, ...measured]) printRow(row);
  return printRow;
}

/** Prints a table as its rows arrive. Prints nothing without rows. Returns the number of rows. */
export async function printTable(rows: Iterable<TableRow> | AsyncIterable<TableRow>): Promise<number> {
  const measured: TableRow[] = [];
  let printRow: ((row: TableRow) => void) | undefined;
  let count = 0;
  for await (const given of rows) {
    if (!hasReader()) break;
    const row = Object.fromEntries(
      Object.entries(given).map(([column, value]) => [column, toVisibleLine(value)]),
    );
    count += 1;
    if (printRow !== undefined) printRow(row);
    else if (measured.push(row) === MEASURED_ROWS) printRow = createTable(measured);
  }
  if (printRow === undefined && count > 0) createTable(measured);
  return count;
}

/** Prints named values below each other. Leaves out empty ones. */
export function printFacts(facts: Record<string, string | undefined>): void {
  const shown = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value = ''] of shown) print(`${name.padEnd(width)}  ${toVisibleLine(value)}`);
}
