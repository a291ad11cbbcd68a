/** Writes a sheet: its titles as paragraphs, the other rows as tables whose first rows name the columns. */
import { type ExtractedText, hasOnlyHeadings } from '../../indexing/split/extracted-text.ts';
import { tooComplex } from '../extraction-error.ts';
import { CELLS_MAX } from '../extraction-limits.ts';
import { type HtmlRenderer, writeElement } from './html-renderer.ts';
import { type SheetRow, sheetTable, writeCellText } from './sheet-table.ts';

export type SheetWriter = { row(row: SheetRow): void; end(): void };

/** So many first rows wait for one that the file declares as the header. Without one, the first is the header. */
const WAITING_MAX = 8;

/** More header rows would drown each passage of a long table. */
const HEADER_ROWS_MAX = 6;

/** Writes the rows of tables, of which the first are header rows. */
function createTables(renderer: HtmlRenderer) {
  const table = sheetTable(renderer);
  /** The header rows of the open table while more of them may follow. */
  let header: SheetRow[] | undefined = [];
  return {
    write(row: SheetRow): void {
      if (header && !belongsTo(header, row)) header = undefined;
      header?.push(row);
      table.row(row, header ? 'th' : 'td');
    },
    /** A row of the table before, although its header is still open. */
    writeBody: (row: SheetRow): void => table.row(row, 'td'),
    begin(rows: SheetRow[]): void {
      table.end();
      header = rows;
      for (const row of rows) table.row(row, 'th');
    },
    isInHeader: () => header !== undefined,
    end: table.end,
  };
}

/**
 * Begins a sheet. First rows with a single cell are titles. Each declared header begins a table; rows above it that
 * group its columns belong to it. Empty rows are left out.
 */
export function sheetWriter(
  renderer: HtmlRenderer,
  { page, name }: { page?: number; name?: string },
): SheetWriter {
  const tables = createTables(renderer);
  /** The first rows, until it is decided which of them is the header. */
  let waiting: SheetRow[] | undefined = [];
  if (page !== undefined) renderer.beginPage(page);
  if (name) writeElement(renderer, 'h1', name);

  const stopWaiting = (rows: SheetRow[] = []): void => {
    waiting = undefined;
    for (const row of rows) tables.write(row);
  };
  return {
    row(row) {
      const filled = row.cells.filter((cell) => cell.length > 0).length;
      if (filled === 0) return;
      if (waiting?.length === 0 && filled === 1) return writeTitle(renderer, row);
      if (row.isHeader && waiting) {
        const groups = groupRows(waiting, row);
        for (const before of waiting.slice(0, waiting.length - groups.length)) tables.writeBody(before);
        stopWaiting();
        tables.begin([...groups, row]);
      } else if (row.isHeader && !tables.isInHeader()) tables.begin([row]);
      else if (waiting) {
        waiting.push(row);
        if (waiting.length === WAITING_MAX) stopWaiting(waiting);
      } else tables.write(row);
    },
    end() {
      stopWaiting(waiting);
      tables.end();
    },
  };
}

function writeTitle(renderer: HtmlRenderer, { cells }: SheetRow): void {
  renderer.open('p');
  for (const cell of cells) writeCellText(renderer, cell);
  renderer.close('p');
}

/** Whether a row names columns, as the rows above it do: it is declared so, or their merged cells reach or group it. */
function belongsTo(header: SheetRow[], row: SheetRow): boolean {
  const above = header.at(-1);
  if (above === undefined) return true;
  if (header.length === HEADER_ROWS_MAX) return false;
  return row.isHeader === true || header.some((each) => reaches(each, row)) || groups(above, row);
}

/** Whether a cell of moderate height covers the row. Higher ones are labels of the table's first rows. */
function reaches({ index, spans }: SheetRow, row: SheetRow): boolean {
  for (const { rows } of spans?.values() ?? [])
    if (rows <= HEADER_ROWS_MAX && index + rows > row.index) return true;
  return false;
}

/** Wider merged cells are looked at up to here. */
const GROUP_COLUMNS_MAX = 64;

/** Whether a row has several cells right below a merged cell: `Equipment` above `Projector` and `Board`. */
function groups({ index, spans }: SheetRow, row: SheetRow): boolean {
  if (row.index !== index + 1) return false;
  for (const [column, { columns }] of spans ?? []) {
    const below = row.cells.slice(column, column + Math.min(columns, GROUP_COLUMNS_MAX));
    if (below.filter((cell) => cell.length > 0).length > 1) return true;
  }
  return false;
}

/** The last rows that group the columns of a header row below them. */
function groupRows(rows: SheetRow[], header: SheetRow): SheetRow[] {
  const last = rows.at(-1);
  return last && groups(last, header) ? [...groupRows(rows.slice(0, -1), last), last] : [];
}

/**
 * Counts the cells of a workbook.
 * @throws FILE_TOO_COMPLEX past CELLS_MAX
 */
export function cellCounter(): (added: number) => void {
  let cells = 0;
  return (added) => {
    cells += added;
    if (cells > CELLS_MAX) throw tooComplex(`The workbook has more than ${CELLS_MAX} cells.`);
  };
}

/** The text of a workbook; empty where it contains only the names of sheets. */
export function finishWorkbook(renderer: HtmlRenderer): ExtractedText {
  const extracted = renderer.finish();
  return hasOnlyHeadings(extracted)
    ? { text: '', headings: [], pages: [], verbatim: [], tables: [] }
    : extracted;
}
