/** The common form of extracted text: the extractor of each format returns it, and the passage splitter reads it. */
import { deserialize, serialize } from 'node:v8';

/** A stretch of a text: UTF-16 offsets, `end` exclusive. */
export type Range = { start: number; end: number };

/** A heading line with its markup (`start` to `end`), its level from 1 (h1) to 6, and its words without markup. */
export type Heading = Range & { level: number; text: string };

/**
 * Where a page (PDF), slide or sheet begins. Pages count from 1. Where a text has several files: also where one of them
 * begins, with `page` undefined if it has no pages. `recognised`: how sure the text is, from 0 to 1, where OCR has read
 * it from a picture.
 */
export type PageStart = { offset: number; page: number | undefined; recognised?: number };

/**
 * Where a cue of subtitles begins: its offset in the text, and the seconds from the start of the recording; undefined
 * where other text begins.
 */
export type CueStart = { offset: number; seconds: number | undefined };

/**
 * Rows of a table, one a line; `header` names their columns, and what a group of rows has in common, '' for neither.
 */
export type Table = Range & { header: string };

/** A list whose elements are read one by one. It need not exist as an array. */
export type List<T> = { readonly length: number; at(index: number): T | undefined };

/** A text with its structure: the input of the passage splitter. */
export type StructuredText = {
  text: string;
  headings: List<Heading>;
  pages: List<PageStart>;
  times?: List<CueStart>;
  verbatim: List<Range>;
  tables: List<Table>;
};

/**
 * A document's extracted text with its structure. Every offset counts UTF-16 units of `text`. Every list is in text
 * order, and its ranges do not overlap. `verbatim` are code fences and preformatted blocks: a blank line inside them
 * ends nothing.
 */
export type ExtractedText = {
  text: string;
  headings: Heading[];
  pages: PageStart[];
  /** Of subtitles. */
  times?: CueStart[];
  verbatim: Range[];
  tables: Table[];
};

/**
 * An `ExtractedText` as bytes. It crosses processes and threads without a copy and without being parsed on the way. Its
 * structure stays packed when it is read: a text of ten million characters may have two million headings.
 */
export type PackedText = Uint8Array;

/** The serialised form: lists of numbers, and lists of texts that are joined, with the offsets where each ends. */
type Packed = {
  text: string;
  headings: Int32Array;
  headingTexts: PackedTexts;
  pages: Int32Array;
  /** Milliseconds, or `NONE`. */
  times: Int32Array;
  verbatim: Int32Array;
  tables: Int32Array;
  tableHeaders: PackedTexts;
};
type PackedTexts = { joined: string; ends: Int32Array };

/** The largest number of the lists: as milliseconds, the time after 24 days. */
const NUMBER_MAX = 2 ** 31 - 1;
/** Stands for no page and no time. */
const NONE = -1;
const PERCENT = 100;

export function packText({ text, headings, pages, times = [], verbatim, tables }: ExtractedText): PackedText {
  const packed: Packed = {
    text,
    headings: packNumbers(headings, ({ start, end, level }) => [start, end, level]),
    headingTexts: packTexts(headings.map((heading) => heading.text)),
    pages: packNumbers(pages, ({ offset, page = NONE, recognised }) => [
      offset,
      page,
      recognised === undefined ? NONE : Math.round(recognised * PERCENT),
    ]),
    times: packNumbers(times, ({ offset, seconds }) => [
      offset,
      seconds === undefined ? NONE : Math.min(Math.round(seconds * 1000), NUMBER_MAX),
    ]),
    verbatim: packNumbers(verbatim, ({ start, end }) => [start, end]),
    tables: packNumbers(tables, ({ start, end }) => [start, end]),
    tableHeaders: packTexts(tables.map(({ header }) => header)),
  };
  return serialize(packed);
}

/** Reads a packed text. */
export function unpackText(bytes: PackedText): StructuredText {
  const packed = deserialize(bytes) as Packed; // the type that packText writes
  const headingText = unpackTexts(packed.headingTexts);
  const tableHeader = unpackTexts(packed.tableHeaders);
  return {
    text: packed.text,
    headings: unpackNumbers(packed.headings, 3, ([start = 0, end = 0, level = 0], i) => ({
      ...{ start, end, level },
      text: headingText(i),
    })),
    pages: unpackNumbers(packed.pages, 3, ([offset = 0, page = NONE, recognised = NONE]) => ({
      offset,
      page: page === NONE ? undefined : page,
      ...(recognised !== NONE && { recognised: recognised / PERCENT }),
    })),
    times: unpackNumbers(packed.times, 2, ([offset = 0, ms = NONE]) => ({
      offset,
      seconds: ms === NONE ? undefined : ms / 1000,
    })),
    verbatim: unpackNumbers(packed.verbatim, 2, ([start = 0, end = 0]) => ({ start, end })),
    tables: unpackNumbers(packed.tables, 2, ([start = 0, end = 0], i) => ({
      start,
      end,
      header: tableHeader(i),
    })),
  };
}

function packNumbers<T>(elements: T[], fieldsOf: (element: T) => number[]): Int32Array {
  const width = elements[0] === undefined ? 0 : fieldsOf(elements[0]).length;
  const numbers = new Int32Array(width * elements.length);
  for (const [i, element] of elements.entries()) numbers.set(fieldsOf(element), i * width);
  return numbers;
}

function unpackNumbers<T>(
  numbers: Int32Array,
  width: number,
  make: (fields: Int32Array, index: number) => T,
): List<T> {
  const length = numbers.length / width;
  return {
    length,
    at: (i) => (i < length ? make(numbers.subarray(i * width, (i + 1) * width), i) : undefined),
  };
}

function packTexts(texts: string[]): PackedTexts {
  const ends = new Int32Array(texts.length);
  for (const [i, text] of texts.entries()) ends[i] = (ends[i - 1] ?? 0) + text.length;
  return { joined: texts.join(''), ends };
}

function unpackTexts({ joined, ends }: PackedTexts): (index: number) => string {
  return (i) => joined.slice(ends[i - 1] ?? 0, ends[i]);
}

/**
 * Whether a text has no visible content: only white space, controls, invisible, private and unassigned characters, and
 * U+FFFD, which replaces invalid bytes.
 */
export function isBlank(text: string): boolean {
  return !READABLE.test(text);
}

const READABLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/u;

/** Whether a text has no visible content beside its headings. */
export function hasOnlyHeadings({ text, headings }: ExtractedText): boolean {
  const between = headings.map(({ start }, i) => text.slice(headings[i - 1]?.end ?? 0, start));
  return isBlank([...between, text.slice(headings.at(-1)?.end ?? 0)].join(''));
}
