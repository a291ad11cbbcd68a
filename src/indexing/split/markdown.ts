/** Finds headings, code fences and tables in Markdown, or in plain text that looks like it. */
import type { ExtractedText, Heading, Range, Table } from './extracted-text.ts';

/** Code points of the longest heading: a longer line is prose after a `#`. */
export const HEADING_MAX_LENGTH = 200;

/** The longest heading with its markup, because addresses of links are long. */
const HEADING_MARKUP_MAX_LENGTH = 4 * HEADING_MAX_LENGTH;

/** CommonMark 0.31 §4.2: up to three blanks, one to six `#`, then a blank or the end of the line. */
const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
/** CommonMark §4.3. Two characters at least, because a lone `-` or `=` in plain text is a list marker or a sum. */
const SETEXT_UNDERLINE = /^ {0,3}(={2,}|-{2,})[ \t]*$/;
/** CommonMark §4.5. At any indentation, because fences stand inside list entries too. */
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;
/** GitHub Flavored Markdown §4.10: the row of dashes under a table's header (loosely, to stay linear). */
const TABLE_DELIMITER = /^[\s|:-]+$/;
/** Line beginnings that cannot begin a paragraph, so that `- entry` above `---` is no heading. */
const LINE_MARKER = /^\s*(?:[-*+>|#=~`]|\d+[.)])/;

type Line = Range & { text: string };
type Fence = { start: number; marker: string; length: number };

/**
 * Finds the structure of a Markdown or plain text in linear time; `text` itself stays unchanged. Front matter between
 * `---` lines at the very beginning becomes verbatim text.
 */
export function scanMarkdown(text: string): ExtractedText {
  const found = { headings: [] as Heading[], verbatim: [] as Range[], tables: [] as Table[] };
  const lines = linesOf(text);
  let fence: Fence | undefined = frontMatter(lines);
  for (let i = fence ? 1 : 0; i < lines.length; i++) {
    const line = lines[i] as Line; // i is in range
    if (fence) {
      if (!closes(fence, line.text)) continue;
      found.verbatim.push({ start: fence.start, end: line.end });
      fence = undefined;
      continue;
    }
    fence = openedFence(line);
    if (fence) continue;
    const table = tableAt(lines, i);
    if (table) {
      found.tables.push(table.table);
      i = table.last;
      continue;
    }
    const heading = headingAt(lines, i);
    if (heading) found.headings.push(heading);
  }
  if (fence) found.verbatim.push({ start: fence.start, end: text.length });
  return { text, pages: [], ...found };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const carriage = end > start && text.charCodeAt(end - 1) === 0x0d ? 1 : 0;
    lines.push({ start, end: end - carriage, text: text.slice(start, end - carriage) });
    start = end + 1;
  }
  return lines;
}

function frontMatter(lines: Line[]): Fence | undefined {
  if (lines[0]?.text !== '---') return undefined;
  const closed = lines.findIndex((line, i) => i > 0 && line.text === '---');
  return closed > 0 ? { start: 0, marker: '-', length: 3 } : undefined;
}

function openedFence(line: Line): Fence | undefined {
  const match = FENCE.exec(line.text);
  if (!match?.[1]) return undefined;
  const marker = match[1].charAt(0);
  // CommonMark: no backtick after an opening ``` (it is inline code then).
  if (marker === '`' && match[2]?.includes('`')) return undefined;
  return { start: line.start, marker, length: match[1].length };
}

function closes(fence: Fence, line: string): boolean {
  const markers = line.trim();
  return markers.length >= fence.length && markers === fence.marker.repeat(markers.length);
}

function headingAt(lines: Line[], i: number): Heading | undefined {
  const line = lines[i] as Line; // the caller's index
  if (line.text.length > HEADING_MARKUP_MAX_LENGTH) return undefined;
  const atx = ATX_HEADING.exec(line.text);
  if (atx) return heading(line, atx[1]?.length ?? 1, (atx[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, ''));
  const below = lines[i + 1];
  const underline = below && SETEXT_UNDERLINE.exec(below.text)?.[1];
  if (!underline || line.text.trim() === '' || LINE_MARKER.test(line.text)) return undefined;
  const alone = (lines[i - 1]?.text ?? '').trim() === '';
  if (!alone) return undefined;
  return heading({ ...line, end: below.end }, underline.startsWith('=') ? 1 : 2, line.text);
}

function heading({ start, end }: Range, level: number, markup: string): Heading | undefined {
  const text = plainHeading(markup);
  if (text === '' || text.length > HEADING_MAX_LENGTH) return undefined;
  return { start, end, level, text };
}

/** A heading's words: a link → its text; emphasis, code markers and `{#anchors}` are removed. */
function plainHeading(markup: string): string {
  return markup
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s*\{#[^}]*\}\s*$/, '')
    .replace(/\*\*|__|`+/g, '')
    .trim();
}

function tableAt(lines: Line[], i: number): { table: Table; last: number } | undefined {
  const head = lines[i];
  const delimiter = lines[i + 1];
  if (!head?.text.includes('|') || !delimiter?.text.includes('-')) return undefined;
  if (!delimiter.text.includes('|') || !TABLE_DELIMITER.test(delimiter.text)) return undefined;
  let last = i + 1;
  while (lines[last + 1]?.text.includes('|')) last++;
  const end = (lines[last] as Line).end; // last is in range
  return { table: { start: head.start, end, header: head.text }, last };
}
