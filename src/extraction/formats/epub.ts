/** Reads EPUB 3.3 books: the chapters, which are XHTML, in the order of the spine. */
import { posix } from 'node:path';
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { decodeText } from '../decode-text.ts';
import { corrupt, ExtractionError, encrypted } from '../extraction-error.ts';
import type { Attributes } from '../markup/markup-tokens.ts';
import { readHtml } from '../markup/read-html.ts';
import { attribute, readXml } from '../markup/read-xml.ts';
import { renderHtml } from '../rendering/html-renderer.ts';
import { type Archive, openArchive } from './archive.ts';
import { withoutNavigation } from './web/navigation.ts';
import { withVisibleText } from './web/visible-text.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractEpub(bytes: Uint8Array): Promise<ExtractedText> {
  const archive = await openArchive(bytes);
  const chapters = await chaptersOf(archive);
  // Fonts may be obfuscated, but chapters may not (EPUB 3.3, 4.2.6.3.2).
  const encryption = String(await archive.read('META-INF/encryption.xml'));
  if (chapters.some((name) => encryption.includes(name))) throw encrypted();
  const renderer = renderHtml();
  for (const name of chapters) {
    const chapter = await archive.read(name);
    if (chapter)
      readHtml(decodeText(chapter, { markup: 'xml' }), withVisibleText(withoutNavigation(renderer)), {
        isXml: true,
      });
  }
  return renderer.finish();
}

/**
 * The chapters' parts in reading order; all XHTML parts by name where no package lists them.
 * @throws FILE_CORRUPT where there are none
 */
async function chaptersOf(archive: Archive): Promise<string[]> {
  const parts = new Set(archive.names);
  const spine = (await readSpine(archive)).filter((name) => parts.has(name));
  if (spine.length > 0) return spine;
  const pages = archive.names.filter((name) => PAGE_NAME.test(name)).sort(byNumberedName.compare);
  if (pages.length === 0) throw corrupt('The book has neither a package document nor pages.');
  return pages;
}

const PAGE_NAME = /\.x?html?$/i;
/** Sorts chapter 10 after chapter 9. */
const byNumberedName = new Intl.Collator('en', { numeric: true });

/** The names of the parts in the spine of the book's package; empty where the package is missing or damaged. */
async function readSpine(archive: Archive): Promise<string[]> {
  const container = await readUndamaged(archive, 'META-INF/container.xml');
  const [root = ''] = container ? valuesOf(container, 'rootfile', 'full-path') : [];
  const book = await readUndamaged(archive, root);
  if (book === undefined) return [];
  const folder = posix.dirname(root);
  const items = new Map<string, string>();
  onElements(book, 'item', (attributes) => {
    const name = nameOf(attribute(attributes, 'href') ?? '');
    items.set(attribute(attributes, 'id') ?? '', posix.join(folder, name));
  });
  return valuesOf(book, 'itemref', 'idref').flatMap((id) => items.get(id) ?? []);
}

/** A part's bytes; undefined where it is missing or damaged. @throws FILE_ENCRYPTED, FILE_TOO_COMPLEX */
async function readUndamaged(archive: Archive, name: string): Promise<Buffer | undefined> {
  try {
    return await archive.read(name);
  } catch (error) {
    if (error instanceof ExtractionError && error.code === 'FILE_CORRUPT') return undefined;
    throw error;
  }
}

/** The part's name from its address. An address with invalid encoding is itself the name. */
function nameOf(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

function onElements(part: Uint8Array, element: string, take: (attributes: Attributes) => void): void {
  readXml(part, {
    open(name, attributes) {
      if (name === element) take(attributes);
    },
  });
}

function valuesOf(part: Uint8Array, element: string, name: string): string[] {
  const values: string[] = [];
  onElements(part, element, (attributes) => values.push(attribute(attributes, name) ?? ''));
  return values;
}
