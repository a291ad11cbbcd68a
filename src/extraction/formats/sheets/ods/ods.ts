/**
 * Reads OpenDocument spreadsheets (OASIS OpenDocument 1.3, part 3, clause 9): each sheet is a page, its name a heading.
 * SheetJS reads them too, but it writes out repeated rows: a file of 1 KB exhausts its memory.
 */
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { readXml } from '../../../markup/read-xml.ts';
import type { Unpacking } from '../../../reader-context.ts';
import { type HtmlRenderer, renderHtml } from '../../../rendering/html-renderer.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { cellCounter, finishWorkbook, sheetWriter } from '../../../rendering/sheet-writer.ts';
import { type OdfParts, odfParts } from '../../office/odf/odf-parts.ts';
import { pageTexts } from '../page-header.ts';
import { writeParagraphs } from '../sheet-paragraphs.ts';
import { type Unread, unreadOf } from '../unread.ts';
import { chartTitles } from './charts.ts';
import { declaredHeaders } from './declared-headers.ts';
import { masterPageTexts } from './page-texts.ts';
import { type SheetsTarget, sheetEvents } from './sheet-events.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractOds(bytes: Uint8Array, unpacking?: Unpacking): Promise<ExtractedFile> {
  const parts = await odfParts(bytes, unpacking);
  const renderer = renderHtml();
  const unread = unreadOf();
  const { target, sheets, isCut } = sheetsTarget(parts, renderer, unread);
  readXml(parts.content, sheetEvents(target));
  return {
    extracted: finishWorkbook(renderer),
    warnings: [...unread.warnings(), ...(isCut() ? [CUT] : [])],
    pageCount: sheets(),
  };
}

const CUT: FileWarning = {
  code: 'LIMIT_REACHED',
  message: 'Of cells and rows with the same content side by side, the first 1,000 were read.',
};

function sheetsTarget(parts: OdfParts, renderer: HtmlRenderer, unread: Unread) {
  const headersOf = declaredHeaders(parts);
  const masterPages = masterPageTexts(parts.styles);
  const titlesOf = objectReader(parts.objects);
  const printed = pageTexts();
  const countCells = cellCounter();
  let sheets = 0;
  let isCut = false;
  const target: SheetsTarget = {
    begin({ name, masterPage }) {
      const { headers = [], footers = [] } = masterPages.get(masterPage) ?? {};
      const writer = sheetWriter(renderer, { page: ++sheets, name });
      const notes: CellText[] = [];
      writeParagraphs(renderer, printed.take(headers));
      return {
        headers: headersOf(name),
        row: writer.row,
        countCells,
        note: (text) => notes.push(text),
        object(address) {
          const titles = titlesOf(address);
          if (titles) notes.push(...titles);
          else unread.add('object', name);
        },
        onLimit() {
          isCut = true;
        },
        end() {
          writer.end();
          writeParagraphs(renderer, notes);
          writeParagraphs(renderer, printed.take(footers));
        },
      };
    },
  };
  return { target, sheets: () => sheets, isCut: () => isCut };
}

/**
 * Returns a function from the address of an object (`./Object 1`) to its titles; undefined where it is no chart. Each
 * is read once, so that a file that shows one again and again takes linear time.
 */
function objectReader(objects: OdfParts['objects']): (address: string | undefined) => string[] | undefined {
  const read = new Set<string>();
  return (address) => {
    const name = address?.replace(/^\.\//, '') ?? '';
    if (read.has(name)) return [];
    const content = objects.get(name);
    if (content) read.add(name);
    return content && chartTitles(content);
  };
}
