/** Derives paragraphs and headings from the lines of a PDF, which declares neither. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../../indexing/split/markdown.ts';
import { type HtmlRenderer, renderHtml, writeElement } from '../../rendering/html-renderer.ts';
import type { LinePart, PdfLine } from './lines/page-lines.ts';

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
  const renderer = renderHtml();
  for (const [i, lines] of pages.entries()) {
    renderer.beginPage(i + 1);
    for (const block of blocksOf(lines, levelOf)) writeBlock(renderer, block, levelOf);
  }
  return renderer.finish();
}

/** The text with how sure it is of each page; `confidences`: from 0 to 1, undefined where nothing was recognised. */
export const withConfidences = (
  extracted: ExtractedText,
  confidences: (number | undefined)[],
): ExtractedText => ({
  ...extracted,
  pages: extracted.pages.map((start) => {
    const recognised = confidences[(start.page ?? 0) - 1];
    return recognised === undefined ? start : { ...start, recognised };
  }),
});

type LevelOf = (line: PdfLine) => number | undefined;

/** Letter sizes above the most frequent one are heading levels, the largest is 1. A long line is not a heading. */
function headingLevels(pages: PdfLine[][]): LevelOf {
  const weights = new Map<number, number>();
  for (const { size, text } of pages.flat()) weights.set(size, (weights.get(size) ?? 0) + text.length);
  weights.delete(0);
  const least = mostFrequent(weights) * HEADING_MIN_RATIO;
  const sizes = [...weights.keys()].filter((size) => size >= least).sort((a, b) => b - a);
  return ({ size, text }) => {
    if (size === 0 || size < least || text.length > HEADING_MAX_LENGTH || !/\p{L}{2}/u.test(text))
      return undefined;
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
      (line.gap <= PARAGRAPH_GAP_RATIO * Math.max(line.size, last.size) || isTornWord(last, line));
    if (continues) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

function writeBlock(renderer: HtmlRenderer, lines: PdfLine[], levelOf: LevelOf): void {
  const [first] = lines;
  const level = first && levelOf(first);
  if (level === undefined) {
    writeParagraph(renderer, lines);
    return;
  }
  renderer.open(`h${level}`);
  for (const { parts } of lines) {
    writeParts(renderer, parts);
    renderer.text(' ');
  }
  renderer.close(`h${level}`);
}

function writeParagraph(renderer: HtmlRenderer, lines: PdfLine[]): void {
  renderer.open('p');
  for (const [i, line] of lines.entries()) {
    const isTorn = isTornWord(line, lines[i + 1]);
    writeParts(renderer, isTorn ? withoutHyphen(line.parts) : line.parts);
    if (!isTorn) renderer.open('br');
  }
  renderer.close('p');
}

function writeParts(renderer: HtmlRenderer, parts: LinePart[]): void {
  for (const { text, isRaised } of parts) {
    if (isRaised) writeElement(renderer, 'sup', text);
    else renderer.text(text);
  }
}

const isTornWord = (line: PdfLine, next: PdfLine | undefined): boolean =>
  HYPHEN.test(line.text) && CONTINUATION.test(next?.text ?? '');

function withoutHyphen(parts: LinePart[]): LinePart[] {
  return parts.with(-1, { isRaised: false, text: (parts.at(-1)?.text ?? '').trimEnd().slice(0, -1) });
}

/** A word that is hyphenated at the end of its line. */
const HYPHEN = /\p{L}[-\u00ad\u2010]$/u;
const CONTINUATION = /^\p{Ll}{2}/u;

/** The size with the greatest weight; 0 where there is none. */
function mostFrequent(weights: ReadonlyMap<number, number>): number {
  let most = 0;
  let found = 0;
  for (const [size, weight] of weights) {
    if (weight > most) {
      most = weight;
      found = size;
    }
  }
  return found;
}
