/** Writes compound files ([MS-CFB]) with SheetJS, which writes them as Office programs do. */
import { CFB } from '@e965/xlsx';

/** Streams by their paths, such as `__attach_version1.0_#00000000/__substg1.0_37010102`. */
export function writeCompound(streams: Record<string, Uint8Array>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams))
    CFB.utils.cfb_add(file, `/${path}`, Buffer.from(content));
  // SheetJS adds a stream that says who wrote the file.
  CFB.utils.cfb_del(file, '/\u0001Sh33tJ5');
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}

export function uint16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, 2 * i);
  return bytes;
}

export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * i);
  return bytes;
}

export const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
