/** Reads electronic books (EPUB 3.3): the chapters, which are XHTML, in the order of the spine. */
import { posix } from 'node:path';
import type { ExtractedText } from '../../retrieval/extracted-text.ts';
import { decodeText } from '../decode-text.ts';
import { corrupt, encrypted } from '../extraction-limits.ts';
import { readTags } from '../html-tags.ts';
import { renderHtml } from '../html-text.ts';
import { type Archive, openArchive } from './archive.ts';
import { attribute, readXml, type XmlAttributes } from './xml.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractEpub(bytes: Uint8Array): Promise<ExtractedText> {
  const archive = await openArchive(bytes);
  const chapters = await chaptersOf(archive);
  // Fonts may be obfuscated by it; chapters may not (EPUB 3.3, 4.2.6.3.2).
  const encryption = String(await archive.read('META-INF/encryption.xml'));
  if (chapters.some((name) => encryption.includes(name))) throw encrypted();
  const renderer = renderHtml({ keepBoilerplate: false });
  for (const name of chapters) {
    const chapter = await archive.read(name);
    if (chapter) readTags(decodeText(chapter, { markup: 'xml' }), renderer);
  }
  const { title: _everyChapters, ...extracted } = renderer.finish();
  return extracted;
}

/** The parts that the book is read in; without a readable package, all XHTML parts by name. */
async function chaptersOf(archive: Archive): Promise<string[]> {
  const container = await archive.read('META-INF/container.xml');
  const [root] = container ? valuesOf(container, 'rootfile', 'full-path') : [];
  const book = root === undefined ? undefined : await archive.read(root);
  if (root === undefined || book === undefined) throw corrupt('The book has no package document.');
  const folder = posix.dirname(root);
  const items = new Map<string, string>();
  onElements(book, 'item', (attributes) => {
    const name = nameOf(attribute(attributes, 'href') ?? '');
    items.set(attribute(attributes, 'id') ?? '', posix.join(folder, name));
  });
  return valuesOf(book, 'itemref', 'idref').flatMap((id) => items.get(id) ?? []);
}

/** The name of the part that an address means; where it is not encoded as addresses are, the address itself. */
function nameOf(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

function onElements(part: Uint8Array, element: string, take: (attributes: XmlAttributes) => void): void {
  readXml(part, {
    open(name, attributes) {
      if (name === element) take(attributes);
    },
    close() {},
    text() {},
  });
}

function valuesOf(part: Uint8Array, element: string, name: string): string[] {
  const values: string[] = [];
  onElements(part, element, (attributes) => values.push(attribute(attributes, name) ?? ''));
  return values;
}
