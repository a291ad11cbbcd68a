/**
 * Pictures of text, and files that hold them. The pictures in pictures/ show the two lines of page.png, or another one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { writePdf } from './made-files.ts';

/** Greys from 0 (black) to 255, row by row. */
export type Bitmap = { width: number; height: number; pixels: Uint8Array };

export const pictureFile = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, 'pictures', name));

/** Reads a PNG file of one bit a pixel, one chunk of pixels and no filters: page.png or second.png. */
export function writtenPage(name: 'page.png' | 'second.png'): Bitmap {
  const file = pictureFile(name);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const at = file.indexOf('IDAT');
  const rows = inflateSync(file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4)));
  const stride = 1 + Math.ceil(width / 8);
  const pixels = Uint8Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return 255 * (((rows[y * stride + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1);
  });
  return { width, height, pixels };
}

const chunk = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};

/** A PNG file of 8 bits a pixel. */
export function toPng({ width, height, pixels }: Bitmap): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A BMP file of 24 bits a pixel, from the lowest row. */
export function toBmp({ width, height, pixels }: Bitmap): Buffer {
  const stride = Math.ceil((3 * width) / 4) * 4;
  const file = Buffer.alloc(54 + stride * height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  for (const [at, value] of [54, 40, width, height].entries()) file.writeUInt32LE(value, 10 + 4 * at);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      file.fill(
        pixels[y * width + x] ?? 0,
        54 + (height - 1 - y) * stride + 3 * x,
        57 + (height - 1 - y) * stride + 3 * x,
      );
  return file;
}

/** A TIFF file of pages that are not compressed, of 8 bits a pixel. */
export function toTiff(pages: Bitmap[]): Buffer {
  const parts = [Buffer.from('49492a0008000000', 'hex')];
  let at = 8;
  for (const [i, { width, height, pixels }] of pages.entries()) {
    const tags = [
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, at + 2 + 12 * 9 + 4],
      [277, 1],
      [278, height],
      [279, pixels.length],
    ];
    const directory = Buffer.alloc(2 + 12 * tags.length + 4);
    directory.writeUInt16LE(tags.length, 0);
    for (const [k, [tag = 0, value = 0]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + 12 * k);
      directory.writeUInt16LE(4, 4 + 12 * k);
      directory.writeUInt32LE(1, 6 + 12 * k);
      directory.writeUInt32LE(value, 10 + 12 * k);
    }
    const padding = Buffer.alloc(pixels.length % 2);
    at += directory.length + pixels.length + padding.length;
    if (i + 1 < pages.length) directory.writeUInt32LE(at, directory.length - 4);
    parts.push(directory, Buffer.from(pixels), padding);
  }
  return Buffer.concat(parts);
}

const stream = (entries: string, content: string) =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;

/** The objects of a page for a picture that is cut into `strips`. `add` returns a reference to an object. */
function scannedPage(
  { width, height, pixels }: Bitmap,
  { rotate, strips }: { rotate: number; strips: number },
  add: (object: string) => string,
): string {
  const [w, h] = [(width * 72) / 150, (height * 72) / 150];
  const rows = Math.ceil(height / strips);
  let [names, drawn] = ['', ''];
  for (let y = 0; y < height; y += rows) {
    const count = Math.min(rows, height - y);
    const data = deflateSync(pixels.subarray(y * width, (y + count) * width)).toString('latin1');
    const size = `/Width ${width} /Height ${count}`;
    const form = '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode';
    names += `/I${y} ${add(stream(`/Subtype /Image ${size} ${form}`, data))} `;
    drawn += `q ${w} 0 0 ${(h * count) / height} 0 ${h - (h * (y + count)) / height} cm /I${y} Do Q\n`;
  }
  return add(
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${w} ${h}] /Rotate ${rotate} /Contents ${add(stream('', drawn))} ` +
      `/Resources << /XObject << ${names} >> >> >>`,
  );
}

/**
 * A PDF with a page for each picture, at 150 dots an inch, and with a `text` one more page that has it. `rotate`: how
 * the pages are turned for their reader. `strips`: into how many pictures each is cut, from the top.
 */
export function scannedPdf(
  bitmaps: Bitmap[],
  { text, rotate = 0, strips = 1 }: { text?: string; rotate?: number; strips?: number } = {},
): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', ''];
  const add = (object: string): string => `${objects.push(object)} 0 R`;
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const pages = bitmaps.map((bitmap) => scannedPage(bitmap, { rotate, strips }, add));
  if (text !== undefined)
    pages.push(
      add(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 ${font} >> >> ` +
          `/Contents ${add(stream('', `BT /F1 10 Tf 50 700 Td (${text}) Tj ET`))} >>`,
      ),
    );
  objects[1] = `<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${pages.length} >>`;
  return writePdf(objects);
}
