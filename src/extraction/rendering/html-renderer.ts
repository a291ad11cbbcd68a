/** Renders HTML elements as text with structure. Other formats are rendered as the HTML elements that they resemble. */
import type { ExtractedText, PageStart, Range } from '../../indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../indexing/split/markdown.ts';
import { isHidden, LINES, NOT_RENDERED, PARAGRAPHS, VOID } from '../markup/html-elements.ts';
import type { Attributes } from '../markup/markup-tokens.ts';
import type { HtmlEvents } from '../markup/open-elements.ts';
import { keepNotes } from './keep-notes.ts';
import type { RenderedEvents } from './repeated-blocks.ts';
import { superscript } from './superscript.ts';
import { createTableWriter, type TableWriter } from './table-writer.ts';
import { type Anchor, createTextWriter, type TextWriter } from './text-writer.ts';

/** The effect of an element on the text inside it. */
type Role = 'hidden' | 'heading' | 'pre' | 'sup';

type Page = {
  writer: TextWriter;
  tables: TableWriter;
  /** The number of open elements with each role. */
  depth: Record<Role, number>;
  /** For each open list the number of its next entry; undefined for an unordered list. */
  lists: (number | undefined)[];
  headings: (Range & { level: number })[];
  verbatim: Range[];
  pages: { start: Anchor; page: number }[];
  /** True until the first text of the open `pre` has been read. */
  atPreStart: boolean;
  /** The start of the open definition. */
  definition: Anchor | undefined;
  /** The text of the open superscript. */
  mark: string;
  /** True after a superscript that began its line: the mark of a note above the note's text. */
  isAfterMark: boolean;
};

type OpenElement = { role: Role | undefined; start: Anchor | undefined };

/**
 * Takes the events of `readHtml`, and the element `note` for what is moved behind the block around it.
 * `beginPage` starts a page (counted from 1). `finish` returns the text at the end.
 */
export type HtmlRenderer = HtmlEvents & {
  open(name: string, attributes?: Attributes): void;
  beginPage(page: number): void;
  finish(): ExtractedText;
};

/** Attributes of a table that holds data and is not page layout: one row is one line. */
export const DATA_TABLE: Attributes = new Map([['role', 'table']]);

/** Attributes of a list entry (`li`) whose label the file's program has counted: `1.`, `(a)`, `2.1`. */
export const labelled = (label: string): Attributes => new Map([['label', label]]);

const NO_ATTRIBUTES: Attributes = new Map();

/** @throws FILE_TOO_COMPLEX when the text is longer than TEXT_MAX_LENGTH */
export function renderHtml(): HtmlRenderer {
  const writer = createTextWriter();
  const depth = { hidden: 0, heading: 0, pre: 0, sup: 0 };
  const found = {
    lists: [],
    headings: [],
    verbatim: [],
    pages: [],
    atPreStart: false,
    mark: '',
    isAfterMark: false,
    definition: undefined,
  };
  const page: Page = { writer, tables: createTableWriter(writer), depth, ...found };
  const elements: OpenElement[] = [];
  const notes = keepNotes({
    open(name, attributes = NO_ATTRIBUTES) {
      const role = roleOf(name, attributes);
      if (role && !VOID.has(name)) depth[role]++;
      const start = isRendered(page) ? beginElement(page, name, attributes) : undefined;
      if (!VOID.has(name)) elements.push({ role, start });
    },
    close(name) {
      const element = elements.pop();
      if (isRendered(page)) endElement(page, name, element?.start);
      if (element?.role) depth[element.role]--;
    },
    text: (text) => writeText(page, text),
  });
  return {
    ...notes,
    beginPage: (number) => page.pages.push({ start: writer.anchor(), page: number }),
    finish() {
      notes.finish();
      return finish(page);
    },
  };
}

function roleOf(name: string, attributes: Attributes): Role | undefined {
  if (NOT_RENDERED.has(name) || isHidden(attributes)) return 'hidden';
  if (HEADING.test(name)) return 'heading';
  return name === 'pre' || name === 'sup' ? name : undefined;
}

const HEADING = /^h[1-6]$/;
const isRendered = ({ depth }: Page): boolean => depth.hidden === 0;

/** Writes the breaks and markers before an element. Returns the start of a heading or of code. */
function beginElement(page: Page, name: string, attributes: Attributes): Anchor | undefined {
  const { writer, tables, lists, depth } = page;
  if (name === 'sup' && depth.sup === 1) page.mark = '';
  if (depth.sup > 0) return undefined;
  breakBefore(page, name);
  if (name === 'dd') page.definition = writer.anchor();
  tables.open(name, attributes);
  if (name === 'ul' || name === 'ol')
    lists.push(name === 'ol' ? Number(attributes.get('start') || 1) || 1 : undefined);
  if (name === 'li') {
    const label = attributes.get('label');
    writer.writeMarker(label === undefined ? listMarker(lists) : `${label} `);
  }
  page.atPreStart = name === 'pre';
  return HEADING.test(name) || name === 'pre' ? writer.anchor() : undefined;
}

