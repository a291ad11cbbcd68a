/** What the package of an EPUB says of the book: its title, its chapters in reading order, and their titles. */
import { posix } from 'node:path';
import type { Attributes } from '../../markup/markup-tokens.ts';
import { attribute, readXml } from '../../markup/read-xml.ts';
import { type Archive, readUndamaged } from '../archive.ts';
import { readContents } from './contents.ts';

/** `titles`: the titles of chapters in the table of contents, by the names of their parts; empty without one. */
export type Book = { title: string; chapters: string[]; titles: ReadonlyMap<string, string> };

type Item = { name: string; mediaType: string; properties: string[]; fallback: string };

const PAGE_NAME = /\.x?html?$/i;
/** Pages (EPUB 3.3, 3.2), and the older digital talking books. */
const PAGE_TYPE =
  /^(?:application\/(?:xhtml\+xml|x-dtbook\+xml|xml)|text\/(?:html|xml|x-oeb1-document)|image\/svg\+xml)/;
const NCX_TYPE = 'application/x-dtbncx+xml';

/** The book of an archive; without title and chapters where its package is missing or damaged. */
export async function readBook(archive: Archive): Promise<Book> {
  const container = await readUndamaged(archive, 'META-INF/container.xml');
  const [root = ''] = container ? valuesOf(container, 'rootfile', 'full-path') : [];
  const document = await readUndamaged(archive, root);
  if (document === undefined) return { title: '', chapters: [], titles: new Map() };
  const items = readItems(document, posix.dirname(root));
  const spine = valuesOf(document, 'itemref', 'idref').flatMap((id) => pageOf(items, id) ?? []);
  // The table of contents repeats the headings of the book.
  const isContents = ({ properties }: Item) => properties.includes('nav');
  const pages = spine.every(isContents) ? spine : spine.filter((item) => !isContents(item));
  return {
    title: titleOf(document),
    chapters: pages.map(({ name }) => name),
    titles: await readTitles(archive, [...items.values()]),
  };
}

function readItems(document: Uint8Array, folder: string): Map<string, Item> {
  const items = new Map<string, Item>();
  onElements(document, 'item', (attributes) => {
    const value = (name: string) => attribute(attributes, name) ?? '';
    items.set(value('id'), {
      name: posix.join(folder, partName(value('href'))),
      mediaType: value('media-type'),
      properties: value('properties').split(/\s+/),
      fallback: value('fallback'),
    });
  });
  return items;
}

/** A page, or the page that stands for a picture or another resource (EPUB 3.3, 3.5.1); undefined without one. */
function pageOf(items: ReadonlyMap<string, Item>, id: string): Item | undefined {
  const tried = new Set<string>();
  for (let at = id; !tried.has(at); ) {
    tried.add(at);
    const item = items.get(at);
    if (!item) return undefined;
    if (PAGE_TYPE.test(item.mediaType) || PAGE_NAME.test(item.name)) return item;
    at = item.fallback;
  }
  return undefined;
}

/** The titles in the table of contents: of EPUB 3, else of EPUB 2. */
async function readTitles(archive: Archive, items: Item[]): Promise<Map<string, string>> {
  const nav = items.find(({ properties }) => properties.includes('nav'));
  const ncx = items.find(({ mediaType }) => mediaType === NCX_TYPE);
  for (const item of [nav, ncx]) {
    const part = item && (await readUndamaged(archive, item.name));
    const titles = part && readContents(part);
    if (!item || !titles || titles.size === 0) continue;
    const folder = posix.dirname(item.name);
    return new Map([...titles].map(([href, title]) => [posix.join(folder, partName(href)), title]));
  }
  return new Map();
}

/** The first title of the book's metadata. */
function titleOf(document: Uint8Array): string {
  let title: string | undefined;
  let isOpen = false;
  readXml(document, {
    open(name) {
      isOpen = name === 'title' && title === undefined;
      if (isOpen) title = '';
    },
    close() {
      isOpen = false;
    },
    text(written) {
      if (isOpen) title += written;
    },
  });
  return title ?? '';
}

/** The part's name from its address, without a place in it. An address with invalid encoding is itself the name. */
function partName(href: string): string {
  const address = href.trim().replace(/#.*$/s, '');
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
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
