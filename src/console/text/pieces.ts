/** Divides a text by the ranges that are marked in it. */

/** `start` and `end` count code points, as the service does. */
export type Range = { start: number; end: number };

/** `start` and `end` count UTF-16 units, as JavaScript does. Sorted, without overlaps. */
export type Marks = readonly Range[];

export type Piece = { text: string; isMarked: boolean };

/** The ranges of a text as marks. Ranges outside of the text, and what overlaps an earlier one, are left out. */
export function toMarks(text: string, ranges: readonly Range[]): Marks {
  const length = Array.from(text).length;
  const marks: Range[] = [];
  let [unit, point] = [0, 0];
  const advance = (target: number): number => {
    for (; point < target; point++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
    return unit;
  };
  for (const { start, end } of ranges)
    if (start >= point && end > start && end <= length)
      marks.push({ start: advance(start), end: advance(end) });
  return marks;
}

/** The pieces of `text`, which begins at `offset` of the text that the marks count in. */
export function toPieces(text: string, marks: Marks, offset = 0): Piece[] {
  const pieces: Piece[] = [];
  let position = 0;
  const add = (end: number, isMarked: boolean) => {
    const to = Math.min(end, text.length);
    if (to > position) pieces.push({ text: text.slice(position, to), isMarked });
    position = Math.max(position, to);
  };
  for (const { start, end } of marks) {
    if (end <= offset) continue;
    if (start >= offset + text.length) break;
    add(start - offset, false);
    add(end - offset, true);
  }
  add(text.length, false);
  return pieces;
}
