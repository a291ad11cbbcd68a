/**
 * Reads workbooks (Office Open XML, ECMA-376 part 1, clause 18): each sheet is a page, its name a heading.
 * SheetJS reads them too, but it unpacks every part without a limit: a file of 0.5 MB took 1.1 GB of memory.
 */
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { corrupt, damaged } from '../../../extraction-error.ts';
import { SHEETS_MAX } from '../../../extraction-limits.ts';
import type { Unpacking } from '../../../reader-context.ts';
import { type HtmlRenderer, renderHtml } from '../../../rendering/html-renderer.ts';
import { cellCounter, finishWorkbook, sheetWriter } from '../../../rendering/sheet-writer.ts';
import { type Archive, openArchive, readUndamaged } from '../../archive.ts';
import { mainPart, relationshipsOf } from '../../office/relationships.ts';
import { cellFormatter, readStyleCodes } from '../cell-formats.ts';
import { type PageTexts, pageTexts } from '../page-header.ts';
import { writeParagraphs } from '../sheet-paragraphs.ts';
import { type Unread, unreadOf } from '../unread.ts';
import { extractXls } from '../xls/xls.ts';
import { readLayout } from './layout.ts';
import { readRows, type WorkbookCells } from './rows.ts';
import { textsBeside } from './sheet-texts.ts';
import { readSharedStrings } from './strings.ts';
import { readWorkbook, type Sheet } from './workbook.ts';

/** What the sheets of a workbook share. */
type Workbook = {
  archive: Archive;
  /** The names of the archive's parts. */
  parts: ReadonlySet<string>;
  cells: WorkbookCells;
  renderer: HtmlRenderer;
  pageTexts: PageTexts;
  unread: Unread;
};

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXlsx(bytes: Uint8Array, context?: Unpacking): Promise<ExtractedFile> {
  const archive = await openArchive(bytes, context?.countUnpacked);
  const main = await mainPart(archive, 'xl/workbook.xml');
  if (main.endsWith('.bin')) return await extractBinary(archive, bytes);
  const part = await archive.read(main);
  if (part === undefined) throw corrupt('The workbook has no main part.');
  const relationships = await relationshipsOf(archive, main);
  const partNamed = async (wanted: string) => {
    const target = relationships.find(({ type }) => type === wanted)?.target;
    return target === undefined ? undefined : await archive.read(target);
  };
  const { sheets, epoch1904 } = readWorkbook(part, relationships);
  const cells: WorkbookCells = {
    strings: readSharedStrings(await partNamed('sharedStrings')),
    codes: readStyleCodes(await partNamed('styles')),
    format: cellFormatter({ epoch1904 }),
    countCells: cellCounter(),
  };
  const renderer = renderHtml();
  const parts = new Set(archive.names);
  const workbook = { archive, parts, cells, renderer, pageTexts: pageTexts(), unread: unreadOf() };
  for (const [i, sheet] of sheets.slice(0, SHEETS_MAX).entries()) await renderSheet(workbook, sheet, i + 1);
  const extracted = finishWorkbook(renderer);
  if (extracted.text === '' && workbook.unread.has('damaged')) throw damaged('its sheets cannot be unpacked');
  const warnings = [...workbook.unread.warnings(), ...(sheets.length > SHEETS_MAX ? [TOO_MANY_SHEETS] : [])];
  return { extracted, warnings, pageCount: sheets.length };
}

/**
 * Reads a workbook with binary parts ([MS-XLSB]) as the older ones, whose records these are. SheetJS unpacks all parts
 * without a limit, so they are counted before.
 */
async function extractBinary(archive: Archive, bytes: Uint8Array): Promise<ExtractedFile> {
  for (const name of archive.names) await archive.read(name);
  return await extractXls(bytes);
}

const TOO_MANY_SHEETS: FileWarning = {
  code: 'LIMIT_REACHED',
  message: `Of the sheets, the first ${SHEETS_MAX} were read.`,
};

/** Kinds of sheets whose cells or drawings a reader sees. Sheets of macros show formulas. */
const VISIBLE_KINDS = new Set(['worksheet', 'chartsheet', 'dialogsheet']);

async function renderSheet(workbook: Workbook, sheet: Sheet, page: number): Promise<void> {
  const { archive, renderer, cells, unread } = workbook;
  const { name, kind, part: partName, printTitles } = sheet;
  if (!VISIBLE_KINDS.has(kind)) return unread.add('macros', name);
  const writer = sheetWriter(renderer, { page, name });
  if (partName === undefined || !workbook.parts.has(partName)) return unread.add('missing', name);
  const part = await readUndamaged(archive, partName);
  if (part === undefined) return unread.add('damaged', name);
  const layout = await readLayout(archive, { part, sheet: partName, printTitles });
  writeParagraphs(renderer, workbook.pageTexts.take(layout.pageHeaders));
  unread.add('formula', name, readRows(part, { ...cells, layout, writeRow: writer.row }));
  writer.end();
  writeParagraphs(renderer, await textsBeside(archive, partName));
  writeParagraphs(renderer, workbook.pageTexts.take(layout.pageFooters));
  unread.add('object', name, layout.objects.size);
}
