/**
 * Reads workbooks (Office Open XML, ECMA-376 part 1, clause 18): each sheet is a page, its name a heading.
 * SheetJS reads them too, but it unpacks every part without a limit: a file of 0.5 MB took 1.1 GB of memory.
 */

import type { ExtractedFile } from '../../../extracted-file.ts';
import { corrupt } from '../../../extraction-error.ts';
import { attribute, readXml } from '../../../markup/read-xml.ts';
import { type HtmlRenderer, renderHtml } from '../../../rendering/html-renderer.ts';
import { cellCounter, finishWorkbook, sheetWriter } from '../../../rendering/sheet-writer.ts';
import { type Archive, openArchive } from '../../archive.ts';
import { mainPart, type Relationship, relationshipId, relationshipsOf } from '../../office/relationships.ts';
import { cellFormatter, readStyleCodes } from '../cell-formats.ts';
import { type Area, printedRows } from '../cell-references.ts';
import { readLayout } from './layout.ts';
import { readRows, type WorkbookCells } from './rows.ts';
import { readSharedStrings } from './strings.ts';

type Sheet = { name: string; part: string; printTitles: Area | undefined };

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXlsx(bytes: Uint8Array): Promise<ExtractedFile> {
  const archive = await openArchive(bytes);
  const main = await mainPart(archive, 'xl/workbook.xml');
  const workbook = await archive.read(main);
  if (workbook === undefined) throw corrupt('The workbook has no main part.');
  const relationships = await relationshipsOf(archive, main);
  const partNamed = async (wanted: string) => {
    const target = relationships.find(({ type }) => type === wanted)?.target;
    return target === undefined ? undefined : await archive.read(target);
  };
  const { sheets, epoch1904 } = readWorkbook(workbook, relationships);
  const cells: WorkbookCells = {
    strings: readSharedStrings(await partNamed('sharedStrings')),
    codes: readStyleCodes(await partNamed('styles')),
    format: cellFormatter({ epoch1904 }),
    countCells: cellCounter(),
  };
  const renderer = renderHtml({ keepBoilerplate: true });
  for (const [i, sheet] of sheets.entries())
    await renderSheet(archive, { ...sheet, page: i + 1 }, { cells, renderer });
  return { extracted: finishWorkbook(renderer), warnings: [], pageCount: sheets.length };
}

async function renderSheet(
  archive: Archive,
  { name, part, printTitles, page }: Sheet & { page: number },
  { cells, renderer }: { cells: WorkbookCells; renderer: HtmlRenderer },
): Promise<void> {
  const sheet = await archive.read(part);
  if (sheet === undefined) return;
  const layout = await readLayout(archive, { part: sheet, sheet: part, printTitles });
  const writer = sheetWriter(renderer, { page, name });
  readRows(sheet, { ...cells, layout, writeRow: writer.row });
  writer.end();
  await renderComments(archive, part, renderer);
}

/** Excel's name for the rows and columns that are printed on each page. */
const PRINT_TITLES = '_xlnm.Print_Titles';

function readWorkbook(workbook: Uint8Array, relationships: Relationship[]) {
  const sheets: (Sheet | undefined)[] = [];
  const titles = new Map<number, Area>();
  let epoch1904 = false;
  let titled: { sheet: number; reference: string } | undefined;
  readXml(workbook, {
    open(name, attributes) {
      if (name === 'workbookPr') epoch1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name === 'definedName' && attribute(attributes, 'name') === PRINT_TITLES)
        titled = { sheet: Number(attribute(attributes, 'localSheetId') ?? -1), reference: '' };
      if (name !== 'sheet') return;
      const related = relationships.find(({ id }) => id === relationshipId(attributes));
      const isSheet = related?.type === 'worksheet';
      sheets.push(
        isSheet
          ? { name: attribute(attributes, 'name') ?? '', part: related.target, printTitles: undefined }
          : undefined,
      );
    },
    close(name) {
      const area = name === 'definedName' && titled ? printedRows(titled.reference) : undefined;
      if (titled && area) titles.set(titled.sheet, area);
      if (name === 'definedName') titled = undefined;
    },
    text(written) {
      if (titled) titled.reference += written;
    },
  });
  const titledSheets = sheets.map((sheet, i) => sheet && { ...sheet, printTitles: titles.get(i) });
  return { sheets: titledSheets.filter((sheet) => sheet !== undefined), epoch1904 };
}

/** Comments on cells, as paragraphs after the sheet. */
async function renderComments(archive: Archive, sheet: string, renderer: HtmlRenderer): Promise<void> {
  const relationships = await relationshipsOf(archive, sheet);
  for (const { target } of relationships.filter(({ type }) => type === 'comments')) {
    const part = await archive.read(target);
    let inText = false;
    if (!part) continue;
    readXml(part, {
      open(name) {
        if (name === 'comment') renderer.open('p');
        inText = name === 't';
      },
      close(name) {
        if (name === 'comment') renderer.close('p');
        inText = false;
      },
      text(written) {
        if (inText) renderer.text(written);
      },
    });
  }
}
