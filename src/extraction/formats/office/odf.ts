/**
 * Reads OpenDocument texts, presentations and spreadsheets (OASIS OpenDocument 1.3, part 3).
 * SheetJS reads the spreadsheets too, but it writes out repeated rows: a file of 1 KB exhausts its memory.
 */

import type { ExtractedFile } from '../../extracted-file.ts';
import { corrupt, encrypted } from '../../extraction-error.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import { attribute } from '../../markup/read-xml.ts';
import { DATA_TABLE, type HtmlRenderer, renderHtml, writeElement } from '../../rendering/html-renderer.ts';
import { finishWorkbook } from '../../rendering/sheet-writer.ts';
import { type Translation, type Translator, translateXml } from '../../rendering/translate-xml.ts';
import { openArchive } from '../archive.ts';

export type OdfType = 'odt' | 'odp' | 'ods';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractOdf(bytes: Uint8Array, type: OdfType): Promise<ExtractedFile> {
  const archive = await openArchive(bytes);
  // Part 2, 4.8: the manifest lists encrypted parts.
  if ((await archive.read('META-INF/manifest.xml'))?.includes('encryption-data')) throw encrypted();
  const content = await archive.read('content.xml');
  if (content === undefined) throw corrupt('The document has no content.');
  const renderer = renderHtml({ keepBoilerplate: true });
  const { translator, pageCount } = odfTranslator(renderer, type);
  translateXml(content, renderer, translator);
  return {
    extracted: type === 'ods' ? finishWorkbook(renderer) : renderer.finish(),
    warnings: [],
    ...(type === 'odt' ? {} : { pageCount: pageCount() }),
  };
}

/** Deleted text, style descriptions, scripts, forms, pronunciation, and page numbers. */
const SKIPPED = new Set([
  'tracked-changes',
  'scripts',
  'font-face-decls',
  'automatic-styles',
  'forms',
  'ruby-text',
  'page-number',
  'named-expressions',
  'database-ranges',
  'calculation-settings',
  'content-validations',
  'settings',
]);

/** Elements that hold text directly. Elsewhere white space is the file's layout. */
const PARAGRAPHS = new Set(['p', 'h']);

/** Tracks pages, paragraphs, lists and the header rows of tables. */
function odfTranslator(renderer: HtmlRenderer, type: OdfType) {
  let pages = 0;
  let paragraphs = 0;
  /** For each open list entry, whether its first paragraph, which has the list marker, has been read. */
  const entries: boolean[] = [];
  const headerCells = headerFinder(type);
  const translator: Translator = {
    open(name, attributes) {
      if (SKIPPED.has(name)) return 'skip';
      headerCells.open(name);
      if (PARAGRAPHS.has(name)) paragraphs++;
      if (name === 'list-item') entries.push(false);
      if (name === 'page' || (name === 'table' && type === 'ods')) {
        pages++;
        beginPage(renderer, pages, type === 'ods' ? attribute(attributes, 'name') : undefined);
      }
      writeCharacter(renderer, name);
      return translationOf(name, {
        level: headingLevel(attributes),
        isEntry: entries.at(-1) === false,
        isHeader: headerCells.isHeader(),
      });
    },
    close(name) {
      headerCells.close(name);
      if (name === 'list-item') entries.pop();
      if (!PARAGRAPHS.has(name)) return;
      paragraphs--;
      if (entries.length > 0) entries[entries.length - 1] = true;
    },
    text: (text) => (paragraphs > 0 ? text : ''),
  };
  return { translator, pageCount: () => pages };
}

function beginPage(renderer: HtmlRenderer, page: number, name: string | undefined): void {
  renderer.beginPage(page);
  if (name) writeElement(renderer, 'h1', name);
}

/** Elements that stand for one character. */
function writeCharacter(renderer: HtmlRenderer, name: string): void {
  if (name === 's' || name === 'tab') renderer.text(' ');
  if (name === 'line-break') renderer.open('br');
}

type ElementContext = { level: number; isEntry: boolean; isHeader: boolean };

function translationOf(name: string, { level, isEntry, isHeader }: ElementContext): Translation {
  switch (name) {
    case 'table':
      return { element: 'table', attributes: DATA_TABLE };
    case 'table-row':
      return { element: 'tr' };
    case 'table-cell':
      return { element: isHeader ? 'th' : 'td' };
    case 'h':
      return { element: `h${level}` };
    case 'p':
      return { element: isEntry ? 'li' : 'p' };
    default:
      return undefined;
  }
}

/**
 * Finds header cells: those in the rows that a table declares as its header.
 * A sheet rarely declares one, so there the first row with text is the header.
 */
function headerFinder(type: OdfType) {
  let declared = 0;
  let rows = 0;
  return {
    open(name: string) {
      if (name === 'table-header-rows') declared++;
      if (name === 'table') rows = 0;
      if (name === 'table-row') rows++;
    },
    close(name: string) {
      if (name === 'table-header-rows') declared--;
    },
    isHeader: () => declared > 0 || (type === 'ods' && rows === 1),
  };
}

function headingLevel(attributes: Attributes): number {
  const level = Number(attribute(attributes, 'outline-level') ?? 1);
  return level >= 1 && level <= 6 ? Math.floor(level) : 6;
}
