/** Finds the pages of a TIFF file, which may hold several pictures (TIFF 6.0, section 2). */
import type { PictureSize } from './picture-sizes.ts';
import { TIFF_START } from './picture-sizes.ts';

/** `orientation`: as in EXIF, 1 is upright. `file`: the same file with this page as its first. */
export type TiffPage = PictureSize & { orientation: number; file(): Uint8Array };

const [WIDTH, HEIGHT, ORIENTATION, SUBFILE] = [256, 257, 274, 254];
/** A smaller copy of another page (table of NewSubfileType). */
const REDUCED = 1;

/** The pages in their order, `max` at most. A list of pages that is damaged, or leads back, ends there. */
export function tiffPages(bytes: Uint8Array, max: number): TiffPage[] {
  const pages: TiffPage[] = [];
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!TIFF_START.test(file.toString('latin1', 0, 4))) return pages;
  const seen = new Set<number>();
  const read = tagReader(file);
  try {
    for (let at = read.long(4); at !== 0 && !seen.has(at) && pages.length < max; at = read.next(at)) {
      seen.add(at);
      const tags = read.tags(at);
      const [width = 0, height = 0] = [tags.get(WIDTH), tags.get(HEIGHT)];
      if (((tags.get(SUBFILE) ?? 0) & REDUCED) !== 0) continue;
      pages.push({
        width,
        height,
        orientation: tags.get(ORIENTATION) ?? 1,
        file: () => beginningAt(file, at),
      });
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // beyond the end of the file
  }
  return pages;
}

/** The orientation that the first directory of EXIF data names, which is a TIFF file; 1 where it names none. */
export function orientationOf(tiff: Buffer): number {
  try {
    const read = tagReader(tiff);
    return read.tags(read.long(4)).get(ORIENTATION) ?? 1;
  } catch (error) {
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

/** A value of one number stands in its entry: a SHORT (3) or a LONG (4). */
const [SHORT, LONG] = [3, 4];
const ENTRY_LENGTH = 12;

function tagReader(file: Buffer) {
  const isLittle = file.toString('latin1', 0, 2) === 'II';
  const word = (at: number) => (isLittle ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const long = (at: number) => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  return {
    long,
    next: (at: number) => long(at + 2 + ENTRY_LENGTH * word(at)),
    tags(at: number): Map<number, number> {
      const tags = new Map<number, number>();
      for (let i = 0; i < word(at); i++) {
        const entry = at + 2 + ENTRY_LENGTH * i;
        const type = word(entry + 2);
        if (type === SHORT || type === LONG)
          tags.set(word(entry), type === SHORT ? word(entry + 8) : long(entry + 8));
      }
      return tags;
    },
  };
}

function beginningAt(file: Buffer, at: number): Uint8Array {
  const copy = Buffer.from(file);
  if (file.toString('latin1', 0, 2) === 'II') copy.writeUInt32LE(at, 4);
  else copy.writeUInt32BE(at, 4);
  return copy;
}
