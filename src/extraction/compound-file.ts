/**
 * Reads compound files, in which Office programs up to 2003 and Outlook store documents ([MS-CFB]): a small file system
 * of storages (folders) and streams (files), whose sectors are chained by allocation tables.
 *
 * SheetJS has such a reader, too. It unpacks every stream at once, so that a directory of many entries with one chain
 * multiplies the file's memory. msgreader and word-extractor do not end on a chain that is a circle.
 */
import { damaged, tooComplex } from './extraction-error.ts';
import { UNPACKED_MAX } from './extraction-limits.ts';
import { wideText } from './wide-text.ts';

/** A folder. Names differ neither in case. Streams are read when they are asked for. */
export type Storage = {
  streams: string[];
  storages: string[];
  /** A stream's bytes, without what is cut off; undefined where there is none of that name. @throws FILE_TOO_COMPLEX */
  read(name: string): Buffer | undefined;
  open(name: string): Storage | undefined;
};

export const COMPOUND_SIGNATURE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** Numbers of sectors from here on have a meaning of their own, such as the end of a chain (2.1). */
const SECTORS_MAX = 0xfffffffa;
const ENTRY_LENGTH = 128;
const HEADER_LENGTH = 512;
/** Sectors of the allocation table that the header lists itself (2.2). */
const HEADER_TABLE_SECTORS = 109;

const STORAGE = 1;
const STREAM = 2;

/** `chain` lists the sectors of a chain from its first one; `bytes` are where these sectors are. */
type Sectors = {
  size: number;
  chain: (first: number) => Iterable<number>;
  offsetOf: (sector: number) => number;
};
type Entry = {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
};

/** @throws FILE_CORRUPT */
export function openCompoundFile(bytes: Uint8Array): Storage {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < HEADER_LENGTH || file.toString('latin1', 0, 8) !== COMPOUND_SIGNATURE)
    throw damaged('it has no valid header');
  const sectors = bigSectors(file);
  const entries = parseEntries(readChain(file, sectors, file.readUInt32LE(48), Number.POSITIVE_INFINITY));
  const [root] = entries;
  if (root === undefined) throw damaged('its directory is missing');
  const mini = readChain(file, sectors, root.start, root.size);
  const miniSectors = smallSectors(
    file,
    readChain(file, sectors, file.readUInt32LE(60), Number.POSITIVE_INFINITY),
  );
  const streamMin = file.readUInt32LE(56);
  let left = UNPACKED_MAX;
  const read = ({ start, size }: Entry): Buffer => {
    const stream =
      size < streamMin ? readChain(mini, miniSectors, start, size) : readChain(file, sectors, start, size);
    left -= stream.length;
    if (left < 0) throw tooComplex('The parts of the file overlap.');
    return stream;
  };
  return storageOf(root, entries, read);
}

function storageOf(folder: Entry, entries: Entry[], read: (entry: Entry) => Buffer): Storage {
  const children = childrenOf(folder, entries);
  const find = (name: string, type: number) =>
    children.find((entry) => entry.type === type && entry.name.toUpperCase() === name.toUpperCase());
  const names = (type: number) => children.filter((entry) => entry.type === type).map(({ name }) => name);
  return {
    streams: names(STREAM),
    storages: names(STORAGE),
    read(name) {
      const entry = find(name, STREAM);
      return entry && read(entry);
    },
    open(name) {
      const entry = find(name, STORAGE);
      return entry && storageOf(entry, entries, read);
    },
  };
}

/** The children form a binary tree, which a hostile file may tie into a circle. */
function childrenOf(folder: Entry, entries: Entry[]): Entry[] {
  const seen = new Set<number>();
  const children: Entry[] = [];
  const ahead = [folder.child];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const entry = entries[at];
    if (entry === undefined || seen.has(at)) continue;
    seen.add(at);
    children.push(entry);
    ahead.push(entry.right, entry.left);
  }
  return children;
}

/** 2.6.1. A name has up to 31 UTF-16 units, and its length counts the zero at its end. */
function parseEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_LENGTH <= directory.length; at += ENTRY_LENGTH) {
    const nameLength = Math.min(64, directory.readUInt16LE(at + 64));
    entries.push({
      name: wideText(directory.subarray(at, at + Math.max(0, nameLength - 2))),
      type: directory.readUInt8(at + 66),
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/** The sectors that follow the header, with their allocation table, whose own sectors are listed in sectors, too. */
function bigSectors(file: Buffer): Sectors {
  const size = 2 ** file.readUInt16LE(30);
  if (size !== 512 && size !== 4096) throw damaged('its header cannot be read');
  const count = Math.ceil(file.length / size);
  const offsetOf = (sector: number) => (sector + 1) * size;
  const listed: number[] = [];
  for (let i = 0; i < HEADER_TABLE_SECTORS; i++) listed.push(file.readUInt32LE(76 + 4 * i));
  let next = file.readUInt32LE(68);
  for (let seen = 0; next < SECTORS_MAX && seen < count; seen++) {
    const at = offsetOf(next);
    if (at + size > file.length) break;
    for (let i = 0; i < size / 4 - 1; i++) listed.push(file.readUInt32LE(at + 4 * i));
    next = file.readUInt32LE(at + size - 4);
  }
  const used = listed.filter((sector) => sector < count).slice(0, count);
  const table = Buffer.concat(used.map((sector) => file.subarray(offsetOf(sector), offsetOf(sector) + size)));
  return { size, offsetOf, chain: (first) => chainIn(table, first) };
}

/** The sectors of 64 bytes, in which streams below 4,096 bytes are stored. */
function smallSectors(file: Buffer, table: Buffer): Sectors {
  const size = 2 ** Math.min(file.readUInt16LE(32), 12);
  return { size, offsetOf: (sector) => sector * size, chain: (first) => chainIn(table, first) };
}

/** @throws FILE_CORRUPT where the chain is a circle */
function* chainIn(table: Buffer, first: number): Generator<number> {
  let left = table.length / 4;
  for (let sector = first; sector < SECTORS_MAX; ) {
    yield sector;
    if (left-- <= 0) throw damaged('its allocation table is a circle');
    if (4 * sector + 4 > table.length) return;
    sector = table.readUInt32LE(4 * sector);
  }
}

/** At most `length` bytes of a chain, without what lies beyond the end of the file. */
function readChain(file: Buffer, { size, chain, offsetOf }: Sectors, first: number, length: number): Buffer {
  const pieces: Buffer[] = [];
  let read = 0;
  for (const sector of chain(first)) {
    if (read >= length) break;
    const piece = file.subarray(offsetOf(sector), offsetOf(sector) + Math.min(size, length - read));
    if (piece.length === 0) break;
    pieces.push(piece);
    read += piece.length;
  }
  return Buffer.concat(pieces);
}
