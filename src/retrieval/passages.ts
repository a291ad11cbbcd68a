/** Splits a document's text into passages along its structure. */
import { CUTTERS, characterCuts } from './cuts.ts';
import { type ExtractedText, isBlank, type Range } from './extracted-text.ts';
import { type Section, sectionsOf } from './sections.ts';
import { PASSAGE_MAX_SIZE, sizeOf } from './text-size.ts';

/**
 * The unit that is indexed, scored and returned. `position` counts from 1 in text order; `text` is the
 * document's text between `start` and `end`, which count code points; `headings` is the path of headings above
 * it, outermost first; `tableHeader` names the columns where it begins inside a table; `verbatim` says that it
 * lies in a code block.
 */
export type Passage = {
  position: number;
  text: string;
  start: number;
  end: number;
  page?: number;
  headings: string[];
  tableHeader?: string;
  verbatim: boolean;
};

/**
 * The passages of a text, in order: they cover everything but white space (and stretches without any visible
 * character), never overlap, and none exceeds PASSAGE_MAX_SIZE. A heading goes with what follows it, a last
 * one with what precedes it. Linear in the text's length.
 */
export function splitPassages(extracted: ExtractedText): Passage[] {
  const describe = describer(extracted);
  return sectionsOf(extracted)
    .flatMap((section) => divide({ extracted, section }, section, 0).map((range) => ({ range, section })))
    .filter(({ range }) => !isBlank(extracted.text.slice(range.start, range.end)))
    .map(({ range, section }, index) => ({ position: index + 1, ...describe(range, section) }));
}

type Scope = { extracted: ExtractedText; section: Section };

/** Cuts a range by the cutter of this depth (deeper only where pieces stay too long) and joins what fits. */
function divide(scope: Scope, untrimmed: Range, depth: number): Range[] {
  const { text } = scope.extracted;
  const range = trim(text, untrimmed);
  const size = sizeOf(text, range.start, range.end);
  if (size <= PASSAGE_MAX_SIZE) return range.start < range.end ? [range] : [];
  const cutter = CUTTERS[depth];
  if (!cutter) return pieces(text, range, characterCuts(text, range, PASSAGE_MAX_SIZE, sizeOf));
  const allowed = cutter(scope.extracted, range).filter((cut) => mayCut(scope.section, cut));
  if (allowed.length === 0) return divide(scope, range, depth + 1);
  const parts = pieces(text, range, allowed);
  return join(text, parts, size).flatMap((part) => divide(scope, part, depth + 1));
}

/** Not between headings and the text that they belong to. */
function mayCut(section: Section, cut: number): boolean {
  return cut > section.bodyStart && cut < section.tailStart;
}

function pieces(text: string, { start, end }: Range, cuts: number[]): Range[] {
  const edges = [start, ...cuts, end];
  return edges
    .slice(1)
    .map((edge, i) => trim(text, { start: edges[i] ?? start, end: edge }))
    .filter((piece) => piece.start < piece.end);
}

/** Joins neighbours up to the maximum, aiming at equal sizes so that no crumb is left at the end. */
function join(text: string, parts: Range[], total: number): Range[] {
  const aim = total / Math.ceil(total / PASSAGE_MAX_SIZE);
  const joined: Range[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    const last = joined.at(-1);
    const grown = last ? size + sizeOf(text, last.end, part.end) : size;
    if (last && size < aim && grown <= PASSAGE_MAX_SIZE) {
      last.end = part.end;
      size = grown;
    } else {
      joined.push({ ...part });
      size = sizeOf(text, part.start, part.end);
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

/** Gives a passage's place; ranges must come in text order, so that one sweep over the text serves all. */
function describer({ text, pages, tables, verbatim }: ExtractedText) {
  const codePoints = codePointCounter(text);
  const pageAt = sweep(pages, (page) => page.offset);
  const tableAt = sweep(tables, (table) => table.start);
  const verbatimAt = sweep(verbatim, (block) => block.start);
  return ({ start, end }: Range, section: Section): Omit<Passage, 'position'> => {
    const page = pageAt(start)?.page;
    const table = tableAt(start);
    const inTable = table && table.start < start && start < table.end && table.header !== '';
    return {
      text: text.slice(start, end),
      start: codePoints(start),
      end: codePoints(end),
      ...(page === undefined ? {} : { page }),
      headings: section.path,
      ...(inTable ? { tableHeader: table.header } : {}),
      verbatim: (verbatimAt(start)?.end ?? 0) >= end,
    };
  };
}

/** Looks up the last element that begins at or before an offset; offsets must ascend. */
function sweep<T>(elements: T[], startOf: (element: T) => number): (offset: number) => T | undefined {
  let next = 0;
  return (offset) => {
    while (next < elements.length && startOf(elements[next] as T) <= offset) next++; // next is in range
    return elements[next - 1];
  };
}

/** Turns ascending UTF-16 offsets into code point offsets. */
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
