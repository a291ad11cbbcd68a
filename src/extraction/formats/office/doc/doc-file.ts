/** Opens a document of Word 97 to 2003 ([MS-DOC]): its streams, where things are in them, and its text. */

import { openCompoundFile } from '../../../compound-file.ts';
import { damaged, ExtractionError, encrypted, tooLong } from '../../../extraction-error.ts';
import { TEXT_MAX_LENGTH } from '../../../extraction-limits.ts';
import { wideText } from '../../../wide-text.ts';

/**
 * `main` holds the text and its formats, `table` the tables that tell where they are, `data` large formats.
 * `part(i)`: the i-th structure that the file's header refers to (2.5.6).
 */
export type DocFile = {
  main: Buffer;
  table: Buffer;
  data: Buffer;
  part(index: number): Buffer;
  offsetOf(index: number): number;
};

/** A stretch of characters (counted from the beginning of all text) and where they are in `main`. */
export type Piece = { start: number; end: number; offset: number; width: 1 | 2 };

/** The parts of the text, one after the other, each from its first character to the character after its last. */
export type Story = { start: number; end: number };
export type Stories = Record<
  'body' | 'footnotes' | 'headers' | 'comments' | 'endnotes' | 'textBoxes' | 'headerTextBoxes',
  Story
>;

const SIGNATURE = 0xa5ec;
/** The version from which on the format is this one: Word 97. */
const FIRST_VERSION = 0x00c1;
const FLAGS = { encrypted: 0x0100, secondTable: 0x0200 };

/** Offsets in the header (2.5.1 to 2.5.6). */
const HEADER_MIN = 0x01aa;
const LENGTHS = {
  body: 0x4c,
  footnotes: 0x50,
  headers: 0x54,
  macros: 0x58,
  comments: 0x5c,
  endnotes: 0x60,
  textBoxes: 0x64,
  headerTextBoxes: 0x68,
};
const PARTS = 0x9a;

/** Indexes of parts. */
export const PART = {
  styles: 1,
  footnoteMarks: 2,
  footnoteTexts: 3,
  commentMarks: 4,
  commentTexts: 5,
  headerTexts: 11,
  characterPages: 12,
  paragraphPages: 13,
  fonts: 15,
  pieces: 33,
  endnoteMarks: 46,
  endnoteTexts: 47,
  textBoxTexts: 56,
  lists: 73,
  listOverrides: 74,
};

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, UNSUPPORTED_FILE_TYPE for documents of older versions */
export function openDoc(bytes: Uint8Array): DocFile {
  const storage = openCompoundFile(bytes);
  const main = storage.read('WordDocument') ?? Buffer.alloc(0);
  if (main.length < HEADER_MIN) throw damaged('its header is missing');
  const flags = main.readUInt16LE(10);
  if (flags & FLAGS.encrypted) throw encrypted();
  if (main.readUInt16LE(0) !== SIGNATURE || main.readUInt16LE(2) < FIRST_VERSION) throw tooOld();
  const table = storage.read(flags & FLAGS.secondTable ? '1Table' : '0Table');
  if (table === undefined) throw damaged('its tables are missing');
  const offsetOf = (index: number) =>
    main.length < PARTS + 8 * index + 8 ? 0 : main.readUInt32LE(PARTS + 8 * index);
  return {
    main,
    table,
    data: storage.read('Data') ?? Buffer.alloc(0),
    offsetOf,
    part(index) {
      if (main.length < PARTS + 8 * index + 8) return Buffer.alloc(0);
      const start = offsetOf(index);
      return table.subarray(start, start + main.readUInt32LE(PARTS + 8 * index + 4));
    },
  };
}

const tooOld = () =>
  new ExtractionError(
    'UNSUPPORTED_FILE_TYPE',
    'This is a Word document of before 1997: save it as .docx or PDF.',
    'a Word document of before 1997',
  );

export function storiesOf({ main }: DocFile, length: number): Stories {
  let end = 0;
  const next = (at: number): Story => {
    const start = Math.min(end, length);
    end = Math.min(start + Math.max(0, main.readInt32LE(at)), length);
    return { start, end };
  };
  const body = next(LENGTHS.body);
  const footnotes = next(LENGTHS.footnotes);
  const headers = next(LENGTHS.headers);
  next(LENGTHS.macros);
  const comments = next(LENGTHS.comments);
  const endnotes = next(LENGTHS.endnotes);
  const textBoxes = next(LENGTHS.textBoxes);
  return {
    body,
    footnotes,
    headers,
    comments,
    endnotes,
    textBoxes,
    headerTextBoxes: next(LENGTHS.headerTextBoxes),
  };
}

/** Before the table of pieces there may be lists of formats (2.9.38). */
const FORMATS = 1;
const PIECES = 2;
/** A piece's place: in bytes with two for each character, or, with this bit, in half bytes with one for each. */
const NARROW = 0x4000_0000;

/** @throws FILE_CORRUPT without a table of pieces, FILE_TOO_COMPLEX past TEXT_MAX_LENGTH */
export function readPieces(file: DocFile): Piece[] {
  const table = pieceTable(file.part(PART.pieces));
  const count = Math.floor((table.length - 4) / 12);
  const pieces: Piece[] = [];
  for (let i = 0; i < count; i++) {
    const [start, end] = [table.readUInt32LE(4 * i), table.readUInt32LE(4 * i + 4)];
    const place = table.readUInt32LE(4 * (count + 1) + 8 * i + 2);
    if (end <= start || start !== (pieces.at(-1)?.end ?? 0)) break;
    if (end > TEXT_MAX_LENGTH) throw tooLong();
    const isNarrow = (place & NARROW) !== 0;
    const offset = place & 0x3fff_ffff;
    pieces.push({ start, end, offset: isNarrow ? offset / 2 : offset, width: isNarrow ? 1 : 2 });
  }
  if (pieces.length === 0) throw damaged('its table of text is missing');
  return pieces;
}

function pieceTable(part: Buffer): Buffer {
  let at = 0;
  while (part[at] === FORMATS && at + 3 <= part.length) at += 3 + part.readUInt16LE(at + 1);
  if (part[at] !== PIECES || at + 5 > part.length) return Buffer.alloc(0);
  return part.subarray(at + 5, at + 5 + part.readUInt32LE(at + 1));
}

/** Narrow characters are written in Windows-1252. */
const narrow = new TextDecoder('windows-1252');

/** All text; what lies beyond the end of the file is left out. */
export function readText({ main }: DocFile, pieces: Piece[]): string {
  return pieces
    .map(({ start, end, offset, width }) => {
      const bytes = main.subarray(offset, offset + (end - start) * width);
      const text = width === 1 ? narrow.decode(bytes) : wideText(bytes);
      return text.padEnd(end - start, '\0');
    })
    .join('');
}

/** The numbers at the beginning of a list of `count` + 1 characters and `count` things of `size` bytes (2.2.2). */
export function readPositions(plc: Buffer, size: number): number[] {
  const count = Math.max(0, Math.floor((plc.length - 4) / (4 + size)));
  return count === 0 ? [] : Array.from({ length: count + 1 }, (_, i) => plc.readUInt32LE(4 * i));
}
