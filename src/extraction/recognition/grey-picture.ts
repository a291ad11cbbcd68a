/** Pictures in grey, one byte a pixel, as recognition reads them: 0 is black, 255 is white. */
import { RECOGNISED_PIXELS_MAX } from './recognition-limits.ts';

/** Rows from the top, without padding. `fullWidth`: pixels in a row before it was made smaller. */
export type GreyPicture = { width: number; height: number; fullWidth: number; pixels: Uint8Array };

/** How many pixels in each direction become one, so that a picture of this size is within the bound. */
export const reductionOf = (width: number, height: number): number =>
  Math.max(1, Math.ceil(Math.sqrt((width * height) / RECOGNISED_PIXELS_MAX)));

/** Writes the greys of row `y` into `row`. */
type ReadRow = (y: number, row: Uint8Array) => void;

/** A picture made from its rows, each pixel the mean of a square of pixels, so that it is within the bound. */
export function greyPicture(width: number, height: number, readRow: ReadRow): GreyPicture {
  const by = reductionOf(width, height);
  const [smallWidth, smallHeight] = [
    Math.max(1, Math.floor(width / by)),
    Math.max(1, Math.floor(height / by)),
  ];
  const pixels = new Uint8Array(smallWidth * smallHeight);
  const row = new Uint8Array(width);
  const sums = new Uint32Array(smallWidth);
  for (let y = 0; y < smallHeight; y++) {
    sums.fill(0);
    let rows = 0;
    for (let k = y * by; k < Math.min(height, (y + 1) * by); k++, rows++) {
      readRow(k, row);
      for (let x = 0; x < smallWidth; x++)
        for (let i = x * by; i < (x + 1) * by; i++) sums[x] = (sums[x] as number) + (row[i] ?? 255);
    }
    for (let x = 0; x < smallWidth; x++) pixels[y * smallWidth + x] = (sums[x] as number) / (rows * by);
  }
  return { width: smallWidth, height: smallHeight, fullWidth: width, pixels };
}

/** The picture turned clockwise by a quarter, a half or three quarters. */
export function turned({ width, height, pixels }: GreyPicture, quarters: 1 | 2 | 3): GreyPicture {
  const [toWidth, toHeight] = quarters === 2 ? [width, height] : [height, width];
  const to = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [toX, toY] =
        quarters === 1
          ? [height - 1 - y, x]
          : quarters === 2
            ? [width - 1 - x, height - 1 - y]
            : [y, width - 1 - x];
      to[toY * toWidth + toX] = pixels[y * width + x] as number;
    }
  return { width: toWidth, height: toHeight, fullWidth: toWidth, pixels: to };
}

/** The picture mirrored from left to right. */
export function mirrored(picture: GreyPicture): GreyPicture {
  const pixels = picture.pixels.slice();
  for (let y = 0; y < picture.height; y++)
    pixels.subarray(y * picture.width, (y + 1) * picture.width).reverse();
  return { ...picture, pixels };
}

/**
 * The share of neighbours in a row of which one is darker than the middle of the picture's greys. Pages of text have up
 * to a tenth, also noisy scans; black and white noise has a half: its specks would be taken for letters, a million of
 * them, in minutes.
 */
export function roughness({ width, pixels }: GreyPicture): number {
  let [darkest, lightest, changes] = [255, 0, 0];
  for (const grey of pixels) {
    if (grey < darkest) darkest = grey;
    if (grey > lightest) lightest = grey;
  }
  const middle = (darkest + lightest) / 2;
  for (let i = 1; i < pixels.length; i++)
    if (i % width !== 0 && (pixels[i] as number) < middle !== (pixels[i - 1] as number) < middle) changes++;
  return changes / Math.max(1, pixels.length);
}

/** The picture as a file in the Portable Graymap format. */
export function toGraymap({ width, height, pixels }: GreyPicture): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), pixels]);
}
