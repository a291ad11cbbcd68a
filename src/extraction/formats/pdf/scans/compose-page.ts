/** Draws the pictures of a page as one picture, at the resolution that they have. */
import type { GreyPicture } from '../../../recognition/grey-picture.ts';
import { RECOGNISED_PIXELS_MAX } from '../../../recognition/recognition-limits.ts';
import { type Matrix, multiply } from '../glyphs/matrix.ts';
import type { PlacedPicture } from './placed-pictures.ts';

/** The page's size in points as it is looked at, and the matrix from its own space to that, downwards, for a scale. */
export type PageFrame = { width: number; height: number; matrixAt(scale: number): Matrix };

const POINTS_PER_INCH = 72;
/** Tesseract is trained for 300 dots per inch, and reads no more of more. */
const DOTS_PER_INCH_MAX = 300;
const DOTS_PER_INCH_MIN = 72;

/** The share of the page that the boxes of its pictures cover, from 0 to 1. They may overlap. */
export function coverage({ width, height, matrixAt }: PageFrame, placed: PlacedPicture[]): number {
  const frame = matrixAt(1);
  const covered = placed.map(({ matrix }) => {
    const { left, top, right, bottom } = boxOf(multiply(frame, matrix), width, height);
    return Math.max(0, right - left) * Math.max(0, bottom - top);
  });
  return Math.min(1, covered.reduce((sum, area) => sum + area, 0) / (width * height));
}

/** The page as a picture: white, and its pictures on it. */
export function composePage(frame: PageFrame, placed: PlacedPicture[]): GreyPicture {
  const scale = scaleOf(frame, placed);
  const [width, height] = [frame.width, frame.height].map((points) =>
    Math.max(1, Math.round(points * scale)),
  ) as [number, number];
  const page = { width, height, fullWidth: width, pixels: new Uint8Array(width * height).fill(255) };
  const matrix = frame.matrixAt(scale);
  for (const each of placed) draw(page, { ...each, matrix: multiply(matrix, each.matrix) });
  return page;
}

/** Pixels per point: of the finest picture of a certain size, within the bounds. */
function scaleOf({ width, height }: PageFrame, placed: PlacedPicture[]): number {
  const dots = placed.map(({ matrix: [a, b], picture }) => {
    const across = Math.hypot(a, b);
    return across * POINTS_PER_INCH < width ? 0 : (picture.fullWidth / across) * POINTS_PER_INCH;
  });
  const wanted = Math.min(DOTS_PER_INCH_MAX, Math.max(DOTS_PER_INCH_MIN, ...dots)) / POINTS_PER_INCH;
  return Math.min(wanted, Math.sqrt(RECOGNISED_PIXELS_MAX / (width * height)));
}

type Box = { left: number; top: number; right: number; bottom: number };

/** The box around the unit square under a matrix, within the page. */
function boxOf([a, b, c, d, e, f]: Matrix, width: number, height: number): Box {
  const [xs, ys] = [
    [e, e + a, e + c, e + a + c],
    [f, f + b, f + d, f + b + d],
  ];
  return {
    left: Math.max(0, Math.floor(Math.min(...xs))),
    top: Math.max(0, Math.floor(Math.min(...ys))),
    right: Math.min(width, Math.ceil(Math.max(...xs))),
    bottom: Math.min(height, Math.ceil(Math.max(...ys))),
  };
}

/** Draws the mean of the picture's pixels below each pixel of the page: at most this many in each direction. */
const SAMPLES_MAX = 4;

function draw(page: GreyPicture, { matrix, ink, picture }: PlacedPicture): void {
  const [a, b, c, d, e, f] = matrix;
  const area = a * d - b * c;
  if (area === 0 || !Number.isFinite(area)) return;
  const { width, height, pixels, opacity, isMask } = picture;
  const { left, top, right, bottom } = boxOf(matrix, page.width, page.height);
  // From a pixel of the page to one of the picture, whose first row is at the top of the unit square.
  const [xAcross, xDown] = [(d / area) * width, (-c / area) * width];
  const [yAcross, yDown] = [(b / area) * height, (-a / area) * height];
  const finest = Math.max(Math.hypot(xAcross, yAcross), Math.hypot(xDown, yDown));
  const samples = Math.min(SAMPLES_MAX, Math.max(1, Math.ceil(finest - 0.1)));
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const at = y * page.width + x;
      const below = page.pixels[at] as number;
      let light = 0;
      for (let k = 0; k < samples * samples; k++) {
        const pageX = x + ((k % samples) + 0.5) / samples - e;
        const pageY = y + (Math.floor(k / samples) + 0.5) / samples - f;
        const column = Math.floor(xAcross * pageX + xDown * pageY);
        const row = Math.floor(height + yAcross * pageX + yDown * pageY);
        const isInside = column >= 0 && column < width && row >= 0 && row < height;
        const from = row * width + column;
        const opaque = isInside ? (opacity?.[from] ?? 255) : 0;
        const grey = isInside && !isMask ? (pixels[from] as number) : ink;
        light += (grey * opaque + below * (255 - opaque)) / 255;
      }
      page.pixels[at] = light / samples ** 2;
    }
}