function endElement(page: Page, name: string, start: Anchor | undefined): void {
  const { writer, tables, lists, headings, verbatim, depth } = page;
  if (name === 'sup' && depth.sup === 1) writeSuperscript(page);
  if (depth.sup > 0) return;
  tables.close(name);
  if (name === 'ul' || name === 'ol') lists.pop();
  if (name === 'li') writer.dropMarkers();
  const range = { start: start?.offset ?? writer.end(), end: writer.end() };
  if (range.start < range.end && name === 'pre') verbatim.push(range);
  else if (range.start < range.end) headings.push({ ...range, level: Number(name.charAt(1)) });
  if (name === 'dd') page.definition = undefined;
  // A term begins a paragraph, and its definition stays with it.
  breakBefore(page, name === 'dt' ? 'dd' : name);
}

function breakBefore({ writer, tables, depth, lists, definition }: Page, name: string): void {
  const isParagraph = PARAGRAPHS.has(name) && !(lists.length > 0 && (name === 'ul' || name === 'ol'));
  if (!isParagraph && !LINES.has(name)) return;
  if (tables.isAtCellStart()) return;
  if (tables.isInRow() && name !== 'tr') writer.write(' ');
  else if (name === 'br' && depth.pre > 0) writer.writeVerbatim('\n');
  else writer.breakLine(isParagraph && (!definition || definition.offset !== undefined) ? 2 : 1);
}

/** Deeper lists are indented like this level, so that the length of the text stays linear. */
const INDENTED_LISTS_MAX = 8;

/** `- `, or the next number of an ordered list, indented by its depth. */
function listMarker(lists: (number | undefined)[]): string {
  const indent = '  '.repeat(Math.min(Math.max(0, lists.length - 1), INDENTED_LISTS_MAX));
  const number = lists.at(-1);
  if (number === undefined) return `${indent}- `;
  lists[lists.length - 1] = number + 1;
  return `${indent}${number}. `;
}

function writeText(page: Page, text: string): void {
  if (!isRendered(page)) return;
  if (page.depth.sup > 0) {
    page.mark += text;
    return;
  }
  // HTML standard, 13.1.2.5: a line feed right after <pre> does not count.
  if (page.depth.pre > 0) page.writer.writeVerbatim(page.atPreStart ? text.replace(/^\n/, '') : text);
  else page.writer.write(page.isAfterMark && WORD_START.test(text) ? ` ${text}` : text);
  Object.assign(page, { atPreStart: false, isAfterMark: false });
}

/** Longer than the longest unit, variable or Roman number. */
const BEFORE_MARK_LENGTH = 16;

/** More than the symbol of an element, as in ¹⁴C. */
const WORD_START = /^\p{L}{3}/u;

function writeSuperscript(page: Page): void {
  const { writer, mark } = page;
  const [, leading, trimmed = '', trailing] = /^(\s*)(.*?)(\s*)$/s.exec(mark) ?? [];
  const before = writer.isInWord() && !leading ? writer.tail(BEFORE_MARK_LENGTH) : '';
  writer.write(`${leading}${superscript(before, trimmed)}${trailing}`);
  page.isAfterMark = before === '' && /[\p{L}\p{N}]$/u.test(mark);
}

function finish({ writer, tables, headings, verbatim, pages }: Page): ExtractedText {
  const text = writer.text();
  const named = disjoint(headings)
    .map((heading) => ({ ...heading, text: text.slice(heading.start, heading.end).replace(/\s+/g, ' ') }))
    .filter((heading) => heading.text.length <= HEADING_MAX_LENGTH);
  return {
    text,
    headings: named,
    pages: pages.flatMap(pageStart),
    verbatim: disjoint(verbatim),
    tables: tables.finish(),
  };
}

/** Writes an element that contains only text. */
export function writeElement(renderer: RenderedEvents, element: string, text: string): void {
  renderer.open(element);
  renderer.text(text);
  renderer.close(element);
}

/** A page start without text after it has no offset. */
function pageStart({ start: { offset }, page }: { start: Anchor; page: number }): PageStart[] {
  return offset === undefined ? [] : [{ offset, page }];
}

/** Ranges in text order. Of nested ranges only the outer one remains. */
function disjoint<T extends Range>(ranges: T[]): T[] {
  const kept: T[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (range.start >= (kept.at(-1)?.end ?? 0)) kept.push(range);
  return kept;
}
