/** Reads workbooks of Excel 2 to 2003 ([MS-XLS]) with SheetJS: each sheet is a page, its name a heading. */
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import type { ExtractedFile } from '../../../extracted-file.ts';
import { type HtmlRenderer, renderHtml } from '../../../rendering/html-renderer.ts';
import type { CellText, SheetRow, Span } from '../../../rendering/sheet-table.ts';
import { cellCounter, finishWorkbook, sheetWriter } from '../../../rendering/sheet-writer.ts';
import { areaOf, COLUMNS_MAX, printedRows } from '../../cell-references.ts';
import { formatCode, spelledOut } from '../built-in-formats.ts';
import { type CellFormatter, cellFormatter } from '../cell-formats.ts';
import { headerRows } from '../header-rows.ts';
import { type PageTexts, pageTexts } from '../page-header.ts';
import { writeParagraphs } from '../sheet-paragraphs.ts';
import { type Unread, unreadOf } from '../unread.ts';
import { readContainer, readWorkbook } from './container.ts';
import type { SheetRecords } from './records.ts';

/** What the sheets of a workbook share. */
type Workbook = {
  book: WorkBook;
  renderer: HtmlRenderer;
  format: CellFormatter;
  pageTexts: PageTexts;
  unread: Unread;
  countCells(added: number): void;
};

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXls(bytes: Uint8Array): Promise<ExtractedFile> {
  const book = await readWorkbook(bytes);
  const { records, richCells, objects } = await readContainer(bytes);
  const renderer = renderHtml();
  const workbook: Workbook = {
    book,
    renderer,
    format: cellFormatter({ epoch1904: book.Workbook?.WBProps?.date1904 === true }),
    pageTexts: pageTexts(),
    unread: unreadOf(),
    countCells: cellCounter(),
  };
  for (const index of book.SheetNames.keys())
    renderSheet(workbook, index, {
      ...(records[index] ?? NO_RECORDS),
      richCells: richCells[index] ?? new Map(),
    });
  workbook.unread.add('object', '', objects);
  return {
    extracted: finishWorkbook(renderer),
    warnings: workbook.unread.warnings(),
    pageCount: book.SheetNames.length,
  };
}

const NO_RECORDS: SheetRecords = { pageHeaders: [], pageFooters: [], chartTexts: [], frozenRows: 0 };

/** What SheetJS does not read of a sheet. */
type SheetBeside = SheetRecords & { richCells: ReadonlyMap<number, CellText> };

function renderSheet({ book, renderer, ...workbook }: Workbook, index: number, records: SheetBeside): void {
  const name = book.SheetNames[index] ?? '';
  const sheet = book.Sheets[name];
  const kind = sheet?.['!type'] as string | undefined; // 'macro' is missing in the type
  if (kind === 'macro') {
    workbook.unread.add('macros', name);
    return;
  }
  const writer = sheetWriter(renderer, { page: index + 1, name });
  writeParagraphs(renderer, workbook.pageTexts.take(records.pageHeaders));
  // The cells of a sheet of a chart are copies.
  if (sheet && kind !== 'chart') {
    const titles = book.Workbook?.Names?.find((each) => each.Name === PRINT_TITLES && each.Sheet === index);
    const headers = headerRows({
      tables: [],
      filter: areaOf(sheet['!autofilter']?.ref),
      frozenRows: records.frozenRows,
      printTitles: printedRows(titles?.Ref ?? ''),
    });
    writeRows(sheet, { ...workbook, headers, richCells: records.richCells, row: writer.row });
  }
  writer.end();
  writeParagraphs(renderer, [...new Set(records.chartTexts), ...textsOfShapes(sheet), ...commentsOf(sheet)]);
  writeParagraphs(renderer, workbook.pageTexts.take(records.pageFooters));
}

/** Excel's name for the rows and columns that are printed on each page. */
const PRINT_TITLES = '_xlnm.Print_Titles';

type SheetContext = Pick<Workbook, 'format' | 'countCells'> & {
  headers: ReadonlySet<number>;
  richCells: ReadonlyMap<number, CellText>;
  row(row: SheetRow): void;
};

function writeRows(
  sheet: WorkSheet,
  { format, headers, richCells, row: writeRow, countCells }: SheetContext,
): void {
  const spans = new Map<number, Span>();
  for (const { s: start, e: end } of sheet['!merges'] ?? [])
    spans.set(start.r * COLUMNS_MAX + start.c, { rows: end.r - start.r + 1, columns: end.c - start.c + 1 });
  // By its keys: a hostile file has its last row at 4,294,967,295.
  for (const [key, row] of Object.entries(sheet['!data'] ?? {})) {
    const index = Number(key);
    countCells(row?.length ?? 0);
    // Empty rows and cells are holes in the arrays.
    const cells = Array.from(
      row ?? [],
      (cell, column) => richCells.get(index * COLUMNS_MAX + column) ?? textOf(cell, format),
    );
    const rowSpans = new Map<number, Span>();
    for (const column of cells.keys()) {
      const span = spans.get(index * COLUMNS_MAX + column);
      if (span) rowSpans.set(column, span);
    }
    writeRow({ index, cells, spans: rowSpans, isHeader: headers.has(index) });
  }
}

/** A cell's text. SheetJS has no right one (`w`) for many numbers, but names errors, and formats without a code. */
function textOf(cell: CellObject | undefined, format: CellFormatter): string {
  if (cell?.v === undefined) return '';
  const { t: type, v: value, w = '', z } = cell;
  if (type === 'e' || (z === undefined && w !== '')) return w;
  const code = String(z ?? 'General');
  return format({ type, value: String(value), code: formatCode(spelledOut(code) ?? -1, code) });
}

/** The part that SheetJS keeps of a shape and its text ([MS-XLS] 2.4.181, 2.4.329); its types do not have it. */
type Shape = { cmo?: [id: number, kind: number]; TxO?: { t?: string } } | undefined;

/** The kind of a shape that shows a comment ([MS-XLS] 2.5.143). */
const NOTE = 0x19;

function textsOfShapes(sheet: WorkSheet | undefined): string[] {
  const shapes: Shape[] = sheet?.['!objects'] ?? [];
  return Array.from(shapes).flatMap((shape) =>
    shape?.TxO?.t && shape.cmo?.[1] !== NOTE ? shape.TxO.t.split(/[\r\n]+/) : [],
  );
}

function commentsOf(sheet: WorkSheet | undefined): string[] {
  const cells = Object.values(sheet?.['!data'] ?? {}).flatMap((row) => Object.values(row ?? {}));
  return cells.flatMap((cell) => (cell?.c ?? []).map(({ t: text }) => text ?? ''));
}
