/**
 * What the service uses of pdf.js beyond its documentation, as of 6.5: see docs/private-insides.md.
 *
 * - A port of our own joins its two halves, whose messages it reads. Instead: leave out `worker`; pages take a third
 *   longer, and one with a million paths exhausts the memory.
 * - Glyphs among the operands of `showText`, their codes, and members of fonts. Instead: `getTextContent`, which has no
 *   places of glyphs: letters that are spaced out or drawn twice, and ligatures, are wrong.
 * - Pictures among its messages, which become grey and smaller on the way. Instead: `page.objs`, which keeps each
 *   whole.
 * - The browser's `FontFace`, which it uses with each font. Instead: `disableFontFace`; pages take a third longer.
 */
import type { PDFPageProxy } from 'pdfjs-dist';
import { AnnotationMode, OPS, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { RECOGNISED_PIXELS_MAX } from '../../../recognition/recognition-limits.ts';
import { type DecodedImage, type PagePicture, toPagePicture } from './page-picture.ts';
import { loadReader } from './pdfjs-source-insides.ts';
import { STATE_CHANGES } from './text-state.ts';

/**
 * A glyph of an array that `showText` has. Widths are in units of the font's matrix; `vmetric` is for vertical fonts.
 */
export type DrawnGlyph = {
  unicode: string;
  originalCharCode?: number;
  width: number;
  vmetric: number[] | null;
  isSpace: boolean;
};

/**
 * A font. Its matrix maps the units of its glyphs and its box to ems (ISO 32000-2, 9.2.4). `composite`: its codes are
 * mostly numbers of glyphs (9.7).
 */
export type PdfFont = {
  vertical: boolean;
  isType3Font: boolean;
  composite?: boolean;
  fontMatrix?: number[];
  bbox?: number[];
};

/** The operators of a page (members of `OPS`), and the operands of each. `isWhole`: they are all. */
export type Operators = { fnArray: number[]; argsArray: unknown[][]; isWhole: boolean };

/**
 * The operators that place text; those that only draw are left out. Annotations have none. Of a damaged page it returns
 * those before the damage, without an error.
 */
export async function operatorsOf(page: PDFPageProxy): Promise<Operators> {
  const list = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const isWhole = 'separateAnnots' in list && list.separateAnnots === WHOLE;
  return { fnArray: list.fnArray, argsArray: list.argsArray, isWhole };
}

/** Takes the place of a property of the last piece, to tell it from the last one before an error. */
const WHOLE: unknown = { form: false, canvas: false };

const PLACING: ReadonlySet<number> = new Set([
  ...STATE_CHANGES.keys(),
  ...[OPS.save, OPS.restore, OPS.paintFormXObjectEnd, OPS.beginGroup, OPS.endGroup, OPS.showText],
  ...[OPS.beginMarkedContent, OPS.beginMarkedContentProps, OPS.endMarkedContent],
]);

/** What a page draws of pictures, and the colour of those that are masks. */
const PICTURING: ReadonlySet<number> = new Set([
  ...PLACING,
  ...[OPS.setFillRGBColor, OPS.paintImageXObject, OPS.paintImageXObjectRepeat, OPS.paintInlineImageXObject],
  ...[OPS.paintImageMaskXObject, OPS.paintImageMaskXObjectGroup, OPS.paintImageMaskXObjectRepeat],
]);

/** Why a page ends at a picture that is larger than `maxImageSize`, where errors end it. */
const HUGE_PICTURE = /exceeded maximum allowed size/;

type Listener = (event: { data: unknown }) => void;

/**
 * Hands each message over as it is, where pdf.js would copy it, glyph by glyph, and leaves out what only draws: other
 * operators than `kept`.
 */
class DirectPort {
  readonly #listeners = new Set<Listener>();
  readonly #checkSaved = savedStatesCheck();
  readonly #reducePicture = pictureReducer();
  readonly #kept: ReadonlySet<number>;
  readonly #onHugePicture: () => void;

  constructor(kept: ReadonlySet<number>, onHugePicture: () => void) {
    this.#kept = kept;
    this.#onHugePicture = onHugePicture;
  }

  /** @throws where a page saves too many states: pdf.js takes the page for damaged there. */
  postMessage(message: unknown): void {
    this.#reducePicture(message);
    if (hasKey(message, 'reason') && HUGE_PICTURE.test(String(Object(message.reason).message)))
      this.#onHugePicture();
    const data = withoutDrawings(message, this.#kept, this.#checkSaved);
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener({ data });
    });
  }

  addEventListener(_type: string, listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners.delete(listener);
  }
}

/** Operators are sent in pieces; the arrays must be copied, as pdf.js empties them for the next piece. */
function withoutDrawings(
  message: unknown,
  placing: ReadonlySet<number>,
  checkSaved: (fnArray: number[], isLast: boolean) => void,
): unknown {
  if (!hasKey(message, 'chunk') || !isPiece(message.chunk)) return message;
  const { fnArray, argsArray, lastChunk } = message.chunk;
  checkSaved(fnArray, lastChunk);
  const isKept = fnArray.map((operator) => placing.has(operator));
  const kept = fnArray.filter((_, i) => isKept[i]);
  const operands = argsArray.filter((_, i) => isKept[i]);
  const separateAnnots = lastChunk ? WHOLE : null;
  const chunk = { fnArray: kept, argsArray: operands, length: kept.length, lastChunk, separateAnnots };
  return { ...message, chunk };
}

/**
 * Saved states of a page at a time. Each state of pdf.js inherits from the state before, so that an operator takes time
 * in proportion to their number: 4 MB of `q` took minutes. ISO 32000-1, annex C, allows 28; damaged files have more.
 */
const SAVED_STATES_MAX = 500;

