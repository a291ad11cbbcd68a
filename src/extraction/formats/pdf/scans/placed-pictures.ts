/** Follows the operators of a PDF page and finds the pictures that they draw. */
import { OPS } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { luminance } from '../../../recognition/tesseract-insides.ts';
import { type Matrix, multiply } from '../glyphs/matrix.ts';
import { type PagePicture, toPagePicture } from '../glyphs/page-picture.ts';
import type { Operators } from '../glyphs/pdfjs-insides.ts';
import { initialState, STATE_CHANGES, type TextState } from '../glyphs/text-state.ts';

/** A picture on the unit square, which `matrix` maps to the page. `ink`: the grey that a mask is painted in. */
export type PlacedPicture = { matrix: Matrix; ink: number; picture: PagePicture };

/** Scanned pages have one picture, or some dozens of strips; more are patterns. */
const PLACED_MAX = 2_000;

type State = Pick<TextState, 'ctm'> & { ink: number };

/** What an operator draws: the name or the data of a picture, and its places. */
type Drawn = { image: unknown; matrices: Matrix[] };

const UNIT: Matrix = [1, 0, 0, 1, 0, 0];

/** The pictures in the order of drawing. `find` returns the picture of a name. */
export async function placedPictures(
  { fnArray, argsArray }: Operators,
  find: (name: string) => Promise<PagePicture | undefined>,
): Promise<PlacedPicture[]> {
  const placed: PlacedPicture[] = [];
  const saved: State[] = [];
  let state: State = { ctm: initialState().ctm, ink: 0 };
  for (let i = 0; i < fnArray.length && placed.length < PLACED_MAX; i++) {
    const operator = fnArray[i] ?? 0;
    const operands = argsArray[i] ?? [];
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(state);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) state = saved.pop() ?? state;
    if (operator === OPS.transform || operator === OPS.paintFormXObjectBegin) {
      const moved = { ...initialState(), ctm: state.ctm };
      STATE_CHANGES.get(operator)?.(moved, operands);
      state = { ...state, ctm: moved.ctm };
    }
    if (operator === OPS.setFillRGBColor) state = { ...state, ink: greyOf(operands[0]) };
    for (const { image, matrices } of drawnBy(operator, operands)) {
      const picture = await pictureOf(image, find);
      if (picture === undefined) continue;
      for (const matrix of matrices.slice(0, PLACED_MAX - placed.length))
        placed.push({ matrix: multiply(state.ctm, matrix), ink: state.ink, picture });
    }
  }
  return placed;
}

/** A colour as pdf.js writes it, such as `#ffffff`. */
function greyOf(colour: unknown): number {
  const [, red, green, blue] = /^#(..)(..)(..)$/.exec(String(colour)) ?? [];
  const [r, g, b] = [red, green, blue].map((part) => Number.parseInt(part ?? '0', 16));
  return luminance(r ?? 0, g ?? 0, b ?? 0);
}

function drawnBy(operator: number, operands: unknown[]): Drawn[] {
  const [image, a, b, c, d, e] = operands;
  switch (operator) {
    case OPS.paintImageXObject:
    case OPS.paintInlineImageXObject:
    case OPS.paintImageMaskXObject:
      return [{ image, matrices: [UNIT] }];
    case OPS.paintImageXObjectRepeat:
      return [{ image, matrices: places([a, 0, 0, b], c) }];
    case OPS.paintImageMaskXObjectRepeat:
      return [{ image, matrices: places([a, b, c, d], e) }];
    case OPS.paintImageMaskXObjectGroup:
      return (Array.isArray(image) ? image : []).map((each: { transform?: unknown }) => {
        const [p, q, r, s, x, y] = Array.from((each.transform ?? UNIT) as ArrayLike<number>);
        return { image: each, matrices: places([p, q, r, s], [x, y]) };
      });
    default:
      return [];
  }
}

/** The matrices of a picture that is drawn at several points: [x, y, x, y, …]. */
function places(scale: unknown[], points: unknown): Matrix[] {
  const [a = 1, b = 0, c = 0, d = 1] = scale.map(Number);
  const numbers = Array.from((points ?? []) as ArrayLike<number>);
  return Array.from({ length: numbers.length >> 1 }, (_, i) => [
    a,
    b,
    c,
    d,
    numbers[2 * i] ?? 0,
    numbers[2 * i + 1] ?? 0,
  ]);
}

/** Pictures have a name, masks an object with it, and small ones stand in the operand themselves. */
async function pictureOf(
  image: unknown,
  find: (name: string) => Promise<PagePicture | undefined>,
): Promise<PagePicture | undefined> {
  if (typeof image === 'string') return await find(image);
  if (typeof image !== 'object' || image === null || !('data' in image)) return undefined;
  if (typeof image.data === 'string') return await find(image.data);
  if (!(image.data instanceof Uint8Array || image.data instanceof Uint8ClampedArray)) return undefined;
  const { width, height, kind } = image as unknown as { width: number; height: number; kind?: number };
  return toPagePicture({
    width,
    height,
    ...(kind !== undefined && { kind }),
    data: new Uint8Array(image.data),
  });
}
