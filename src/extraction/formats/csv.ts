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
  let index = 0;
  for (const cells of rowsOf(text, declared ?? separatorOf(text)))
    writer.row({ index: index++, cells: cells.map((cell) => cell.replace(QUOTED_VALUE, '$1')) });
  writer.end();
  return renderer.finish();
}

/** A first line by which Excel knows the separator. */
const DECLARED_SEPARATOR = /^\ufeff?"?sep=(.)"?\r?\n/i;

/** A cell that a program wrote as a formula, so that Excel keeps leading zeros and long numbers: `="0049"`. */
const QUOTED_VALUE = /^="([^"]*)"$/;

/** The separator that occurs in most lines of the head, outside of quotes, equally often. */
function separatorOf(text: string): string {
  const lines = text
    .slice(0, SEPARATOR_SAMPLE_LENGTH)
    .replace(/"[^"]*"/g, '')
    .split('\n')
    .slice(0, 20);
  const evenness = (separator: string): number => {
    const counts = lines.filter((line) => line !== '').map((line) => line.split(separator).length - 1);
    const usual = counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0;
    return usual === 0 ? 0 : counts.filter((count) => count === usual).length + usual / 1000;
  };
  return SEPARATORS.toSorted((a, b) => evenness(b) - evenness(a))[0] ?? ',';
}

/**
 * The rows, in linear time. The search for a closing quote ends at the first run of quotes with an undoubled one.
 * For a cell that begins with that run, the same holds for every run.
 */
function* rowsOf(text: string, separator: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const cell = text[at] === '"' ? quotedCell(text, separator, at) : undefined;
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
  separator: string,
  start: number,
): { value: string; end: number } | undefined {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote < 0) return undefined;
  let end = quote + 1;
  while (text[end] === ' ') end++; // as some programs pad their cells
  if (text[end] === '\r') end++;
  if (end < text.length && text[end] !== separator && text[end] !== '\n') return undefined;
  return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end };
}

/** The offset of the next separator or line end. */
function nextOf(text: string, separator: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++;
  return at;
}
