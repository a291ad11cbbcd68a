/** Divides a document into sections at its headings, none too small to stand alone. */
import type { ExtractedText, Heading, Range } from './extracted-text.ts';
import { PASSAGE_MAX_SIZE, SECTION_MIN_SIZE, sizeOf } from './text-size.ts';

/**
 * A stretch of text under one heading path. `bodyStart` is where the text below the opening headings begins;
 * `tailStart` is where closing headings without text of their own begin (`end` where there are none).
 * `path` are the headings above the body, outermost first; `level` is the opening heading's, 0 before the first.
 */
export type Section = Range & { bodyStart: number; tailStart: number; path: string[]; level: number };

/** The sections of a text, in order and without gaps. */
export function sectionsOf(extracted: ExtractedText): Section[] {
  const { text } = extracted;
  const sections = cutAtHeadings(extracted);
  const filled: Section[] = [];
  for (const section of sections) {
    const last = filled.at(-1);
    if (last && mayJoin(text, last, section)) filled[filled.length - 1] = joined(last, section, text);
    else filled.push(section);
  }
  return withTail(text, filled);
}

function cutAtHeadings({ text, headings }: ExtractedText): Section[] {
  const first = headings[0]?.start ?? text.length;
  const preface: Section = {
    start: 0,
    end: first,
    bodyStart: 0,
    tailStart: first,
    path: [],
    level: 0,
  };
  const above: Heading[] = [];
  const sections = headings.map((heading, i): Section => {
    while (above.length > 0 && (above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
    const end = headings[i + 1]?.start ?? text.length;
    const bodyStart = skipSpace(text, heading.end, end);
    const path = above.map(({ text: words }) => words);
    return { start: heading.start, end, bodyStart, tailStart: end, path, level: heading.level };
  });
  return skipSpace(text, 0, first) < first || sections.length === 0 ? [preface, ...sections] : sections;
}

/** A section joins the one before it when that has only headings, or is small and not below this one. */
function mayJoin(text: string, before: Section, section: Section): boolean {
  const size = sizeOf(text, before.start, before.end);
  // Headings alone, but not a whole table of contents: that is text in its own right.
  if (isEmpty(before)) return size <= PASSAGE_MAX_SIZE / 2;
  if (isEmpty(section) || section.level < before.level || size >= SECTION_MIN_SIZE) return false;
  return size + sizeOf(text, section.start, section.end) <= PASSAGE_MAX_SIZE;
}

function isEmpty(section: Section): boolean {
  return section.bodyStart >= section.end;
}

function joined(before: Section, section: Section, text: string): Section {
  const { end, tailStart } = section;
  if (!isEmpty(before)) return { ...before, end, tailStart, path: commonPath(before.path, section.path) };
  const bodyStart = isEmpty(section) ? end : skipSpace(text, section.bodyStart, end);
  return { ...section, start: before.start, bodyStart, level: Math.min(before.level, section.level) };
}

function commonPath(a: string[], b: string[]): string[] {
  const differs = a.findIndex((heading, i) => heading !== b[i]);
  return differs < 0 ? a : a.slice(0, differs);
}

/** Gives headings at the very end of a document to the section before them. */
function withTail(text: string, sections: Section[]): Section[] {
  const tail = sections.at(-1);
  const before = sections.at(-2);
  if (!tail || !isEmpty(tail)) return sections;
  // A document of headings only: they are its text.
  if (!before || sizeOf(text, tail.start, tail.end) > PASSAGE_MAX_SIZE / 2)
    return [...sections.slice(0, -1), { ...tail, bodyStart: tail.start, tailStart: tail.end }];
  return [...sections.slice(0, -2), { ...before, end: tail.end, tailStart: tail.start }];
}

function skipSpace(text: string, from: number, end: number): number {
  let offset = from;
  while (offset < end && SPACE.test(text.charAt(offset))) offset++;
  return offset;
}

const SPACE = /\s/;
