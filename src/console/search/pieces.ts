/** Divides a text by ranges that count code points, as the service does. JavaScript counts UTF-16 units. */

export type Range = { start: number; end: number };

type Piece = { text: string; isMarked: boolean };

/** 'a bc d', [{ start: 2, end: 4 }] → 'a ', 'bc' (marked), ' d'. Ranges outside of the text are left out. */
export function toPieces(text: string, ranges: Range[]): Piece[] {
  const codePoints = Array.from(text);
  const pieces: Piece[] = [];
  let position = 0;
  const add = (end: number, isMarked: boolean) => {
    if (end > position) pieces.push({ text: codePoints.slice(position, end).join(''), isMarked });
    position = Math.max(position, end);
  };
  for (const { start, end } of ranges) {
    if (start < position || end > codePoints.length) continue;
    add(start, false);
    add(end, true);
  }
  add(codePoints.length, false);
  return pieces;
}
