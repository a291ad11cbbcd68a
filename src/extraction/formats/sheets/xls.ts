/** Reads workbooks of Excel 5 to 2003 ([MS-XLS]) with SheetJS: each sheet is a page, its name a heading. */
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import type { ExtractedFile } from '../../extracted-file.ts';
import { damaged, encrypted } from '../../extraction-error.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import type { Span } from '../../rendering/sheet-table.ts';
import { cellCounter, finishWorkbook, type SheetWriter, sheetWriter } from '../../rendering/sheet-writer.ts';
import { BUILT_IN_FORMATS, formatCode, spelledOut } from './built-in-formats.ts';
import { type CellFormatter, cellFormatter } from './cell-formats.ts';
import { type Area, areaOf, COLUMNS_MAX, printedRows } from './cell-references.ts';
import { headerRows } from './header-rows.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXls(bytes: Uint8Array): Promise<ExtractedFile> {
  const workbook = await readWorkbook(bytes);
  const renderer = renderHtml({ keepBoilerplate: true });
  const countCells = cellCounter();
  const format = cellFormatter({ epoch1904: workbook.Workbook?.WBProps?.date1904 === true });
  for (const [i, name] of workbook.SheetNames.entries()) {
    const writer = sheetWriter(renderer, { page: i + 1, name });
    const printTitles = workbook.Workbook?.Names?.find(
      ({ Name, Sheet }) => Name === '_xlnm.Print_Titles' && Sheet === i,
    );
    const sheet = workbook.Sheets[name];
    if (sheet)
      writeRows(sheet, { writer, countCells, format, printTitles: printedRows(printTitles?.Ref ?? '') });
    writer.end();
  }
  return { extracted: finishWorkbook(renderer), warnings: [], pageCount: workbook.SheetNames.length };
}

async function readWorkbook(bytes: Uint8Array): Promise<WorkBook> {
  const { read, SSF } = await import('@e965/xlsx');
  for (const [id, code] of BUILT_IN_FORMATS) SSF.load(code, id);
  try {
    return read(bytes, { type: 'array', dense: true, cellFormula: false, cellHTML: false, cellNF: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(message)) throw encrypted();
    throw damaged('it cannot be read as a workbook');
  }
}

type SheetContext = {
  writer: SheetWriter;
  format: CellFormatter;
  printTitles: Area | undefined;
  countCells(added: number): void;
};

function writeRows(sheet: WorkSheet, { writer, format, printTitles, countCells }: SheetContext): void {
  const filter = areaOf(sheet['!autofilter']?.ref);
  const headers = headerRows({ tables: [], filter, frozenRows: 0, printTitles });
  const spans = new Map<number, Span>();
  for (const { s: start, e: end } of sheet['!merges'] ?? [])
    spans.set(start.r * COLUMNS_MAX + start.c, { rows: end.r - start.r + 1, columns: end.c - start.c + 1 });
  for (const [index, row] of (sheet['!data'] ?? []).entries()) {
    countCells(row?.length ?? 0);
    // Empty rows and cells are holes in the arrays.
    const cells = Array.from(row ?? [], (cell) => textOf(cell, format));
    const rowSpans = new Map<number, Span>();
    for (const column of cells.keys()) {
      const span = spans.get(index * COLUMNS_MAX + column);
      if (span) rowSpans.set(column, span);
    }
    writer.row({ index, cells, spans: rowSpans, isHeader: headers.has(index) });
  }
}

/** A cell's text. SheetJS writes errors by their names (`w`), but has no right text for many numbers. */
function textOf(cell: CellObject | undefined, format: CellFormatter): string {
  if (cell?.v === undefined) return '';
  const { t: type, v: value, w = '', z = 'General' } = cell;
  if (type === 'e') return w;
  const code = String(z);
  return format({ type, value: String(value), code: formatCode(spelledOut(code) ?? -1, code) });
}
