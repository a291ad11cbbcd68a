/** Reads workbooks of Excel 5 to 2003 ([MS-XLS]) with SheetJS: each sheet is a page, its name a heading. */
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import type { ExtractedFile } from '../../extracted-file.ts';
import { damaged, encrypted } from '../../extraction-error.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { cellCounter, finishWorkbook, type SheetWriter, sheetWriter } from '../../rendering/sheet-writer.ts';
import { BUILT_IN_FORMATS, formatCode, spelledOut } from './built-in-formats.ts';
import { type CellFormatter, cellFormatter } from './cell-formats.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXls(bytes: Uint8Array): Promise<ExtractedFile> {
  const workbook = await readWorkbook(bytes);
  const renderer = renderHtml({ keepBoilerplate: true });
  const countCells = cellCounter();
  const format = cellFormatter({ epoch1904: workbook.Workbook?.WBProps?.date1904 === true });
  for (const [i, name] of workbook.SheetNames.entries()) {
    const writer = sheetWriter(renderer, { page: i + 1, name });
    writeRows(workbook.Sheets[name], { writer, countCells, format });
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

type SheetContext = { writer: SheetWriter; format: CellFormatter; countCells(added: number): void };

function writeRows(sheet: WorkSheet | undefined, { writer, format, countCells }: SheetContext): void {
  for (const row of sheet?.['!data'] ?? []) {
    countCells(row?.length ?? 0);
    // Empty rows and cells are holes in the arrays.
    writer.row(Array.from(row ?? [], (cell) => textOf(cell, format)));
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
