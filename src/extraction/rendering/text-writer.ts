/** Collects the text of a marked-up document: collapses white space, separates blocks, records offsets. */

import { tooLong } from '../extraction-error.ts';
import { TEXT_MAX_LENGTH } from '../extraction-limits.ts';

/** An offset into the text. It is undefined until something is written after the anchor was taken. */
export type Anchor = { offset: number | undefined };

export type TextWriter = {
  /** Writes running text. White space collapses to one blank, or to none at line starts. NUL is dropped. */
  write(text: string): void;
  /** Writes text unchanged, except that NUL is dropped. */
  writeVerbatim(text: string): void;
  /** Ends the line (1) or the paragraph (2) before the next text. */
  breakLine(newlines: 1 | 2): void;
  /**
   * Shortens the pending break, if text and no line break has been written since this anchor. Returns whether a break
   * is pending after text since the anchor.
   */
  joinLine(since: Anchor, newlines: 0 | 1): boolean;
  /** Replaces pending breaks before the next text by a marker: a list marker or a cell separator. */
  writeMarker(text: string): void;
  /** Drops the markers that no text followed. */
  dropMarkers(): void;
  /** Writes the markers although no text follows them. */
  keepMarkers(): void;
  /** The last characters that were written, at most so many. */
  tail(length: number): string;
  /** Whether the next text follows the last character at once: nothing is between them. */
  isInWord(): boolean;
  /** The offset of the next written character. */
  anchor(): Anchor;
  /** The offset after the last written character. */
  end(): number;
  text(): string;
};

/** The written text, and what is pending until more is written. */
type Draft = {
  written: string[];
  length: number;
  newlines: number;
  blank: boolean;
  markers: string;
  anchors: Anchor[];
  /** The offset after the last line break. */
  lineStart: number;
};

const newDraft = (): Draft => ({
  written: [],
  length: 0,
  newlines: 0,
  blank: false,
  markers: '',
  anchors: [],
  lineStart: 0,
});

/**
 * Creates an empty writer. All its methods take time in proportion to what they write.
 * @throws FILE_TOO_COMPLEX, on writing, past TEXT_MAX_LENGTH
 */
export function createTextWriter(): TextWriter {
  const draft = newDraft();
  return {
    write: (text) => writeWords(draft, withoutNuls(text).replace(/\s+/g, ' ')),
    writeVerbatim(text) {
      const written = withoutNuls(text);
      if (written === '') return;
      settle(draft);
      push(draft, written);
      if (written.includes('\n')) draft.lineStart = draft.length;
    },
    breakLine(newlines) {
      if (draft.markers === '') draft.newlines = Math.max(draft.newlines, newlines);
    },
    joinLine({ offset }, newlines) {
      if (offset === undefined) return false;
      if (draft.lineStart <= offset) draft.newlines = Math.min(draft.newlines, newlines);
      return draft.newlines > 0;
    },
    writeMarker(text) {
      draft.markers += text;
    },
    dropMarkers() {
      draft.markers = '';
    },
    keepMarkers: () => settle(draft),
    tail: (length) => tailOf(draft, length),
    isInWord: () => draft.length > 0 && draft.newlines === 0 && !draft.blank && draft.markers === '',
    anchor() {
      const anchor: Anchor = { offset: undefined };
      draft.anchors.push(anchor);
      return anchor;
    },
    end: () => draft.length,
    text: () => draft.written.join(''),
  };
}

function tailOf({ written }: Draft, length: number): string {
  const pieces: string[] = [];
  let missing = length;
  for (let i = written.length - 1; i >= 0 && missing > 0; i--) {
    const piece = (written[i] ?? '').slice(-missing);
    pieces.push(piece);
    missing -= piece.length;
  }
  return pieces.reverse().join('');
}

/** PostgreSQL stores no NUL. Dropping it leaves the word around it whole. */
export const withoutNuls = (text: string): string => text.replaceAll('\0', '');

function writeWords(draft: Draft, words: string): void {
  const trimmed = words.trim();
  if (words.startsWith(' ')) draft.blank = true;
  if (trimmed === '') return;
  settle(draft);
  push(draft, trimmed);
  draft.blank = words.endsWith(' ');
}

/** Writes what is pending: a break or a blank (none at the very beginning), then markers, which may begin with one. */
function settle(draft: Draft): void {
  const { length, newlines, blank, markers } = draft;
  if (length > 0 && newlines > 0) {
    push(draft, '\n'.repeat(newlines));
    draft.lineStart = draft.length;
  } else if (length > 0 && blank && !markers.startsWith(' ')) push(draft, ' ');
  push(draft, markers);
  for (const anchor of draft.anchors) anchor.offset = draft.length;
  Object.assign(draft, { newlines: 0, blank: false, markers: '', anchors: [] });
}

function push(draft: Draft, text: string): void {
  draft.written.push(text);
  draft.length += text.length;
  if (draft.length > TEXT_MAX_LENGTH) throw tooLong();
}
