/** Makes typical uploads: a report as PDF, pages of the everyday formats, and a hostile file. */

import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { docxOf, pdfOf } from '../../../src/extraction/testing/made-files.ts';
import { writeZip } from '../../../src/extraction/testing/write-zip.ts';

export type TypicalFile = { fileName: string; bytes: Uint8Array<ArrayBuffer> };

/** A printed page: lines of 90 characters in 10 points, 50 of them on a page of letter size. */
const LINE_CHARACTERS = 90;
const PAGE_LINES = 50;
const FONT_SIZE = 10;
const LEADING = 13;
/** A page or two of text. */
const SMALL_CHARACTERS = 4_000;

/** A PDF with this many full pages. */
export function makePdf(pageCount: number, seed: number): TypicalFile {
  const text = makeText('english', pageCount * PAGE_LINES * LINE_CHARACTERS, seed).replaceAll('\n', ' ');
  const lineAt = (line: number) => ({
    size: FONT_SIZE,
    text: text.slice(line * LINE_CHARACTERS, (line + 1) * LINE_CHARACTERS),
  });
  const pages = Array.from({ length: pageCount }, (_, page) =>
    Array.from({ length: PAGE_LINES }, (_, line) => lineAt(page * PAGE_LINES + line)),
  );
  return { fileName: 'report.pdf', bytes: Uint8Array.from(pdfOf(pages, LEADING)) };
}

const elements = (name: string, paragraphs: string[]) =>
  paragraphs.map((paragraph) => `<${name}>${paragraph}</${name}>`).join('\n');

const docx = (paragraphs: string[]) =>
  writeZip(docxOf(paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')));

/** More than the service unpacks from one archive (src/extraction/extraction-limits.ts). */
const BOMB_CHARACTERS = 256 * 1024 ** 2;

/** A Word file of some 300 KiB that contains a thousand times as much text. */
export const makeBomb = (): TypicalFile => ({
  fileName: 'bomb.docx',
  bytes: Uint8Array.from(docx([' zebra'.repeat(BOMB_CHARACTERS / ' zebra'.length)])),
});

/** Paragraphs → file. The paragraphs contain no character that any of these formats escapes. */
const WRITERS: Record<string, (paragraphs: string[]) => string | Buffer> = {
  txt: (paragraphs) => paragraphs.join('\n\n'),
  md: (paragraphs) => `# Report\n\n${paragraphs.join('\n\n')}`,
  html: (paragraphs) =>
    `<!doctype html><html><body><h1>Report</h1>${elements('p', paragraphs)}</body></html>`,
  csv: (paragraphs) => `Number,Text\n${paragraphs.map((text, i) => `${i},"${text}"\n`).join('')}`,
  json: (paragraphs) => JSON.stringify({ title: 'Report', paragraphs }),
  docx,
};

/** The formats of small files, in the order of their seeds. */
export const SMALL_FORMATS = Object.keys(WRITERS);

/** A small file. The format follows from the seed. */
export function makeSmallFile(seed: number): TypicalFile {
  const format = SMALL_FORMATS[seed % SMALL_FORMATS.length] ?? 'txt';
  const paragraphs = makeText('english', SMALL_CHARACTERS, seed).trim().split(/\n+/);
  const content = WRITERS[format]?.(paragraphs) ?? '';
  return { fileName: `report ${seed}.${format}`, bytes: Uint8Array.from(Buffer.from(content)) };
}
