/**
 * Reads OpenDocument spreadsheets (OASIS OpenDocument 1.3, part 3, clause 9): each sheet is a page, its name a heading.
 * SheetJS reads them too, but it writes out repeated rows: a file of 1 KB exhausts its memory.
 */
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { corrupt, encrypted } from '../../../extraction-error.ts';
import { readXml } from '../../../markup/read-xml.ts';
import { renderHtml } from '../../../rendering/html-renderer.ts';
import { cellCounter, finishWorkbook } from '../../../rendering/sheet-writer.ts';
import { openArchive } from '../../archive.ts';
import { sheetEvents } from './sheet-events.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractOds(bytes: Uint8Array): Promise<ExtractedFile> {
  const archive = await openArchive(bytes);
  // Part 2, 4.8: the manifest lists encrypted parts.
  if ((await archive.read('META-INF/manifest.xml'))?.includes('encryption-data')) throw encrypted();
  const content = await archive.read('content.xml');
  if (content === undefined) throw corrupt('The document has no content.');
  const renderer = renderHtml({ keepBoilerplate: true });
  const { events, result } = sheetEvents({ renderer, countCells: cellCounter() });
  readXml(content, events);
  const { sheets, isCut } = result();
  return { extracted: finishWorkbook(renderer), warnings: isCut ? [CUT] : [], pageCount: sheets };
}

const CUT: FileWarning = {
  code: 'LIMIT_REACHED',
  message: 'Of cells and rows with the same content side by side, the first 1,000 were read.',
};
