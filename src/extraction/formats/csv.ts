/**
 * Reads comma-, semicolon- and tab-separated values (RFC 4180 and what spreadsheets write) as one table.
 * A quote that is never closed is text here (`"5 inch`). csv-parse refuses such a file, and papaparse joins its rows.
 */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import { decodeText } from '../decode-text.ts';
import { renderHtml } from '../rendering/html-renderer.ts';
import { sheetWriter } from '../rendering/sheet-writer.ts';

const SEPARATORS = [',', ';', '\t', '|'];

/** Separators are counted in this many characters. */
const SEPARATOR_SAMPLE_LENGTH = 8_192;

/**
 * Never refuses a file: a text without a table becomes rows of one cell.
 * @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function extractCsv(bytes: Uint8Array, charset?: string): ExtractedText {
  const decoded = decodeText(bytes, { charset });
  const [line = '', declared] = DECLARED_SEPARATOR.exec(decoded) ?? [];
  const text = decoded.slice(line.length);
  const renderer = renderHtml();
  const writer = sheetWriter(renderer, {});
  const quote = quoteOf(text);
  const separator = declared ?? separatorOf(text, quote);
  let index = 0;
  for (const cells of rowsOf(text, { separator, quote }))
    writer.row({ index: index++, cells: cells.map((cell) => cell.replace(QUOTED_VALUE, '$1')) });
  writer.end();
  return renderer.finish();
}

/** A first line by which Excel knows the separator. */
const DECLARED_SEPARATOR = /^\ufeff?"?sep=(.)"?\r?\n/i;

/** A cell that a program wrote as a formula, so that Excel keeps leading zeros and long numbers: `="0049"`. */
const QUOTED_VALUE = /^="([^"]*)"$/;

/** `'Elm','quiet, north side'`: what some databases write. */
const APOSTROPHES = /(?:^|[,;\t|])[ ]?'(?:[^']|'')*'(?=[,;\t|\r]|$)/;
/** Cells in apostrophes stand in this share of the lines. A cell may begin with one that it has itself. */
const APOSTROPHES_SHARE = 0.9;

const linesOf = (text: string): string[] =>
  text
    .slice(0, SEPARATOR_SAMPLE_LENGTH)
    .split('\n')
    .slice(0, 20)
    .filter((line) => line !== '');

/** The mark around cells that hold separators. */
function quoteOf(text: string): string {
  const lines = linesOf(text);
  const quoted = lines.filter((line) => APOSTROPHES.test(line)).length;
  const isApostrophe = lines.length > 1 && quoted >= APOSTROPHES_SHARE * (lines.length - 1);
  return isApostrophe && !lines.some((line) => line.includes('"')) ? "'" : '"';
}

/** The separator that occurs in most lines of the head, outside of quotes, equally often. */
function separatorOf(text: string, quote: string): string {
  const lines = linesOf(
    text.slice(0, SEPARATOR_SAMPLE_LENGTH).replace(quote === '"' ? /"[^"]*"/g : /'[^']*'/g, ''),
  );
  const evenness = (separator: string): number => {
    const counts = lines.map((line) => line.split(separator).length - 1);
    const usual = counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0;
    return usual === 0 ? 0 : counts.filter((count) => count === usual).length + usual / 1000;
  };
  return SEPARATORS.toSorted((a, b) => evenness(b) - evenness(a))[0] ?? ',';
}

type Marks = { separator: string; quote: string };

/**
 * The rows, in linear time. The search for a closing quote ends at the first run of quotes with an undoubled one.
 * For a cell that begins with that run, the same holds for every run.
 */
function* rowsOf(text: string, { separator, quote }: Marks): Generator<string[]> {
  let row: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const cell = text[at] === quote ? quotedCell(text, { separator, quote }, at) : undefined;
    const end = cell?.end ?? nextOf(text, separator, at);
    row.push(cell?.value ?? text.slice(at, end));
    if (text[end] !== separator) {
      yield row;
      row = [];
    }
    at = end + 1;
  }
}

/**
 * The cell that begins with the quote at `start`, and the offset of the separator or line end after it.
 * Two quotes inside are one. Returns undefined where the quote is text (`"5 inch`): the next quote does not end a cell.
 */
function quotedCell(
  text: string,
  { separator, quote }: Marks,
  start: number,
): { value: string; end: number } | undefined {
  let closing = text.indexOf(quote, start + 1);
  while (closing >= 0 && text[closing + 1] === quote) closing = text.indexOf(quote, closing + 2);
  if (closing < 0) return undefined;
  let end = closing + 1;
  while (text[end] === ' ') end++; // as some programs pad their cells
  if (text[end] === '\r') end++;
  if (end < text.length && text[end] !== separator && text[end] !== '\n') return undefined;
  return { value: text.slice(start + 1, closing).replaceAll(quote + quote, quote), end };
}

/** The offset of the next separator or line end. */
function nextOf(text: string, separator: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++;
  return at;
}
