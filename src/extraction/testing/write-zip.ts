/** Writes ZIP archives (APPNOTE.TXT), also such as no honest program writes. */
import { crc32, deflateRawSync } from 'node:zlib';

/** `isStored`: not packed; `declaredSize` lies about the unpacked size; `flags` are the general purpose bits. */
export type ZipEntry = {
  name: string;
  content: string | Uint8Array;
  isStored?: boolean;
  declaredSize?: number;
  flags?: number;
};

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_HEADER = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const STORED = 0;
const DEFLATED = 8;
/** Bit 11: names are in UTF-8. */
const UTF8_NAMES = 0x800;

export function writeZip(entries: ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, isStored = false, declaredSize, flags = 0 } of entries) {
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const method = isStored ? STORED : DEFLATED;
    const fields = commonFields({ bytes, packed, name: Buffer.from(name), declaredSize, flags, method });
    const local = Buffer.concat([uint32(LOCAL_HEADER), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([uint32(DIRECTORY_HEADER), uint16(20), fields, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = [uint16(0), uint16(0), uint16(entries.length), uint16(entries.length)];
  return Buffer.concat([
    ...parts,
    listed,
    uint32(DIRECTORY_END),
    ...end,
    uint32(listed.length),
    uint32(offset),
    uint16(0),
  ]);
}

type Described = {
  bytes: Buffer;
  packed: Buffer;
  name: Buffer;
  declaredSize: number | undefined;
  flags: number;
  method: number;
};

/** What the local header and the directory both say of an entry. */
function commonFields({
  bytes,
  packed,
  name,
  declaredSize = bytes.length,
  flags,
  method,
}: Described): Buffer {
  const time = [uint16(0), uint16(0x21)];
  const sizes = [uint32(crc32(bytes)), uint32(packed.length), uint32(declaredSize), uint16(name.length)];
  return Buffer.concat([
    uint16(20),
    uint16(UTF8_NAMES | flags),
    uint16(method),
    ...time,
    ...sizes,
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
