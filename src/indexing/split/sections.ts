/**
 * Divides a document into sections at its headings and short pages, and joins those that are too small to stand alone.
 */
import type { Heading, Range, StructuredText } from './extracted-text.ts';
import { PASSAGE_MAX_SIZE, SECTION_MIN_SIZE, sizeOf } from './passage-size.ts';
import { shortPageStarts } from './short-pages.ts';

/**
 * A stretch of text under one heading path. `bodyStart` is where the text below the opening headings begins;
 * `tailStart` is where closing headings without text of their own begin (`end` where there are none). `path` are the
 * headings above the body, outermost first; `level` is the opening heading's, 0 before the first. `beginsPage`: after a
 * short page, another one begins with it.
 */
export type Section = Range & {
  bodyStart: number;
  tailStart: number;
  path: string[];
  level: number;
  beginsPage: boolean;
};

/** The sections of a text, in order and without gaps, each found on demand. */
export function* sectionsOf(structured: StructuredText): Generator<Section> {
  const { text } = structured;
  let before: Section | undefined;
  let last: Section | undefined;
  for (const section of splitAtPages(structured)) {
    if (last && mayJoin(text, last, section)) last = joined(last, section, text);
    else {
      if (before) yield before;
      before = last;
      last = section;
    }
  }
  if (last) yield* withTail(text, before, last);
}

/** Splits sections where a short page follows another one. */
function* splitAtPages(structured: StructuredText): Generator<Section> {
  const { text } = structured;
  const pageStarts = shortPageStarts(structured);
  let page = pageStarts.next();
  for (const section of splitAtHeadings(structured)) {
    let rest = section;
    for (; !page.done && page.value < section.end; page = pageStarts.next()) {
      const offset = page.value;
      if (skipSpace(text, rest.start, offset) < offset) {
        yield { ...rest, end: offset, tailStart: offset, bodyStart: Math.min(rest.bodyStart, offset) };
        const bodyStart = skipSpace(text, Math.max(rest.bodyStart, offset), section.end);
        rest = { ...rest, start: offset, bodyStart };
      }
      rest = { ...rest, beginsPage: true };
    }
    yield rest;
  }
}

function* splitAtHeadings({ text, headings }: StructuredText): Generator<Section> {
  const first = headings.at(0)?.start ?? text.length;
  if (skipSpace(text, 0, first) < first || headings.length === 0)
    yield { start: 0, end: first, bodyStart: 0, tailStart: first, path: [], level: 0, beginsPage: false };
  const above: Heading[] = [];
  let heading = headings.at(0);
  for (let i = 1; heading; i++) {
    const { start, level } = heading;
    while (above.length > 0 && (above.at(-1)?.level ?? 0) >= level) above.pop();
    above.push(heading);
    const next = headings.at(i);
    const end = next?.start ?? text.length;
    const bodyStart = skipSpace(text, heading.end, end);
    const path = above.map((one) => one.text);
    yield { start, end, bodyStart, tailStart: end, path, level, beginsPage: false };
    heading = next;
  }
}

/**
 * Whether `section` joins `before`: if `before` has headings only, or if it is small and `section` is on its level or
 * below, and not on another short page.
 */
function mayJoin(text: string, before: Section, section: Section): boolean {
  const size = sizeOf(text, before.start, before.end, PASSAGE_MAX_SIZE);
  // Headings only, unless there are so many that they are a table of contents.
  if (isEmpty(before)) return size <= PASSAGE_MAX_SIZE / 2;
  if (section.beginsPage || isEmpty(section) || section.level < before.level) return false;
  if (size >= SECTION_MIN_SIZE) return false;
  return size + sizeOf(text, section.start, section.end, PASSAGE_MAX_SIZE) <= PASSAGE_MAX_SIZE;
}

function isEmpty(section: Section): boolean {
  return section.bodyStart >= section.end;
}

function joined(before: Section, section: Section, text: string): Section {
  const { end, tailStart } = section;
  if (!isEmpty(before)) return { ...before, end, tailStart, path: commonPath(before.path, section.path) };
  const bodyStart = isEmpty(section) ? end : skipSpace(text, section.bodyStart, end);
  const level = Math.min(before.level, section.level);
  return { ...section, start: before.start, bodyStart, level, beginsPage: before.beginsPage };
}

function commonPath(a: string[], b: string[]): string[] {
  const differs = a.findIndex((heading, i) => heading !== b[i]);
  return differs < 0 ? a : a.slice(0, differs);
}

/** Returns the last two sections. Headings at the very end of a document join the section before them. */
function withTail(text: string, before: Section | undefined, tail: Section): Section[] {
  if (!isEmpty(tail)) return before ? [before, tail] : [tail];
  if (before && sizeOf(text, tail.start, tail.end, PASSAGE_MAX_SIZE) <= PASSAGE_MAX_SIZE / 2)
    return [{ ...before, end: tail.end, tailStart: tail.start }];
  // A document of headings alone: they are its text.
  const alone = { ...tail, bodyStart: tail.start, tailStart: tail.end };
  return before ? [before, alone] : [alone];
}

function skipSpace(text: string, from: number, end: number): number {
  let offset = from;
  while (offset < end && SPACE.test(text.charAt(offset))) offset++;
  return offset;
}

const SPACE = /\s/;
