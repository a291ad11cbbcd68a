/** Opens xls files: their cells with SheetJS, and what it skips. */
import type { WorkBook } from '@e965/xlsx';
import { decodeText } from '../../../decode-text.ts';
import { damaged, encrypted } from '../../../extraction-error.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { BUILT_IN_FORMATS } from '../built-in-formats.ts';
import { readRecords, type SheetRecords } from './records.ts';
import { readRichCells } from './rich-cells.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED */
export async function readWorkbook(bytes: Uint8Array): Promise<WorkBook> {
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

/** The storage of an embedded object in the file. */
const OBJECT_STORAGE = /\/MBD[0-9A-F]{8}\/$/i;

/**
 * The records and rich cells of the sheets, and the number of embedded objects. Older files are a stream alone, without
 * a container.
 */
export async function readContainer(
  bytes: Uint8Array,
): Promise<{ records: SheetRecords[]; richCells: Map<number, CellText>[]; objects: number }> {
  const { CFB } = await import('@e965/xlsx');
  try {
    const container = CFB.read(Buffer.from(bytes), { type: 'buffer' });
    const stream = CFB.find(container, '/Workbook') ?? CFB.find(container, '/Book');
    const objects = container.FullPaths.filter((path: string) => OBJECT_STORAGE.test(path)).length;
    const workbook = Uint8Array.from(stream?.content ?? []);
    return { records: readRecords(workbook, decodeText), richCells: readRichCells(workbook), objects };
  } catch {
    return { records: [], richCells: [], objects: 0 };
  }
}
