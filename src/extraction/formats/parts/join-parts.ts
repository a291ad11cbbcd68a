/** Joins the texts of a file and of the files inside it: of a mail with attachments, of an archive. */
import type {
  CueStart,
  ExtractedText,
  Heading,
  PageStart,
  Range,
  Table,
} from '../../../indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../../indexing/split/markdown.ts';
import { tooLong } from '../../extraction-error.ts';
import { TEXT_MAX_LENGTH } from '../../extraction-limits.ts';
import { withoutNuls } from '../../rendering/text-writer.ts';

/** The innermost level of a heading. */
const LEVEL_MAX = 6;

export type PartsJoiner = {
  /** Whether a part of this many characters fits below TEXT_MAX_LENGTH. */
  fits(length: number): boolean;
  /**
   * Adds a text, its headings `level` levels deeper. A `title` becomes a heading of that level above it.
   * Its pages and times keep the numbers that they have in the file that its title names.
   * @throws FILE_TOO_COMPLEX where it does not fit
   */
  add(part: ExtractedText, below?: { level: number; title?: string }): void;
  finish(): ExtractedText;
};

/** Paragraphs one after another. `write` returns the offset of its paragraph. @throws FILE_TOO_COMPLEX */
function createParagraphs() {
  const pieces: string[] = [];
  let length = 0;
  return {
    length: () => length,
    write(text: string): number {
      const gap = length > 0 ? '\n\n' : '';
      const offset = length + gap.length;
      if (offset + text.length > TEXT_MAX_LENGTH) throw tooLong();
      pieces.push(gap, text);
      length = offset + text.length;
      return offset;
    },
    text: () => pieces.join(''),
  };
}

/** Takes time in proportion to what is added. */
export function joinParts(): PartsJoiner {
  const { length, write, text } = createParagraphs();
  const headings: Heading[] = [];
  const verbatim: Range[] = [];
  const tables: Table[] = [];
  const pages: PageStart[] = [];
  const times: CueStart[] = [];
  /** Returns its offset; undefined where there is none. */
  const writeTitle = (title: string, level: number): number | undefined => {
    const text = titleOf(title);
    if (text === '') return undefined;
    const start = write(text);
    headings.push({ start, end: length(), level: Math.min(level, LEVEL_MAX), text });
    return start;
  };
  return {
    fits: (added) => length() + added + HEADING_MAX_LENGTH <= TEXT_MAX_LENGTH,
    add(part, { level, title = '' } = { level: 0 }) {
      const begun = writeTitle(title, level);
      if (part.text === '') return;
      const offset = write(part.text);
      // A title stands on the first page of its file, and before its first cue.
      const [page, time] = [part.pages[0], part.times?.[0]];
      const start = begun ?? offset;
      pages.push({ page: undefined, ...(page?.offset === 0 && page), offset: start });
      times.push({ offset: start, seconds: time?.offset === 0 ? time.seconds : undefined });
      for (const each of part.pages) pages.push({ ...each, offset: each.offset + offset });
      for (const each of part.times ?? []) times.push({ ...each, offset: each.offset + offset });
      for (const heading of part.headings)
        headings.push({ ...moved(heading, offset), level: Math.min(heading.level + level, LEVEL_MAX) });
      for (const range of part.verbatim) verbatim.push(moved(range, offset));
      for (const table of part.tables) tables.push(moved(table, offset));
    },
    finish: () => ({ text: text(), headings, pages, times, verbatim, tables }),
  };
}

function moved<Moved extends Range>(range: Moved, by: number): Moved {
  return { ...range, start: range.start + by, end: range.end + by };
}

/** A name as one line that a passage accepts as its heading. */
const titleOf = (name: string): string =>
  withoutNuls(name).replace(/\s+/g, ' ').trim().slice(0, HEADING_MAX_LENGTH);
