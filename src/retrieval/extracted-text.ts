/** The one shape in which every format's readable text reaches the passage splitter. */
import { deserialize, serialize } from 'node:v8';

/** A stretch of a text: UTF-16 offsets, `end` exclusive. */
export type Range = { start: number; end: number };

/** A heading line with its markup (`start` to `end`), its level from 1 (h1) to 6, and its words without markup. */
export type Heading = Range & { level: number; text: string };

/** Where a page (PDF), slide or sheet begins. Pages count from 1. */
export type PageStart = { offset: number; page: number };

/** A table, one row a line; `header` is the row that names the columns, '' where there is none. */
export type Table = Range & { header: string };

/** What can be read one by one without being there as an array. */
export type List<T> = { readonly length: number; at(index: number): T | undefined };

/** A text with its structure as the passage splitter reads it. */
export type StructuredText = {
  text: string;
  headings: List<Heading>;
  pages: List<PageStart>;
  verbatim: List<Range>;
  tables: List<Table>;
};

/**
 * A document's readable text with its structure. Every offset counts UTF-16 units of `text`, every list is in
 * text order and its ranges do not overlap. `title` is the document's own (HTML `<title>`), where it has one.
 * `verbatim` are code fences and preformatted blocks: a blank line inside them ends nothing.
 */
export type ExtractedText = {
  text: string;
  title?: string;
  headings: Heading[];
  pages: PageStart[];
  verbatim: Range[];
  tables: Table[];
};

/** An `ExtractedText` as bytes: it crosses processes and threads without a copy, and nobody between reads it. */
export type PackedText = Uint8Array;

export const packText = (extracted: ExtractedText): PackedText => serialize(extracted);

export const unpackText = (packed: PackedText): ExtractedText => deserialize(packed) as ExtractedText; // of packText

/**
 * Whether a text has nothing to read: only white space, controls, invisible, private and unassigned characters, and what
 * stands for bytes that are none (U+FFFD).
 */
export function isBlank(text: string): boolean {
  return !READABLE.test(text);
}

const READABLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/u;
