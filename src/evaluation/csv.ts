/** Reads and writes comma-separated values as spreadsheets have them (RFC 4180), with the line of each row. */

/** `line`: where the row begins, from 1. */
export type CsvRow = { line: number; cells: string[] };

const SEPARATORS = [',', ';', '\t'];

/** The separator that is most frequent in the first line: spreadsheets write a semicolon where numbers have a comma. */
function separatorOf(text: string): string {
  const [head = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1);
  const count = (separator: string) => head.split(separator).length;
  return SEPARATORS.toSorted((left, right) => count(right) - count(left))[0] ?? ',';
}

/** A spreadsheet would run such a text as a formula. An apostrophe before it makes it a text, there and here. */
const FORMULA = /^[=+\-@\t\r]/;
const GUARDED = /^'(?=[=+\-@\t\r])/;

const needsQuotes = (cell: string): boolean => /[",;\t\r\n]|^\s|\s$/.test(cell);

/** The rows as text, with a line end after each. */
export const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) =>
      cells
        .map((cell) => (FORMULA.test(cell) ? `'${cell}` : cell))
        .map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(','),
    )
    .map((line) => `${line}\r\n`)
    .join('');

/**
 * The rows of a text, those without any value left out. Reads in linear time.
 * @throws {SyntaxError} a sentence with line and column when a quote is not closed, or text follows a closing one
 */
export function parseCsv(given: string): CsvRow[] {
  const text = given.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const separator = separatorOf(text);
  const rows: CsvRow[] = [];
  let [at, line] = [0, 1];
  while (at < text.length) {
    const row: CsvRow = { line, cells: [] };
    for (let isEnd = false; !isEnd; ) {
      const place = `Line ${line}, column ${row.cells.length + 1}`;
      const end = text[at] === '"' ? endOfQuoted(text, at, place) : endOfPlain(text, at, separator);
      const isQuoted = text[at] === '"';
      if (isQuoted && end < text.length && text[end] !== separator && text[end] !== '\n')
        throw new SyntaxError(
          `${place}: text follows the closing quote. Write quotes inside of a text twice.`,
        );
      const raw = text.slice(at, end);
      line += raw.split('\n').length - 1;
      row.cells.push((isQuoted ? raw.slice(1, -1).replaceAll('""', '"') : raw).replace(GUARDED, ''));
      isEnd = text[end] !== separator;
      at = end + 1;
    }
    line += 1;
    if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
  }
  return rows;
}

/** The offset after the closing quote. */
function endOfQuoted(text: string, start: number, place: string): number {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote < 0) throw new SyntaxError(`${place}: the quote is not closed.`);
  return quote + 1;
}

/** The offset of the next separator or line end. */
function endOfPlain(text: string, start: number, separator: string): number {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end++;
  return end;
}
