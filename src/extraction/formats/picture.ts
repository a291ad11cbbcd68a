/** Reads the text of pictures: PNG, JPEG, TIFF of several pages, WebP, GIF and BMP. */
import type { ExtractedFile, FileWarning } from '../extracted-file.ts';
import { damaged, ExtractionError, tooComplex } from '../extraction-error.ts';
import { PDF_PAGES_MAX, PICTURE_PIXELS_MAX } from '../extraction-limits.ts';
import { pageWarning } from '../page-warnings.ts';
import { type RecognitionState, recognitionWarnings, stateOf } from '../recognition/page-states.ts';
import { orientationIn, upright } from '../recognition/picture-orientation.ts';
import { pictureSize } from '../recognition/picture-sizes.ts';
import type { Recognition } from '../recognition/recognition.ts';
import { type TiffPage, tiffPages } from '../recognition/tiff-pages.ts';
import type { PdfLine } from './pdf/lines/page-lines.ts';
import { linesOf } from './pdf/scans/recognised-text.ts';
import { renderPages, withConfidences } from './pdf/text.ts';

/** A picture inside another file that is smaller is a logo or a button: its text is not read. */
const INNER_MIN_PIXELS = 250_000;

type PictureState = RecognitionState | 'damaged';
type Page = { lines: PdfLine[]; state: PictureState; confidence?: number };

/**
 * A picture's text. A TIFF file's: the text of all its pages.
 * @throws FILE_CORRUPT, FILE_TOO_COMPLEX, NO_TEXT_EXTRACTED
 */
export async function extractPicture(
  bytes: Uint8Array,
  isInner: boolean,
  recognition: Recognition,
): Promise<ExtractedFile> {
  const pictures = tiffPages(bytes, PDF_PAGES_MAX);
  const isTiff = pictures.length > 0;
  if (!isTiff) pictures.push(...onlyPicture(bytes));
  if (isInner && pictures.every(({ width, height }) => width * height < INNER_MIN_PIXELS)) throw tooSmall();
  recognition.expect(pictures.length);
  const pages: Page[] = [];
  for (const picture of pictures) pages.push(await readPage(picture, recognition));
  if (pages.every(({ state }) => state === 'damaged')) throw damaged('it cannot be read as a picture');
  if (pages.every(({ state }) => state === 'huge'))
    throw tooComplex(`The picture has more than ${Math.floor(PICTURE_PIXELS_MAX / 1e6)} million pixels.`);
  const extracted = renderPages(pages.map(({ lines }) => lines));
  const recognised = withConfidences(
    extracted,
    pages.map(({ confidence }) => confidence),
  );
  const warnings = warningsFor(pages.map(({ state }) => state));
  if (isTiff) return { extracted: recognised, warnings, pageCount: pages.length };
  const unnumbered = recognised.pages.map((start) => ({ ...start, page: undefined }));
  return { extracted: { ...recognised, pages: unnumbered }, warnings };
}

function onlyPicture(bytes: Uint8Array): TiffPage[] {
  const size = pictureSize(bytes);
  return size === undefined ? [] : [{ ...size, orientation: orientationIn(bytes), file: () => bytes }];
}

const tooSmall = () => new ExtractionError('NO_TEXT_EXTRACTED', 'The picture is too small to hold a text.');

async function readPage(
  { width, height, orientation, file }: TiffPage,
  recognition: Recognition,
): Promise<Page> {
  const without = (state: PictureState): Page => {
    recognition.skip();
    return { lines: [], state };
  };
  if (width * height > PICTURE_PIXELS_MAX) return without('huge');
  const picture = width * height === 0 ? undefined : await recognition.decode(file());
  if (picture === undefined) return without('damaged');
  const result = await recognition.read(upright(picture, orientation));
  const state = stateOf(result);
  if ('overdue' in result || result.lines.length === 0) return { lines: [], state };
  return { lines: linesOf(result), state, confidence: result.confidence };
}

function warningsFor(states: PictureState[]): FileWarning[] {
  const numbers = (wanted: PictureState) => states.flatMap((state, i) => (state === wanted ? [i + 1] : []));
  // Where no page has text, the failure says so.
  const blank = states.every((state) => state === 'blank') ? [] : numbers('blank');
  return [
    ...pageWarning('PAGES_WITHOUT_TEXT', blank, 'OCR has found no text'),
    ...pageWarning('PAGES_NOT_READ', numbers('damaged'), 'damaged and not read'),
    ...recognitionWarnings(states.map((state) => (state === 'damaged' ? undefined : state))),
  ];
}
