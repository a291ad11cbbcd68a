/** Collects the readable text of a marked-up document: white space collapsed, blocks apart, with offsets. */

import { TEXT_MAX_LENGTH, tooLong } from '../extraction-limits.ts';

/** An offset into the text to come; known once something is written after it was asked for. */
export type Anchor = { offset: number | undefined };

export type TextWriter = {
  /** Writes running text; white space collapses to one blank, none at line starts. NUL is left out. */
  write(text: string): void;
  /** Writes text as it is, but for NUL. */
  writeVerbatim(text: string): void;
  /** Ends the line (1) or the paragraph (2) before what is written next. */
  breakLine(newlines: 1 | 2): void;
  /** Replaces pending breaks before what is written next by a sign: a list marker, a cell separator. */
  sign(text: string): void;
  /** Drops the signs that nothing followed. */
  dropSigns(): void;
  /** Where the next written character will stand. */
  mark(): Anchor;
  /** Where the last written character ended. */
  end(): number;
  text(): string;
};

/** What is written, and what is pending until something is written after it. */
type Draft = {
  written: string[];
  length: number;
  newlines: number;
  blank: boolean;
  signs: string;
  marks: Anchor[];
};

/**
 * Makes an empty writer; all its methods take time in proportion to what they write.
 * @throws FILE_TOO_COMPLEX, on writing, past TEXT_MAX_LENGTH
 */
export function createTextWriter(): TextWriter {
  const draft: Draft = { written: [], length: 0, newlines: 0, blank: false, signs: '', marks: [] };
  return {
    write: (text) => writeWords(draft, withoutNuls(text).replace(/\s+/g, ' ')),
    writeVerbatim(text) {
      const written = withoutNuls(text);
      if (written === '') return;
      settle(draft);
      push(draft, written);
    },
    breakLine(newlines) {
      if (draft.signs === '') draft.newlines = Math.max(draft.newlines, newlines);
    },
    sign(text) {
      draft.signs += text;
    },
    dropSigns() {
      draft.signs = '';
    },
    mark() {
      const mark: Anchor = { offset: undefined };
      draft.marks.push(mark);
      return mark;
    },
    end: () => draft.length,
    text: () => draft.written.join(''),
  };
}

/** PostgreSQL stores no NUL; dropped, it leaves the word around it whole. */
export const withoutNuls = (text: string): string => text.replaceAll('\0', '');

function writeWords(draft: Draft, words: string): void {
  const trimmed = words.trim();
  if (words.startsWith(' ')) draft.blank = true;
  if (trimmed === '') return;
  settle(draft);
  push(draft, trimmed);
  draft.blank = words.endsWith(' ');
}

/** Writes what is pending: a break or a blank (none at the very beginning), then signs. */
function settle(draft: Draft): void {
  const { length, newlines, blank, signs } = draft;
  if (length > 0 && newlines > 0) push(draft, '\n'.repeat(newlines));
  else if (length > 0 && blank && signs === '') push(draft, ' ');
  push(draft, signs);
  for (const mark of draft.marks) mark.offset = draft.length;
  Object.assign(draft, { newlines: 0, blank: false, signs: '', marks: [] });
}

function push(draft: Draft, text: string): void {
  draft.written.push(text);
  draft.length += text.length;
  if (draft.length > TEXT_MAX_LENGTH) throw tooLong();
}
