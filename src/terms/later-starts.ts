/** The pages, and the cues of subtitles, that begin inside a passage. */

/** The code points of the passage before it, and its page, or its time in milliseconds; null where neither is known. */
export type LaterStart = [offset: number, value: number | null];

/**
 * In the order of the text. Null begins a text without pages or times, such as another file of an archive.
 * `recognised`: how sure the passage's text is, from 0 to 1, where OCR has read it from a picture. It has no column of
 * its own, so that no statement reads one more.
 */
export type LaterStarts = { pages?: LaterStart[]; times?: LaterStart[]; recognised?: number };

/** What holds at an offset of the passage: `first`, or the last one of `starts` before it. */
export function valueAt(first: number | null, starts: LaterStart[], offset: number): number | null {
  const last = starts.findLast(([start]) => start <= offset);
  return last === undefined ? first : last[1];
}

/** The last page of a passage that begins on page `first`. The pages of a further file do not count. */
export function lastPageOf(first: number, starts: LaterStart[]): number {
  let last = first;
  for (const [, page] of starts) {
    if (page === null || page < last) break;
    last = page;
  }
  return last;
}
