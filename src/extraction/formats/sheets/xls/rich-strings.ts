/** Reads the superscripts and subscripts of cells in xls files, which SheetJS skips ([MS-XLS] 2.5.293, 2.4.265). */
import type { CellText } from '../../../rendering/sheet-table.ts';
import { type TextPosition, textCollector } from '../cell-text.ts';

/** Bits of a string's flags ([MS-XLS] 2.5.293). */
const WIDE = 0x01;
const EXTENDED = 0x04;
const RICH = 0x08;

/**
 * The shared strings with a raised or lowered part, by their index. `pieces`: the contents of the SST record and of the
 * CONTINUE records after it. `fonts`: the position of each FONT record's letters. Takes linear time, and ends where the
 * records do.
 */
export function readRichStrings(pieces: Uint8Array[], fonts: TextPosition[]): Map<number, CellText> {
  const found = new Map<number, CellText>();
  const reader = pieceReader(pieces);
  reader.skip(4);
  const count = reader.integer(4);
  for (let index = 0; index < count && !reader.isAtEnd(); index++) {
    const length = reader.integer(2);
    const flags = reader.integer(1);
    const runCount = flags & RICH ? reader.integer(2) : 0;
    const extended = flags & EXTENDED ? reader.integer(4) : 0;
    const text = reader.characters(length, (flags & WIDE) !== 0);
    const runs: Run[] = [];
    for (let run = 0; run < runCount && !reader.isAtEnd(); run++)
      runs.push({ start: reader.integer(2), position: positionOf(fonts, reader.integer(2)) });
    reader.skip(extended);
    if (runs.some(({ position }) => position !== undefined)) found.set(index, toCellText(text, runs));
  }
  return found;
}

type Run = { start: number; position: TextPosition };

/** No font has the index 4 ([MS-XLS] 2.5.129). */
const positionOf = (fonts: TextPosition[], index: number): TextPosition =>
  fonts[index > 4 ? index - 1 : index];

function toCellText(text: string, runs: Run[]): CellText {
  const collector = textCollector();
  const [first] = runs;
  collector.add(text.slice(0, first?.start));
  for (const [i, { start, position }] of runs.entries())
    collector.add(text.slice(start, runs[i + 1]?.start), position);
  return collector.take();
}

/** A place in the contents of records. */
function createCursor(pieces: Uint8Array[]) {
  let number = 0;
  let at = 0;
  /** Moves on to a piece with bytes left; undefined at the end. */
  const current = (): Uint8Array | undefined => {
    for (let piece = pieces[number]; piece; piece = pieces[++number], at = 0)
      if (at < piece.length) return piece;
    return undefined;
  };
  return {
    isAtEnd: () => current() === undefined,
    byte: (): number => current()?.[at++] ?? 0,
    /** The bytes that are left in this piece; undefined at the end. */
    left: (): Uint8Array | undefined => current()?.subarray(at),
    move(bytes: number): void {
      at += bytes;
    },
  };
}

/** Reads on over the ends of records. After the last one, integers are 0 and texts are short. */
function pieceReader(pieces: Uint8Array[]) {
  const cursor = createCursor(pieces);
  return {
    isAtEnd: cursor.isAtEnd,
    integer(bytes: 1 | 2 | 4): number {
      let value = 0;
      for (let i = 0; i < bytes; i++) value += cursor.byte() * 256 ** i;
      return value;
    },
    skip(count: number): void {
      let missing = count;
      for (let piece = cursor.left(); piece && missing > 0; piece = cursor.left()) {
        const step = Math.min(missing, piece.length);
        cursor.move(step);
        missing -= step;
      }
    },
    /** Where characters go on in the next record, it begins with new flags. */
    characters(count: number, isWide: boolean): string {
      const texts: string[] = [];
      let width = isWide ? 2 : 1;
      let piece = cursor.left();
      for (let missing = count; piece && missing > 0; ) {
        const step = Math.min(missing, Math.floor(piece.length / width));
        const bytes = Buffer.from(piece.slice(0, step * width));
        texts.push(bytes.toString(width === 2 ? 'utf16le' : 'latin1'));
        missing -= step;
        cursor.move(missing === 0 ? step * width : piece.length);
        if (missing === 0) break;
        width = cursor.byte() & WIDE ? 2 : 1;
        piece = cursor.left();
      }
      return texts.join('');
    },
  };
}
