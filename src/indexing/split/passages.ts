/** Splits a document's text into passages along its structure. */
import type { LaterStart, LaterStarts } from '../../terms/later-starts.ts';
import { BOUNDARY_FINDERS, characterBoundaries, clusterStart } from './boundaries.ts';
import { isBlank, type List, type Range, type StructuredText } from './extracted-text.ts';
import { PASSAGE_MAX_SIZE, sizeOf } from './passage-size.ts';
import { type Section, sectionsOf } from './sections.ts';

/**
 * The unit that is indexed, scored and returned.
 *
 * - `position` counts from 1 in text order.
 * - `text` is the document's text between `start` and `end`, which count code points.
 * - `page` and `timeMs` are where it begins: its page, and in subtitles its first cue, from the start of the recording.
 * - `later`: the pages and cues that begin inside it, if any do, and how sure text is that OCR has read.
 * - `headings` is the path of headings above it, outermost first.
 * - `tableHeader` names the columns, if the passage begins inside a table.
 * - `verbatim`: the passage lies in a code block.
 */
export type Passage = {
  position: number;
  text: string;
  start: number;
  end: number;
  page?: number;
  timeMs?: number;
  later?: LaterStarts;
  headings: string[];
  tableHeader?: string;
  verbatim: boolean;
};

/**
 * The passages of a text, in order. They cover everything except white space and stretches without visible characters,
 * never overlap, and never exceed PASSAGE_MAX_SIZE. A heading is in the passage of the text after it, and a last
 * heading is in the passage of the text before it. Each passage is found on demand, in time that is linear in the
 * text's length. The memory is bounded by the length of a window.
 */
export function* splitPassages(structured: StructuredText): Generator<Passage> {
  const describe = describer(structured);
  let position = 0;
  for (const section of sectionsOf(structured)) {
    const scope = { structured, section };
    for (const window of windowsOf(scope)) {
      for (const range of divide(scope, window, 0)) {
        if (isBlank(structured.text.slice(range.start, range.end))) continue;
        yield { position: ++position, ...describe(range, section) };
      }
    }
  }
}

type Scope = { structured: StructuredText; section: Section };

/** UTF-16 units that are divided at a time: about fifty passages, so that the ends of a window affect few of them. */
const WINDOW_MAX_LENGTH = 50_000;

/** Divides a section into windows of about equal lengths. Each ends at the best boundary in its second half. */
function* windowsOf(scope: Scope): Generator<Range> {
  let { start, end } = scope.section;
  while (end - start > WINDOW_MAX_LENGTH) {
    const count = Math.ceil((end - start) / WINDOW_MAX_LENGTH);
    const length = Math.ceil((end - start) / count);
    const boundary = lastBoundary(scope, { start: start + (length >> 1), end: start + length });
    yield { start, end: boundary };
    start = boundary;
  }
  yield { start, end };
}

/** The last of the best boundaries in a range. */
function lastBoundary({ structured, section }: Scope, range: Range): number {
  for (const findBoundaries of BOUNDARY_FINDERS) {
    const boundary = findBoundaries(structured, range).findLast((offset) => isAllowed(section, offset));
    if (boundary !== undefined) return boundary;
  }
  return clusterStart(structured.text, range.end, range.start);
}

/**
 * Splits a range at the best kind of boundary, pieces that are too long at worse kinds, and joins neighbours that fit.
 */
function divide(scope: Scope, untrimmed: Range, depth: number): Range[] {
  const { text } = scope.structured;
  const range = trim(text, untrimmed);
  const size = sizeOf(text, range.start, range.end);
  if (size <= PASSAGE_MAX_SIZE) return range.start < range.end ? [range] : [];
  const findBoundaries = BOUNDARY_FINDERS[depth];
  if (!findBoundaries) return pieces(text, range, characterBoundaries(text, range, PASSAGE_MAX_SIZE, sizeOf));
  const allowed = findBoundaries(scope.structured, range).filter((offset) =>
    isAllowed(scope.section, offset),
  );
  if (allowed.length === 0) return divide(scope, range, depth + 1);
  const joined = join(text, pieces(text, range, allowed), size);
  return joined.flatMap((piece) => divide(scope, piece, depth + 1));
}

/** Whether a boundary leaves the headings of a section together with its text. */
function isAllowed(section: Section, boundary: number): boolean {
  return boundary > section.bodyStart && boundary < section.tailStart;
}

function pieces(text: string, { start, end }: Range, boundaries: number[]): Range[] {
  const edges = [start, ...boundaries, end];
  return edges
    .slice(1)
    .map((edge, i) => trim(text, { start: edges[i] ?? start, end: edge }))
    .filter((piece) => piece.start < piece.end);
}

