/** A picture on a PDF page, as pdf.js decodes it, in grey. */
import { ImageKind } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { type GreyPicture, greyPicture } from '../../../recognition/grey-picture.ts';
import { luminance } from '../../../recognition/tesseract-insides.ts';

/** `opacity`: of each pixel, from 0 to 255; undefined where all are opaque. A mask has no greys of its own. */
export type PagePicture = GreyPicture & { opacity: Uint8Array | undefined; isMask: boolean };

/** As pdf.js has it. A mask has no `kind`: its bits are 0 where something is painted. */
export type DecodedImage = { width: number; height: number; kind?: number; data: Uint8Array };

/** What the data lack is white. */
export function toPagePicture({ width, height, kind, data }: DecodedImage): PagePicture {
  const of = (readPixel: (y: number, x: number) => number) =>
    greyPicture(width, height, (y, row) => {
      for (let x = 0; x < width; x++) row[x] = readPixel(y, x);
    });
  const stride = Math.ceil(width / 8);
  const bit = (y: number, x: number) => ((data[y * stride + (x >> 3)] ?? 255) >> (7 - (x & 7))) & 1;
  if (kind === undefined) {
    const opacity = of((y, x) => (bit(y, x) === 0 ? 255 : 0));
    return { ...opacity, opacity: opacity.pixels, isMask: true };
  }
  if (kind === ImageKind.GRAYSCALE_1BPP)
    return { ...of((y, x) => 255 * bit(y, x)), opacity: undefined, isMask: false };
  const bytes = kind === ImageKind.RGB_24BPP ? 3 : 4;
  const grey = (y: number, x: number) => {
    const at = (y * width + x) * bytes;
    return luminance(data[at] ?? 255, data[at + 1] ?? 255, data[at + 2] ?? 255);
  };
  const opacity = bytes === 4 ? of((y, x) => data[(y * width + x) * 4 + 3] ?? 255).pixels : undefined;
  return { ...of(grey), opacity: opacity?.some((value) => value < 255) ? opacity : undefined, isMask: false };
}
