/** Derives paragraphs and headings from the lines of a PDF, which declares neither. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../../indexing/split/markdown.ts';
import { type HtmlRenderer, renderHtml, writeElement } from '../../rendering/html-renderer.ts';
import { mostFrequent, type PdfLine } from './lines.ts';

/** Minimum size of a heading's letters, relative to the text's letters. */
const HEADING_MIN_RATIO = 1.15;
/** A gap above this multiple of the line's size separates paragraphs (1.2 is usual within one). */
const PARAGRAPH_GAP_RATIO = 1.7;

/**
 * The text of all pages, from their lines.
 * @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function renderPages(pages: PdfLine[][]): ExtractedText {
  const levelOf = headingLevels(pages);
  const renderer = renderHtml({ keepBoilerplate: true });
  for (const [i, lines] of pages.entries()) {
    renderer.beginPage(i + 1);
    for (const block of blocksOf(lines, levelOf)) writeBlock(renderer, block, levelOf);
  }
  return renderer.finish();
}

type LevelOf = (line: PdfLine) => number | undefined;

/** Letter sizes above the most frequent one are heading levels, the largest is 1. A long line is not a heading. */
function headingLevels(pages: PdfLine[][]): LevelOf {
  const weights = new Map<number, number>();
  for (const { size, text } of pages.flat()) weights.set(size, (weights.get(size) ?? 0) + text.length);
  weights.delete(0);
  const least = mostFrequent(weights) * HEADING_MIN_RATIO;
  const sizes = [...weights.keys()].filter((size) => size >= least).sort((a, b) => b - a);
  return ({ size, text }) => {
    if (size < least || text.length > HEADING_MAX_LENGTH || !/\p{L}{2}/u.test(text)) return undefined;
    return Math.min(sizes.indexOf(size) + 1, 6);
  };
}

/** Lines that belong together: a heading's lines, or a paragraph's. */
function blocksOf(lines: PdfLine[], levelOf: LevelOf): PdfLine[][] {
  const blocks: PdfLine[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1)?.at(-1);
    const continues =
      last !== undefined &&
      levelOf(last) === levelOf(line) &&
      line.gap <= PARAGRAPH_GAP_RATIO * Math.max(line.size, last.size);
    if (continues) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

function writeBlock(renderer: HtmlRenderer, lines: PdfLine[], levelOf: LevelOf): void {
  const [first] = lines;
  const level = first && levelOf(first);
  if (level !== undefined) writeElement(renderer, `h${level}`, lines.map(({ text }) => text).join(' '));
  else writeParagraph(renderer, lines);
}

function writeParagraph(renderer: HtmlRenderer, lines: PdfLine[]): void {
  renderer.open('p');
  for (const [i, { text }] of lines.entries()) {
    const next = lines[i + 1]?.text ?? '';
    const isTorn = HYPHEN.test(text) && CONTINUATION.test(next);
    renderer.text(isTorn ? text.replace(HYPHEN, '$1') : text);
    if (!isTorn) renderer.open('br');
  }
  renderer.close('p');
}

/** A word that is hyphenated at the end of its line. */
const HYPHEN = /(\p{L})[-\u00ad\u2010]$/u;
const CONTINUATION = /^\p{Ll}{2}/u;
