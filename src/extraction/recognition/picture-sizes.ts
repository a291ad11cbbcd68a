/**
 * Reads the size of a picture from the head of its file: before it is decoded, since a small file may hold a huge one.
 */
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: signatures of binary formats

export type PictureSize = { width: number; height: number };

type ReadSize = (file: Buffer) => PictureSize | undefined;

/** The formats of one picture by their signatures (latin1). TIFF is in tiff-pages.ts. */
const FORMATS: [signature: RegExp, read: ReadSize][] = [
  [
    /^\x89PNG\r\n\x1a\n.{4}IHDR/s,
    (file) => ({ width: file.readUInt32BE(16), height: file.readUInt32BE(20) }),
  ],
  [/^GIF8[79]a/, (file) => gifSize(file)],
  [/^\xff\xd8\xff/, (file) => jpegSize(file)],
  [/^RIFF.{4}WEBPVP8 .{7}\x9d\x01\x2a/s, (file) => wordSizes(file, 26, 0x3fff)],
  [/^RIFF.{4}WEBPVP8L.{4}\x2f/s, (file) => losslessSize(file.readUInt32LE(21))],
  [
    /^RIFF.{4}WEBPVP8X/s,
    (file) => ({ width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }),
  ],
  [
    // `BM` alone begins texts too: the size of a second header follows here (BITMAPINFOHEADER and later ones).
    /^BM.{12}[\x28\x34\x38\x40\x6c\x7c]\0\0\0/s,
    (file) => ({ width: Math.abs(file.readInt32LE(18)), height: Math.abs(file.readInt32LE(22)) }),
  ],
];

/** Long enough for every signature. */
const HEAD_LENGTH = 32;

/** Whether a file begins as a picture that is read, whether it is damaged or not. */
export function isPicture(head: string): boolean {
  return (
    TIFF_START.test(head) ||
    FORMATS.some(([signature]) => signature.test(head)) ||
    /^\x89PNG|^RIFF.{4}WEBP/s.test(head)
  );
}

export const TIFF_START = /^(?:II\*\0|MM\0\*)/;

/** The size of a picture; undefined where the head is damaged or cut off. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.toString('latin1', 0, HEAD_LENGTH);
  try {
    return FORMATS.find(([signature]) => signature.test(head))?.[1](file);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // beyond the end of the file
    throw error;
  }
}

/** Two numbers of 16 bits. */
const wordSizes = (file: Buffer, at: number, mask = 0xffff): PictureSize => ({
  width: file.readUInt16LE(at) & mask,
  height: file.readUInt16LE(at + 2) & mask,
});

/** The first frame of an animation may be larger than its screen. */
function gifSize(file: Buffer): PictureSize {
  const screen = wordSizes(file, 6);
  const frame = gifFrame(file);
  return { width: Math.max(screen.width, frame.width), height: Math.max(screen.height, frame.height) };
}

/** Skips colours and extensions up to the first frame (GIF89a, 20). */
function gifFrame(file: Buffer): PictureSize {
  const flags = file.readUInt8(10);
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  while (file.readUInt8(at) === 0x21) {
    at += 2;
    for (let length = file.readUInt8(at); length > 0; length = file.readUInt8(at)) at += length + 1;
    at++;
  }
  return wordSizes(file, at + 5);
}

/** Width and height less one, in 14 bits each (WebP Lossless Bitstream Specification, 4). */
const losslessSize = (bits: number): PictureSize => ({
  width: (bits & 0x3fff) + 1,
  height: ((bits >>> 14) & 0x3fff) + 1,
});

/** The size stands in the frame's header, after segments of any number (ITU-T T.81, B.2.2). */
function jpegSize(file: Buffer): PictureSize | undefined {
  for (let at = 2; file.readUInt8(at) === 0xff; ) {
    const marker = file.readUInt8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    at += 2 + (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 0 : file.readUInt16BE(at + 2));
  }
  return undefined;
}
