/** Reads workbooks of Excel 5 to 2003 ([MS-XLS]) with SheetJS: each sheet is a page, its name a heading. */
import type { WorkBook, WorkSheet } from '@e965/xlsx';
import type { ExtractedFile } from '../../extracted-file.ts';
import { damaged, encrypted } from '../../extraction-error.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { cellCounter, finishWorkbook, type SheetWriter, sheetWriter } from '../../rendering/sheet-writer.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXls(bytes: Uint8Array): Promise<ExtractedFile> {
  const workbook = await readWorkbook(bytes);
  const renderer = renderHtml({ keepBoilerplate: true });
  const countCells = cellCounter();
  for (const [i, name] of workbook.SheetNames.entries()) {
    const writer = sheetWriter(renderer, { page: i + 1, name });
    writeRows(workbook.Sheets[name], writer, countCells);
    writer.end();
  }
  return { extracted: finishWorkbook(renderer), warnings: [], pageCount: workbook.SheetNames.length };
}

async function readWorkbook(bytes: Uint8Array): Promise<WorkBook> {
  const { read } = await import('@e965/xlsx');
  try {
    return read(bytes, { type: 'array', dense: true, cellFormula: false, cellHTML: false });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(message)) throw encrypted();
    throw damaged('it cannot be read as a workbook');
  }
}

/** A cell's text is its formatted text (`w`), or its value where it has no format. */
function writeRows(
  sheet: WorkSheet | undefined,
  writer: SheetWriter,
  countCells: (added: number) => void,
): void {
  for (const row of sheet?.['!data'] ?? []) {
    countCells(row?.length ?? 0);
    // Empty rows and cells are holes in the arrays.
    const texts = Array.from(row ?? [], (cell) => String(cell?.w ?? cell?.v ?? ''));
    writer.row(texts);
  }
}
