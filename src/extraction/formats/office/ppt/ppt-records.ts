/** Reads the records of a presentation of PowerPoint 97 to 2003 ([MS-PPT] 2.3.1), which hold others or bytes. */
import { damaged, tooComplex } from '../../../extraction-error.ts';

/** `kind` tells records of one type apart. `bytes`: a container's are the records in it. */
export type Rec = { type: number; kind: number; isContainer: boolean; bytes: Buffer };

/** Types of records (2.13.24, and [MS-ODRAW] 2.2 from 0xF000 on). */
export const TYPE = {
  document: 0x03e8,
  slide: 0x03ee,
  slideAtom: 0x03ef,
  notes: 0x03f0,
  slideReference: 0x03f3,
  objects: 0x0409,
  drawing: 0x040c,
  placeholder: 0x0bc3,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  wideText: 0x0fa0,
  textStyles: 0x0fa1,
  narrowText: 0x0fa8,
  string: 0x0fba,
  embeddedObject: 0x0fcc,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  tags: 0x1388,
  tag: 0x138a,
  tagData: 0x138b,
  comment: 0x2ee0,
  shapes: 0xf002,
  group: 0xf003,
  shape: 0xf004,
  clientText: 0xf00d,
  childAnchor: 0xf00f,
  clientData: 0xf011,
  moreProperties: 0xf122,
} as const;

const HEADER_LENGTH = 8;
const CONTAINER = 0xf;

/** Follows records, each of them no more often than a file that nests them properly takes. */
export type RecordReader = {
  at(offset: number): Rec | undefined;
  /** The records in a container. */
  inside(container: Rec): Generator<Rec>;
};

/** @throws FILE_TOO_COMPLEX, on reading, where records overlap */
export function readRecords(stream: Buffer): RecordReader {
  let left = stream.length;
  const parse = (bytes: Buffer, at: number): Rec | undefined => {
    if (at < 0 || at + HEADER_LENGTH > bytes.length) return undefined;
    left -= 1;
    if (left < 0) throw tooComplex('The records of the file overlap.');
    const first = bytes.readUInt16LE(at);
    const start = at + HEADER_LENGTH;
    return {
      type: bytes.readUInt16LE(at + 2),
      kind: first >> 4,
      isContainer: (first & 0xf) === CONTAINER,
      bytes: bytes.subarray(start, start + bytes.readUInt32LE(at + 4)),
    };
  };
  return {
    at: (offset) => parse(stream, offset),
    *inside({ bytes }) {
      for (let at = 0; ; ) {
        const record = parse(bytes, at);
        if (record === undefined) return;
        yield record;
        at += HEADER_LENGTH + record.bytes.length;
      }
    },
  };
}

/** What the records of objects (slides and the like) are found by: an offset for each number, the newest first. */
export type Persisted = { find(number: number): Rec | undefined; documentNumber: number };

/** Edits form a chain, each with a directory of what it saved (2.1.2). @throws FILE_CORRUPT */
export function readPersisted(records: RecordReader, lastEdit: number): Persisted {
  const offsets = new Map<number, number>();
  const seen = new Set<number>();
  let documentNumber: number | undefined;
  for (let at = lastEdit; at > 0 && !seen.has(at); ) {
    seen.add(at);
    const edit = records.at(at);
    if (edit?.type !== TYPE.userEdit || edit.bytes.length < 20) break;
    documentNumber ??= edit.bytes.readUInt32LE(16);
    addDirectory(offsets, records.at(edit.bytes.readUInt32LE(12)));
    at = edit.bytes.readUInt32LE(8);
  }
  if (documentNumber === undefined) throw damaged('it has no list of its parts');
  const find = (number: number) => {
    const offset = offsets.get(number);
    return offset === undefined ? undefined : records.at(offset);
  };
  return { find, documentNumber };
}

/** Runs of offsets: the first number in 20 bits, the count in 12, then the offsets (2.3.5). */
function addDirectory(offsets: Map<number, number>, directory: Rec | undefined): void {
  if (directory?.type !== TYPE.persistDirectory) return;
  const { bytes } = directory;
  for (let at = 0; at + 4 <= bytes.length; ) {
    const run = bytes.readUInt32LE(at);
    at += 4;
    for (
      let number = run & 0xf_ffff, left = run >>> 20;
      left > 0 && at + 4 <= bytes.length;
      left--, number++
    ) {
      if (!offsets.has(number)) offsets.set(number, bytes.readUInt32LE(at));
      at += 4;
    }
  }
}
