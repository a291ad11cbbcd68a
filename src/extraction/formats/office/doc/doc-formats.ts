/** Finds the formats of characters and paragraphs in a Word document ([MS-DOC] 2.6 and 2.9). */
import { type DocFile, PART } from './doc-file.ts';

/** Modifiers that matter to a reader of the text, by their codes (2.6). */
export const SPRM = {
  deleted: 0x0800,
  hidden: 0x083c,
  special: 0x0855,
  superscript: 0x2a48,
  font: 0x4a4f,
  symbol: 0x6a09,
  inTable: 0x2416,
  rowEnd: 0x2417,
  outlineLevel: 0x2640,
  listLevel: 0x260a,
  list: 0x460b,
  depth: 0x6649,
  innerCell: 0x244b,
  innerRowEnd: 0x244c,
  headerRow: 0x3404,
  tableLook: 0x740a,
  cells: 0xd608,
  large: 0x6646,
} as const;

/** Operands by the code of their modifier. */
export type Formats = ReadonlyMap<number, Buffer>;

/** Formats that hold from `start` (included) to `end`, both offsets in the main stream. */
export type Run = { start: number; end: number; style: number; formats: Formats };

/**
 * The formats at an offset. The pages are read when they are asked for, since a hostile file lists each of them often.
 */
export type FormatFinder = { at(offset: number): Run };

const NONE: Formats = new Map();
const PAGE_LENGTH = 512;

export const characterFormats = (file: DocFile): FormatFinder =>
  finder(file, PART.characterPages, (page, count, i) => {
    const at = 2 * (page[4 * (count + 1) + i] ?? 0);
    if (at === 0) return { style: 0, formats: NONE };
    const length = page[at] ?? 0;
    return { style: 0, formats: parseModifiers(page.subarray(at + 1, at + 1 + length)) };
  });

/** The bytes of a description of a paragraph's height, which follows its place (2.9.23). */
const PARAGRAPH_ENTRY = 13;

export const paragraphFormats = (file: DocFile): FormatFinder =>
  finder(file, PART.paragraphPages, (page, count, i) => {
    const at = 2 * (page[4 * (count + 1) + PARAGRAPH_ENTRY * i] ?? 0);
    if (at === 0) return { style: 0, formats: NONE };
    // The length is in words, less the byte itself; or it is in the next byte (2.9.175).
    const words = page[at] ?? 0;
    const [start, length] = words > 0 ? [at + 1, 2 * words - 1] : [at + 2, 2 * (page[at + 1] ?? 0)];
    const bytes = page.subarray(start, start + length);
    if (bytes.length < 2) return { style: 0, formats: NONE };
    return { style: bytes.readUInt16LE(0), formats: withLarge(file, parseModifiers(bytes.subarray(2))) };
  });

/** The formats of a wide table row do not fit into a page: they stand in the data stream. */
function withLarge({ data }: DocFile, formats: Formats): Formats {
  const place = formats.get(SPRM.large)?.readUInt32LE(0);
  if (place === undefined || place + 2 > data.length) return formats;
  return parseModifiers(data.subarray(place + 2, place + 2 + data.readUInt16LE(place)));
}

type ReadEntry = (page: Buffer, count: number, i: number) => Pick<Run, 'style' | 'formats'>;

/** A list of offsets names the page of each stretch of text, and the page divides it further (2.8.5, 2.8.6). */
function finder(file: DocFile, part: number, readEntry: ReadEntry): FormatFinder {
  const plc = file.part(part);
  const count = Math.max(0, Math.floor((plc.length - 4) / 8));
  let last: Run = { start: 0, end: 0, style: 0, formats: NONE };
  return {
    at(offset) {
      if (offset >= last.start && offset < last.end) return last;
      const entry = indexAt(plc, count, offset);
      const number = entry < 0 ? 0 : plc.readUInt32LE(4 * (count + 1) + 4 * entry) & 0x3f_ffff;
      const page = file.main.subarray(number * PAGE_LENGTH, (number + 1) * PAGE_LENGTH);
      last = entry < 0 || page.length < PAGE_LENGTH ? nothing(offset) : runIn(page, offset, readEntry);
      return last;
    },
  };
}

const nothing = (offset: number): Run => ({ start: offset, end: offset + 1, style: 0, formats: NONE });

function runIn(page: Buffer, offset: number, readEntry: ReadEntry): Run {
  const count = Math.min(page[PAGE_LENGTH - 1] ?? 0, (PAGE_LENGTH - 5) >> 2);
  const i = indexAt(page, count, offset);
  if (i < 0) return nothing(offset);
  return { start: page.readUInt32LE(4 * i), end: page.readUInt32LE(4 * i + 4), ...readEntry(page, count, i) };
}

/** The index of the stretch that `offset` lies in, of `count` stretches between ascending numbers; -1 for none. */
function indexAt(list: Buffer, count: number, offset: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list.readUInt32LE(4 * middle) <= offset) low = middle + 1;
    else high = middle;
  }
  return low > 0 && offset < list.readUInt32LE(4 * low) ? low - 1 : -1;
}

/** The lengths of operands by the highest three bits of the code (2.2.5.1); 0: the first byte tells. */
const OPERAND_LENGTHS = [1, 1, 2, 4, 2, 2, 0, 3];

export function parseModifiers(bytes: Buffer): Formats {
  const formats = new Map<number, Buffer>();
  for (let at = 0; at + 2 < bytes.length; ) {
    const code = bytes.readUInt16LE(at);
    at += 2;
    const fixed = OPERAND_LENGTHS[code >> 13] ?? 1;
    // The definition of a row's cells has a length of two bytes, which counts one byte less.
    const [start, length] =
      fixed > 0
        ? [at, fixed]
        : code === SPRM.cells && at + 2 <= bytes.length
          ? [at + 2, bytes.readUInt16LE(at) - 1]
          : [at + 1, bytes[at] ?? 0];
    const operand = bytes.subarray(start, start + Math.max(0, length));
    if (operand.length < Math.max(fixed, 1)) break;
    formats.set(code, operand);
    at = start + length;
  }
  return formats;
}

/** Whether a switch is on. 0x80 and 0x81 relate to the style, which switches none of these on. */
export const isOn = (formats: Formats, code: number): boolean => {
  const value = formats.get(code)?.[0] ?? 0;
  return value === 1 || value === 0x81;
};
