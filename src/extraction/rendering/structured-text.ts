/** Writes trees (JSON, XML) as text: the names above a value become headings. */
import type { ExtractedText, Heading } from '../../indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../indexing/split/markdown.ts';
import { tooLong } from '../extraction-error.ts';
import { TEXT_MAX_LENGTH } from '../extraction-limits.ts';
import { withoutNuls } from './text-writer.ts';

export type StructuredTextWriter = {
  /** Begins another record: an empty line precedes the next value. */
  separate(): void;
  /** Writes a value below its path, on a line of its own, after its own name where it has one. */
  value(path: readonly string[], name: string, value: string): void;
  /** Returns the text without line breaks at its ends. */
  finish(): ExtractedText;
};

/** At most this many names of a path are kept. In a longer path the innermost name replaces the previous one. */
const PATH_MAX_LENGTH = 6;

/** A path with one more name. */
export function extendPath(path: readonly string[], name: string): readonly string[] {
  const heading = withoutNuls(name).replace(/\s+/g, ' ').trim().slice(0, HEADING_MAX_LENGTH);
  return heading === '' ? path : [...path.slice(0, PATH_MAX_LENGTH - 1), heading];
}

/** The first name that the path above does not have there; of a part of that path, its last name. */
function firstNew(path: readonly string[], above: readonly string[]): number {
  const common = path.findIndex((name, i) => name !== above[i]);
  return common < 0 ? path.length - 1 : common;
}

const isSamePath = (path: readonly string[], other: readonly string[]): boolean =>
  path.length === other.length && path.every((name, i) => name === other[i]);

/** @throws FILE_TOO_COMPLEX, on writing, past TEXT_MAX_LENGTH */
export function structuredTextWriter(): StructuredTextWriter {
  const lines: string[] = [];
  const headings: Heading[] = [];
  let [length, isApart] = [0, false];
  let above: readonly string[] = [];

  const writeLine = (line: string): void => {
    lines.push(line);
    length += line.length + 1;
    if (length > TEXT_MAX_LENGTH) throw tooLong();
  };
  /**
   * Writes headings for the names that differ from the path of the previous line.
   * A path that is a part of the previous one repeats its last name.
   */
  const writePath = (path: readonly string[]): void => {
    if (isSamePath(path, above)) return;
    const from = firstNew(path, above);
    for (const [i, name] of path.entries()) {
      if (i < from) continue;
      headings.push({ start: length, end: length + name.length, level: i + 1, text: name });
      writeLine(name);
    }
    above = path;
  };
  return {
    separate() {
      isApart = length > 0;
    },
    value(path, name, value) {
      const written = withoutNuls(value);
      if (written.trim() === '') return;
      if (isApart || (length > 0 && !isSamePath(path, above))) writeLine('');
      isApart = false;
      writePath(path);
      writeLine(name === '' ? written : `${withoutNuls(name)}: ${written}`);
    },
    finish: () => ({ text: lines.join('\n'), headings, pages: [], verbatim: [], tables: [] }),
  };
}
