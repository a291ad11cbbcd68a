/** Reads EPUB 2 and 3 books: the chapters, which are XHTML, in the order of the spine. */
import { isBlank } from '../../../indexing/split/extracted-text.ts';
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile, FileWarning } from '../../extracted-file.ts';
import { corrupt, damaged, encrypted } from '../../extraction-error.ts';
import { readHtml } from '../../markup/read-html.ts';
import type { Unpacking } from '../../reader-context.ts';
import { type HtmlRenderer, renderHtml } from '../../rendering/html-renderer.ts';
import { type Archive, openArchive, readUndamaged } from '../archive.ts';
import { withoutNavigation } from '../web/navigation.ts';
import { belowTitle, oneLine } from '../web/page-title.ts';
import { raisedClasses } from '../web/raised-text.ts';
import { withVisibleText } from '../web/visible-text.ts';
import { withHeading } from './chapter-heading.ts';
import { type Book, readBook } from './package-document.ts';

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractEpub(bytes: Uint8Array, context?: Unpacking): Promise<ExtractedFile> {
  const archive = await openArchive(bytes, context?.countUnpacked);
  const book = await readBook(archive);
  const chapters = chaptersOf(archive, book);
  // Fonts may be obfuscated, but chapters may not (EPUB 3.3, 4.2.6.3.2).
  const encryption = String(await archive.read('META-INF/encryption.xml'));
  if (chapters.some((name) => encryption.includes(name))) throw encrypted();
  const raised = await readRaisedClasses(archive);
  const renderer = renderHtml();
  const unread: string[] = [];
  for (const name of chapters) {
    const chapter = await readUndamaged(archive, name);
    const title = book.titles.get(name) ?? '';
    if (chapter) renderChapter(decodeText(chapter, { markup: 'xml' }), { title, raised }, renderer);
    else unread.push(title || name);
  }
  if (unread.length === chapters.length) throw damaged('none of its chapters can be unpacked');
  const extracted = renderer.finish();
  return {
    extracted: isBlank(extracted.text) ? extracted : belowTitle(extracted, oneLine(book.title)),
    warnings: unreadChapters(unread),
  };
}

/** A book has no menus: its notes and boxes are text. */
function renderChapter(page: string, { title, raised }: ChapterLook, renderer: HtmlRenderer): void {
  const rendered = HEADING.test(page) ? renderer : withHeading(title, renderer);
  readHtml(page, withVisibleText(withoutNavigation(rendered), raised), { isXml: true });
}

/** `raised`: the classes whose text the book's style sheets raise. */
type ChapterLook = { title: string; raised: ReadonlySet<string> };

/** Of all style sheets: programs do not use one class in two ways. */
async function readRaisedClasses(archive: Archive): Promise<Set<string>> {
  const raised = new Set<string>();
  for (const name of archive.names.filter((part) => part.endsWith('.css')))
    for (const found of raisedClasses(String((await readUndamaged(archive, name)) ?? ''))) raised.add(found);
  return raised;
}

const HEADING = /<(?:\w+:)?h[1-6][\s>]/i;

/**
 * The chapters' parts in reading order; all XHTML parts by name where no package lists them.
 * @throws FILE_CORRUPT where there are none
 */
function chaptersOf(archive: Archive, { chapters }: Book): string[] {
  const parts = new Set(archive.names);
  if (chapters.some((name) => parts.has(name))) return chapters;
  const pages = archive.names.filter((name) => PAGE_NAME.test(name)).sort(byNumberedName.compare);
  if (pages.length === 0) throw corrupt('The book has neither a package document nor pages.');
  return pages;
}

const PAGE_NAME = /\.x?html?$/i;
/** Sorts chapter 10 after chapter 9. */
const byNumberedName = new Intl.Collator('en', { numeric: true });

/** The names of this many chapters are listed. */
const NAMES_MAX = 5;

function unreadChapters(names: string[]): FileWarning[] {
  if (names.length === 0) return [];
  const listed = names.slice(0, NAMES_MAX).map((name) => `“${name}”`);
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  const were =
    names.length === 1 ? 'A chapter was not read, because it is' : 'Chapters were not read, because they are';
  return [{ code: 'PARTS_NOT_READ', message: `${were} damaged or missing: ${listed.join(', ')}${more}.` }];
}
