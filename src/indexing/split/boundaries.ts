/**
 * Finds the boundaries at which a text may be split into passages, from the best (paragraphs) to the worst
 * (characters).
 */
import type { List, Range, StructuredText } from './extracted-text.ts';

/** Returns the offsets inside a range at which it may be split, in ascending order. */
export type BoundaryFinder = (structured: StructuredText, range: Range) => number[];

/**
 * The boundary finders, best first. The first one splits a range that is too long, the next one splits the pieces that
 * are still too long, and so on. Each takes linear time. The last resort is `characterBoundaries`.
 */
export const BOUNDARY_FINDERS: BoundaryFinder[] = [
  paragraphBoundaries,
  blankLines,
  rowBoundaries,
  sentenceBoundaries,
  lineBoundaries,
  wordBoundaries,
];

const BLANK_LINE = /\n[^\S\n]*\n\s*/g;
/** A line that begins a list entry, table row, quotation, log record or numbered clause: `3.`, `b)`, `2.1 The`. */
const ROW_START = new RegExp(
  String.raw`\n(?=[^\S\n]*(?:[-*+•‣▪·–]\s|[>|#[{]` +
    String.raw`|\d{1,4}[.)]\s|(?:\d{1,3}\.){1,8}\d{1,3}[.)]?[^\S\n]+\p{Lu}|\d{2,4}[-/:]\d|\p{L}[.)]\s))`,
  'gu',
);
const LINE_END = /\n/g;
/** White space, and the commas, semicolons and colons of scripts without white space. */
const WORD_END = /\s+|[，、；：]/g;

/** Sentence boundaries by Unicode UAX #29; its rules are the same in all locales that matter here. */
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

function paragraphBoundaries({ text, verbatim }: StructuredText, range: Range): number[] {
  const boundaries = matchEnds(text, range, BLANK_LINE);
  return withoutInner(boundaries, verbatim);
}

function blankLines({ text }: StructuredText, range: Range): number[] {
  return matchEnds(text, range, BLANK_LINE);
}

/** Before list entries and similar lines; inside code and tables before every line. */
function rowBoundaries({ text, verbatim, tables }: StructuredText, range: Range): number[] {
  const rows = matchEnds(text, range, ROW_START);
  const inside = [...overlapping(verbatim, range), ...overlapping(tables, range)].flatMap((block) =>
    matchEnds(text, within(block, range), LINE_END),
  );
  return inside.length === 0 ? rows : [...new Set([...rows, ...inside])].sort((a, b) => a - b);
}

/**
 * Between sentences. UAX #29 also ends a sentence at each line end; not so here, because hard-wrapped text is common.
 */
function sentenceBoundaries({ text }: StructuredText, range: Range): number[] {
  const flowing = text.slice(range.start, range.end).replace(/[\r\n\u0085\u2028\u2029]/g, ' ');
  const boundaries: number[] = [];
  for (const { index } of SENTENCES.segment(flowing)) if (index > 0) boundaries.push(range.start + index);
  return boundaries;
}

function lineBoundaries({ text }: StructuredText, range: Range): number[] {
  return matchEnds(text, range, LINE_END);
}

function wordBoundaries({ text }: StructuredText, range: Range): number[] {
  return matchEnds(text, range, WORD_END);
}

function matchEnds(text: string, { start, end }: Range, pattern: RegExp): number[] {
  const boundaries: number[] = [];
  for (const match of text.slice(start, end).matchAll(pattern)) {
    const boundary = start + match.index + match[0].length;
    if (boundary < end) boundaries.push(boundary);
  }
  return boundaries;
}

/** The part of a block inside a range; empty where there is none. */
function within(block: Range, range: Range): Range {
  return { start: Math.max(block.start, range.start), end: Math.min(block.end, range.end) };
}

/** The blocks that overlap a range, by binary search: a long text has many ranges and many blocks. */
function overlapping(blocks: List<Range>, range: Range): Range[] {
  const found: Range[] = [];
  const last = firstEndingAfter(blocks, range.end);
  for (let i = firstEndingAfter(blocks, range.start); i <= last && i < blocks.length; i++)
    found.push(blocks.at(i) as Range); // i is in range
  return found;
}

function firstEndingAfter(blocks: List<Range>, offset: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks.at(middle) as Range).end > offset)
      high = middle; // middle is in range
    else low = middle + 1;
  }
  return low;
}

/** The boundaries outside all blocks. Both lists are in ascending order. */
function withoutInner(boundaries: number[], blocks: List<Range>): number[] {
  let next = firstEndingAfter(blocks, boundaries[0] ?? 0);
  return boundaries.filter((boundary) => {
    while (next < blocks.length && (blocks.at(next) as Range).end <= boundary) next++; // next is in range
    const block = blocks.at(next);
    return !block || boundary <= block.start;
  });
}

/** How far a boundary moves back to leave a combining sequence whole (UAX #15 allows 30 marks). */
const CLUSTER_MAX_LENGTH = 32;
const CONTINUES = /^(?:\p{M}|\u200c|\u200d|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])/u;

/**
 * The last resort for a range without better boundaries: a boundary after every `limit`, measured by `sizeOf`. It never
 * splits a surrogate pair. It splits an accented letter or a joined emoji only where that alone is too long.
 */
export function characterBoundaries(text: string, range: Range, limit: number, sizeOf: SizeOf): number[] {
  const boundaries: number[] = [];
  let size = 0;
  for (let i = range.start; i < range.end; ) {
    const next = i + (isSurrogatePair(text, i) ? 2 : 1);
    const added = sizeOf(text, i, next);
    if (size + added > limit && i > range.start) {
      const boundary = clusterStart(text, i, boundaries.at(-1) ?? range.start);
      boundaries.push(boundary);
      size = sizeOf(text, boundary, i);
    }
    size += added;
    i = next;
  }
  return boundaries;
}

/** Measures `text` from `start` to `end`. */
export type SizeOf = (text: string, start: number, end: number) => number;

/** The last offset up to `offset`, and beyond `after`, that is not inside an accented letter or a joined emoji. */
export function clusterStart(text: string, offset: number, after: number): number {
  for (let i = offset; i > Math.max(after, offset - CLUSTER_MAX_LENGTH); i--) {
    if (isSurrogatePair(text, i - 1)) continue;
    const joined = CONTINUES.test(text.slice(i, i + 2)) || text.charCodeAt(i - 1) === 0x200d;
    if (!joined) return i;
  }
  return offset;
}

function isSurrogatePair(text: string, i: number): boolean {
  return (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
}
