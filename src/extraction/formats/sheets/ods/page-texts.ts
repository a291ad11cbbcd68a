/**
 * Reads headers and footers of printed sheets (OpenDocument 1.3 part 3, 16.9 to 16.14), with the codes of xlsx files.
 */
import { attribute, readXml } from '../../../markup/read-xml.ts';

/** The texts of a master page. */
export type PageTexts = { headers: string[]; footers: string[] };

const KINDS = new Map<string, keyof PageTexts>([
  ['header', 'headers'],
  ['header-left', 'headers'],
  ['header-first', 'headers'],
  ['footer', 'footers'],
  ['footer-left', 'footers'],
  ['footer-first', 'footers'],
]);

/** Fields that stand for a number of pages, and others: they differ on each page, or name the file. */
const PAGE_FIELDS = new Set(['page-number', 'page-count']);
const OTHER_FIELDS = new Set([
  'sheet-name',
  'title',
  'date',
  'time',
  'file-name',
  'creation-date',
  'print-date',
]);

/** The texts of master pages by their names. Parts of a header (`region-left`) and paragraphs are apart. */
export function masterPageTexts(styles: Uint8Array): Map<string, PageTexts> {
  const pages = new Map<string, PageTexts>();
  let page: PageTexts | undefined;
  let text: string | undefined;
  let fields = 0;
  const isField = (name: string) => PAGE_FIELDS.has(name) || OTHER_FIELDS.has(name);
  readXml(styles, {
    open(name, attributes) {
      if (name === 'master-page') {
        page = { headers: [], footers: [] };
        pages.set(attribute(attributes, 'name') ?? '', page);
      }
      if (page && KINDS.has(name) && attribute(attributes, 'display') !== 'false') text = '';
      if (text === undefined) return;
      if (name === 'p' || /^region-/.test(name)) text += '&C';
      if (name === 's' || name === 'tab' || name === 'line-break') text += ' ';
      if (PAGE_FIELDS.has(name)) text += '&P';
      if (isField(name)) fields++;
    },
    close(name) {
      if (isField(name) && text !== undefined) fields--;
      const kind = KINDS.get(name);
      if (!kind || text === undefined) return;
      page?.[kind].push(text);
      text = undefined;
    },
    text(written) {
      if (text !== undefined && fields === 0) text += written.replaceAll('&', '&&');
    },
  });
  return pages;
}
