/** Makes documents of Word 97 to 2003 ([MS-DOC]) and presentations of PowerPoint 97 to 2003 ([MS-PPT]). */
import { uint16, uint32, wide, writeCompound } from './write-compound.ts';

/** `mark` ends the paragraph. `formats` are modifiers; `runs`: of characters from `start` to `end`. */
export type MadeParagraph = {
  text: string;
  mark?: string;
  style?: number;
  formats?: Buffer;
  runs?: { start: number; end: number; formats: Buffer }[];
};

/** A modifier with its operand. */
export const sprm = (code: number, ...operand: number[]): Buffer =>
  Buffer.concat([uint16(code), Buffer.from(operand)]);

const STORIES = ['body', 'footnotes', 'headers', 'macros', 'comments', 'endnotes', 'textBoxes'] as const;
export type MadeStories = Partial<Record<(typeof STORIES)[number], MadeParagraph[]>>;

const PAGE = 512;
const CHARACTER_PAGE = 3;
const PARAGRAPH_PAGE = 4;
const TEXT_OFFSET = 5 * PAGE;
const PARTS = { characters: 12, paragraphs: 13, pieces: 33 };

/** `parts`: structures of the table stream by their indexes in the header. `trailing`: what follows such a part. */
export function docOf(
  stories: MadeStories,
  parts: Record<number, Buffer> = {},
  { flags = 0, objects = {} }: { flags?: number; objects?: Record<string, Uint8Array> } = {},
): Buffer {
  const paragraphs = STORIES.flatMap((name) => stories[name] ?? []);
  const text = paragraphs.map(({ text: words, mark = '\r' }) => words + mark).join('');
  const header = Buffer.alloc(CHARACTER_PAGE * PAGE);
  uint16(0xa5ec, 0x00c1).copy(header);
  header.writeUInt16LE(0x0200 | flags, 10);
  for (const [i, name] of STORIES.entries()) {
    const length = (stories[name] ?? []).reduce(
      (sum, { text: words, mark = '\r' }) => sum + (words + mark).length,
      0,
    );
    header.writeUInt32LE(length, 0x4c + 4 * i);
  }
  const table: Buffer[] = [Buffer.alloc(4)];
  const add = (index: number, part: Buffer, length = part.length): void => {
    header.writeUInt32LE(Buffer.concat(table).length, 0x9a + 8 * index);
    header.writeUInt32LE(length, 0x9e + 8 * index);
    table.push(part);
  };
  const end = TEXT_OFFSET + 2 * text.length;
  const pieces = Buffer.concat([uint32(0, text.length), uint16(0), uint32(TEXT_OFFSET), uint16(0)]);
  add(PARTS.pieces, Buffer.concat([Buffer.from([2]), uint32(pieces.length), pieces]));
  add(PARTS.characters, uint32(TEXT_OFFSET, end, CHARACTER_PAGE));
  add(PARTS.paragraphs, uint32(TEXT_OFFSET, end, PARAGRAPH_PAGE));
  for (const [index, part] of Object.entries(parts)) add(Number(index), part);
  const { characters, places } = formatRuns(paragraphs);
  return writeCompound({
    WordDocument: Buffer.concat([header, formatPage(characters, 1), formatPage(places, 13), wide(text)]),
    '1Table': Buffer.concat(table),
    ...objects,
  });
}

type Run = { end: number; entry: Buffer };

/** The formats of characters and of paragraphs, up to the offset where each ends. */
function formatRuns(paragraphs: MadeParagraph[]): { characters: Run[]; places: Run[] } {
  const characters: Run[] = [];
  const places: Run[] = [];
  let at = TEXT_OFFSET;
  for (const { text, mark = '\r', style = 0, formats = Buffer.alloc(0), runs = [] } of paragraphs) {
    for (const { start, end, formats: own } of runs) {
      characters.push({ end: at + 2 * start, entry: Buffer.from([0]) });
      characters.push({ end: at + 2 * end, entry: Buffer.concat([Buffer.from([own.length]), own]) });
    }
    at += 2 * (text + mark).length;
    characters.push({ end: at, entry: Buffer.from([0]) });
    const entry = Buffer.concat([uint16(style), formats]);
    const padded = entry.length % 2 === 0 ? entry : Buffer.concat([entry, Buffer.alloc(1)]);
    places.push({ end: at, entry: Buffer.concat([Buffer.from([0, padded.length / 2]), padded]) });
  }
  return { characters, places };
}

/** A page of formats: offsets, a place for each run, and from the end of the page on what is at these places. */
function formatPage(runs: Run[], placeLength: number): Buffer {
  const page = Buffer.alloc(PAGE);
  page[PAGE - 1] = runs.length;
  page.writeUInt32LE(TEXT_OFFSET);
  let free = PAGE - 2;
  for (const [i, { end, entry }] of runs.entries()) {
    page.writeUInt32LE(end, 4 * (i + 1));
    free = (free - entry.length) & ~1;
    entry.copy(page, free);
    page[4 * (runs.length + 1) + placeLength * i] = free / 2;
  }
  return page;
}

/** A table of styles: for each the number of the built-in style, the style that it is based on, modifiers. */
export function stylesOf(styles: { kind: number; based?: number; formats?: Buffer }[]): Buffer {
  const written = styles.map(({ kind, based = 0xfff, formats = Buffer.alloc(0) }) => {
    const style = Buffer.concat([
      uint16(kind, (based << 4) | 1, 0, 0, 0),
      uint16(1),
      wide('S\0'),
      uint16(formats.length + 2, 0),
      formats,
      Buffer.alloc(formats.length % 2),
    ]);
    return Buffer.concat([uint16(style.length), style]);
  });
  return Buffer.concat([uint16(4, styles.length, 10), ...written]);
}

/** A record of a presentation; of records, a container. */
export function record(type: number, content: Buffer | Buffer[], kind = 0): Buffer {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : content;
  return Buffer.concat([
    uint16((kind << 4) | (Array.isArray(content) ? 0xf : 0), type),
    uint32(bytes.length),
    bytes,
  ]);
}

/** `objects` are the records that are found by their numbers, from 1; the first is the document. */
export function pptOf(objects: Buffer[], mark = 0xe391c05f): Buffer {
  const offsets: number[] = [];
  let length = 0;
  for (const object of objects) {
    offsets.push(length);
    length += object.length;
  }
  const directory = record(0x1772, uint32((objects.length << 20) | 1, ...offsets));
  const edit = record(0x0ff5, uint32(0, 0, 0, length, 1));
  return writeCompound({
    'PowerPoint Document': Buffer.concat([...objects, directory, edit]),
    'Current User': Buffer.concat([uint16(0, 0x0ff6), uint32(20, 20, mark, length + directory.length)]),
  });
}
