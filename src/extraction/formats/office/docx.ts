/** Reads Word documents (Office Open XML, ECMA-376 part 1, clause 17). */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { corrupt } from '../../extraction-error.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import { attribute } from '../../markup/read-xml.ts';
import { DATA_TABLE, type HtmlRenderer, renderHtml } from '../../rendering/html-renderer.ts';
import { type Translation, type Translator, translateXml } from '../../rendering/translate-xml.ts';
import { openArchive } from '../archive.ts';
import { headingLevels } from './docx-styles.ts';
import { mainPart, relationshipsOf } from './relationships.ts';

/** Other parts with text, in reading order. */
const FURTHER_PARTS = ['footnotes', 'endnotes', 'comments', 'header', 'footer'];

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractDocx(bytes: Uint8Array): Promise<ExtractedText> {
  const archive = await openArchive(bytes);
  const main = await mainPart(archive, 'word/document.xml');
  const body = await archive.read(main);
  if (body === undefined) throw corrupt('The document has no body.');
  const relationships = await relationshipsOf(archive, main);
  const styles = relationships.find(({ type }) => type === 'styles');
  const levels = headingLevels((styles && (await archive.read(styles.target))) ?? Buffer.alloc(0));
  const renderer = renderHtml({ keepBoilerplate: true });
  translateXml(body, renderer, wordTranslator(renderer, levels));
  for (const further of FURTHER_PARTS) {
    for (const { target } of relationships.filter(({ type }) => type === further)) {
      const part = await archive.read(target);
      if (part) translateXml(part, renderer, wordTranslator(renderer, levels));
    }
  }
  return renderer.finish();
}

/** Deleted and moved text, older duplicates of newer markup, field instructions, paragraph mark properties. */
const SKIPPED = new Set([
  'del',
  'moveFrom',
  'Fallback',
  'instrText',
  'delText',
  'rPr',
  'sectPr',
  'tblGrid',
  'binData',
]);

/** `firstRow` in the older form of a table's look, a bit mask (17.4.55). */
const FIRST_ROW_BIT = 0x20;

/**
 * A paragraph becomes an HTML element once its properties are known: they precede its text. Until then `element` is
 * undefined.
 * The last entry is the innermost open paragraph, since text boxes stand in paragraphs.
 */
type Paragraph = {
  element: string | undefined;
  style: string;
  outline: number | undefined;
  isListed: boolean;
};
type OpenTable = { hasHeader: boolean; rows: number; isHeaderRow: boolean };
type OpenBlocks = { paragraphs: Paragraph[]; tables: OpenTable[] };

function wordTranslator(renderer: HtmlRenderer, levels: ReadonlyMap<string, number>): Translator {
  const blocks: OpenBlocks = { paragraphs: [], tables: [] };
  let properties = 0;
  const settle = () => beginParagraph(renderer, blocks, levels);
  return {
    open(name, attributes) {
      if (SKIPPED.has(name)) return 'skip';
      if (properties > 0 || PROPERTIES.has(name)) {
        properties++;
        readProperty(blocks, name, attributes);
        return undefined;
      }
      if (name === 'p' || name === 'tbl') settle();
      if (name === 'p')
        blocks.paragraphs.push({ element: undefined, style: '', outline: undefined, isListed: false });
      writeCharacter(renderer, name);
      return tableElement(blocks, name);
    },
    close(name) {
      if (properties > 0) {
        properties--;
        return;
      }
      if (name === 'tbl') blocks.tables.pop();
      if (name !== 'p') return;
      const element = blocks.paragraphs.pop()?.element;
      if (element !== undefined) renderer.close(element);
    },
    text(text) {
      // White space between elements is the file's layout. The text's own white space stands in paragraphs.
      if (properties > 0 || blocks.paragraphs.length === 0) return '';
      settle();
      return text;
    },
  };
}

function beginParagraph(
  renderer: HtmlRenderer,
  { paragraphs }: OpenBlocks,
  levels: ReadonlyMap<string, number>,
): void {
  const paragraph = paragraphs.at(-1);
  if (!paragraph || paragraph.element !== undefined) return;
  const level = paragraph.outline ?? levels.get(paragraph.style);
  paragraph.element = level ? `h${Math.min(level, 6)}` : paragraph.isListed ? 'li' : 'p';
  renderer.open(paragraph.element);
}

function readProperty({ paragraphs, tables }: OpenBlocks, name: string, attributes: Attributes): void {
  const paragraph = paragraphs.at(-1);
  const table = tables.at(-1);
  const value = attribute(attributes, 'val') ?? '';
  if (name === 'tblHeader' && table && value !== '0' && value !== 'false') table.isHeaderRow = true;
  if (name === 'tblLook' && table) table.hasHeader = marksFirstRow(attributes);
  if (!paragraph) return;
  if (name === 'pStyle') paragraph.style = value;
  if (name === 'numPr') paragraph.isListed = true;
  // Level 9 (from 0) means body text.
  if (name === 'outlineLvl' && Number(value) < 9) paragraph.outline = Number(value) + 1;
}

/** Elements that stand for one character. */
function writeCharacter(renderer: HtmlRenderer, name: string): void {
  if (name === 'tab') renderer.text(' ');
  if (name === 'noBreakHyphen') renderer.text('\u2011');
  if (name === 'br' || name === 'cr') renderer.open('br');
}

function tableElement({ tables }: OpenBlocks, name: string): Translation {
  const table = tables.at(-1);
  switch (name) {
    case 'tbl':
      tables.push({ hasHeader: false, rows: 0, isHeaderRow: false });
      return { element: 'table', attributes: DATA_TABLE };
    case 'tr':
      if (table) table.isHeaderRow = table.rows++ === 0 && table.hasHeader;
      return { element: 'tr' };
    case 'tc':
      return { element: table?.isHeaderRow ? 'th' : 'td' };
    default:
      return undefined;
  }
}

const PROPERTIES = new Set(['pPr', 'tblPr', 'trPr', 'tcPr']);

function marksFirstRow(look: Attributes): boolean {
  const flag = attribute(look, 'firstRow');
  if (flag !== undefined) return flag === '1' || flag === 'true';
  return (Number.parseInt(attribute(look, 'val') ?? '0', 16) & FIRST_ROW_BIT) !== 0;
}