/**
 * Returns a function that counts over the pieces of a page, and throws at the piece after the piece that exceeds
 * the limit: what this piece has before the limit is kept. Pages are read one after the other.
 */
function savedStatesCheck(): (fnArray: number[], isLast: boolean) => void {
  let saved = 0;
  return (fnArray, isLast) => {
    const isExceeded = saved > SAVED_STATES_MAX;
    if (isExceeded || isLast) saved = 0; // the page ends here
    if (isExceeded) throw new Error(`more than ${SAVED_STATES_MAX} saved states`);
    if (isLast) return;
    for (const operator of fnArray) {
      if (operator === OPS.save) saved++;
      else if (operator === OPS.restore) saved = Math.max(0, saved - 1);
    }
  };
}

const hasKey = <Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> =>
  typeof value === 'object' && value !== null && key in value;

type Piece = { fnArray: number[]; argsArray: unknown[][]; lastChunk: boolean };

const isPiece = (value: unknown): value is Piece =>
  hasKey(value, 'lastChunk') &&
  hasKey(value, 'fnArray') &&
  hasKey(value, 'argsArray') &&
  Array.isArray(value.fnArray) &&
  Array.isArray(value.argsArray);

/** pdf.js decodes all pictures of a page before it draws one: of a page, this many pixels are kept. */
const PAGE_PICTURES_MAX = 4 * RECOGNISED_PIXELS_MAX;

/** A picture of pdf.js with what has become of it. */
type SentImage = DecodedImage & { picture?: PagePicture | 'left out' };

/** Returns a function that puts a grey picture in the place of the pixels in a message. */
function pictureReducer(): (message: unknown) => void {
  let kept = 0;
  return (message) => {
    if (hasKey(message, 'chunk') && isPiece(message.chunk) && message.chunk.lastChunk) kept = 0;
    if (!hasKey(message, 'data') || !Array.isArray(message.data) || message.data.at(-2) !== 'Image') return;
    const image = message.data.at(-1) as SentImage | null;
    if (image === null || image.picture !== undefined || !(image.data?.length > 0)) return;
    if (kept < PAGE_PICTURES_MAX) image.picture = toPagePicture(image);
    else image.picture = 'left out';
    kept += typeof image.picture === 'string' ? 0 : image.picture.pixels.length;
    image.data = new Uint8Array();
  };
}

/** A picture of a page by the name that its operators have for it; undefined for a damaged or left out one. */
export async function pictureNamed(page: PDFPageProxy, name: string): Promise<PagePicture | undefined> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  const image = await new Promise<unknown>((resolve) => objects.get(name, resolve));
  const picture = hasKey(image, 'picture') ? (image as SentImage).picture : undefined;
  return typeof picture === 'object' ? picture : undefined;
}

/**
 * Starts the half of pdf.js that reads files. On Node it runs in the same thread as the other. Without `keepsPictures`
 * operators that draw pictures are left out. `onHugePicture` hears of a picture at which a page has ended.
 */
export async function startReader(keepsPictures: boolean, onHugePicture: () => void): Promise<PDFWorker> {
  const { WorkerMessageHandler } = await loadReader();
  const port = new DirectPort(keepsPictures ? PICTURING : PLACING, onHugePicture);
  const worker = new PDFWorker({ port: port as unknown as null }); // the type that it declares is null
  WorkerMessageHandler.initializeFromPort(port);
  return worker;
}

/** Stands for a browser's fonts. Without them pdf.js computes the outlines of all glyphs. */
class UnusedFontFace {
  readonly loaded = Promise.resolve(this);
}

/** The options of `getDocument` that keep fonts from being drawn, and show their codes. */
export function withUnusedFonts(): {
  disableFontFace: false;
  fontExtraProperties: true;
  ownerDocument: object;
} {
  Object.assign(globalThis, { FontFace: UnusedFontFace });
  const ownerDocument = { fonts: { add: () => {}, delete: () => {} } };
  return { disableFontFace: false, fontExtraProperties: true, ownerDocument };
}

/** Adds the fonts of a page, by the names that its operators have for them, to the fonts of other pages. */
export async function loadFonts(
  page: PDFPageProxy,
  operators: Operators,
  fonts: Map<string, PdfFont>,
): Promise<void> {
  for (const name of fontNames(operators)) {
    if (fonts.has(name)) continue;
    const font = await new Promise<unknown>((resolve) => page.commonObjs.get(name, resolve));
    if (!isFont(font)) continue;
    // Each of these is decoded anew whenever it is read.
    const { vertical, isType3Font, composite, fontMatrix, bbox } = font;
    fonts.set(name, {
      vertical: vertical === true,
      isType3Font,
      composite: composite === true,
      ...(fontMatrix && { fontMatrix }),
      ...(bbox && { bbox }),
    });
    // Nothing is drawn: the file of the font would take memory until the end.
    if (hasKey(font, 'clearData') && typeof font.clearData === 'function') font.clearData();
  }
}

/** pdf.js has an error instead of a font that it cannot read, and draws nothing with it. */
const isFont = (font: unknown): font is PdfFont => hasKey(font, 'fontMatrix') && hasKey(font, 'vertical');

/** Fonts are set by an operator of their own, or as a part of the graphics state. */
function fontNames({ fnArray, argsArray }: Operators): Set<string> {
  const names = new Set<string>();
  for (let i = 0; i < fnArray.length; i++) {
    const operator = fnArray[i];
    if (operator !== OPS.setFont && operator !== OPS.setGState) continue;
    const [operand] = argsArray[i] ?? [];
    if (operator === OPS.setFont) names.add(String(operand));
    else if (Array.isArray(operand))
      for (const [key, value] of operand) if (key === 'Font') names.add(String(value[0]));
  }
  return names;
}