/** Joins neighbours up to the maximum size, into about equal sizes, so that the last passage is not tiny. */
function join(text: string, ranges: Range[], total: number): Range[] {
  const target = total / Math.ceil(total / PASSAGE_MAX_SIZE);
  const joined: Range[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const range of ranges) {
    const last = joined.at(-1);
    const grown = last ? size + sizeOf(text, last.end, range.end) : size;
    if (last && size < target && grown <= PASSAGE_MAX_SIZE) {
      last.end = range.end;
      size = grown;
    } else {
      joined.push({ ...range });
      size = sizeOf(text, range.start, range.end);
    }
  }
  return joined;
}

const SPACE = /\s/;

function trim(text: string, range: Range): Range {
  let { start, end } = range;
  while (start < end && SPACE.test(text.charAt(start))) start++;
  while (end > start && SPACE.test(text.charAt(end - 1))) end--;
  return { start, end };
}

/**
 * Returns a function that describes a passage. Ranges must come in text order, because it sweeps over the text once.
 */
function describer({ text, pages, times = [], tables, verbatim }: StructuredText) {
  const codePoints = codePointCounter(text);
  const atPage = sweep(pages, (page) => page.offset);
  const atCue = sweep(times, (cue) => cue.offset);
  const atTable = sweep(tables, (table) => table.start);
  const atVerbatim = sweep(verbatim, (block) => block.start);
  return ({ start, end }: Range, section: Section): Omit<Passage, 'position'> => {
    const atStart = atPage.last(start);
    const page = atStart?.page;
    const timeMs = toMs(atCue.last(start)?.seconds);
    const table = atTable.last(start);
    const inTable = table && table.start < start && start < table.end && table.header !== '';
    const content = text.slice(start, end);
    const laterPages = atPage.upTo(end);
    const pagesWithin = startsWithin({ content, start, first: page }, laterPages, (each) => each.page);
    const recognised = meanRecognised([{ ...atStart, offset: start }, ...laterPages], end);
    const timesWithin = startsWithin({ content, start, first: timeMs }, atCue.upTo(end), ({ seconds }) =>
      toMs(seconds),
    );
    return {
      text: content,
      start: codePoints(start),
      end: codePoints(end),
      ...(page === undefined ? {} : { page }),
      ...(timeMs === undefined ? {} : { timeMs }),
      ...((pagesWithin.length + timesWithin.length > 0 || recognised !== undefined) && {
        later: {
          ...(pagesWithin.length > 0 && { pages: pagesWithin }),
          ...(timesWithin.length > 0 && { times: timesWithin }),
          ...(recognised !== undefined && { recognised }),
        },
      }),
      headings: section.path,
      ...(inTable ? { tableHeader: table.header } : {}),
      verbatim: (atVerbatim.last(start)?.end ?? 0) >= end,
    };
  };
}

/** How sure the recognised text is up to `end`: the mean over its characters; undefined where none was recognised. */
function meanRecognised(starts: { offset: number; recognised?: number }[], end: number): number | undefined {
  let [length, sum] = [0, 0];
  for (const [i, { offset, recognised }] of starts.entries()) {
    if (recognised === undefined) continue;
    const own = (starts[i + 1]?.offset ?? end) - offset;
    length += own;
    sum += own * recognised;
  }
  return length === 0 ? undefined : Math.round((100 * sum) / length) / 100;
}

const toMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.round(seconds * 1000);

/** The starts inside a passage that begins at the offset `start`. Those that change nothing are left out. */
function startsWithin<T extends { offset: number }>(
  { content, start, first }: { content: string; start: number; first: number | undefined },
  elements: T[],
  startValue: (element: T) => number | undefined,
): LaterStart[] {
  if (elements.length === 0) return [];
  const codePoints = codePointCounter(content);
  let before = first;
  return elements.flatMap((element): LaterStart[] => {
    const value = startValue(element);
    if (value === before) return [];
    before = value;
    return [[codePoints(element.offset - start), value ?? null]];
  });
}

/**
 * Walks over a list in text order, so that offsets must ascend. `last`: the last element that begins at an offset or
 * before. `upTo`: those after the offset of the last call, before this one.
 */
function sweep<T>(elements: List<T>, startOf: (element: T) => number) {
  let last: T | undefined;
  let next = elements.at(0);
  let count = 0;
  const step = (): T | undefined => {
    last = next;
    next = elements.at(++count);
    return last;
  };
  return {
    last(offset: number): T | undefined {
      while (next !== undefined && startOf(next) <= offset) step();
      return last;
    },
    upTo(end: number): T[] {
      const passed: T[] = [];
      while (next !== undefined && startOf(next) < end) passed.push(step() as T); // `next` is an element
      return passed;
    },
  };
}

/** Returns a function from ascending UTF-16 offsets to code point offsets. */
function codePointCounter(text: string): (offset: number) => number {
  let at = 0;
  let count = 0;
  return (offset) => {
    for (; at < offset; at++) {
      const isPair =
        (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
      if (!isPair) count++;
    }
    return count;
  };
}
