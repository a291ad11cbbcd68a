/** Reads the text of scanned pages from their pictures. */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { type RecognitionState, stateOf } from '../../../recognition/page-states.ts';
import type { Recognition } from '../../../recognition/recognition.ts';
import type { Matrix } from '../glyphs/matrix.ts';
import { operatorsOf, pictureNamed } from '../glyphs/pdfjs-insides.ts';
import type { PdfLine } from '../lines/page-lines.ts';
import { openPdf } from '../open-pdf.ts';
import { composePage, coverage, type PageFrame } from './compose-page.ts';
import { placedPictures } from './placed-pictures.ts';
import { linesOf } from './recognised-text.ts';

/** A page whose own text has fewer characters may be scanned: its number, a stamp, or the line of a fax. */
const SCANNED_MAX_LENGTH = 100;
/** What a scan covers of a page that has such text, and of one without any text. */
const [COVERED_MIN, COVERED_MIN_WITHOUT_TEXT] = [0.6, 0.05];

/** A page as it was read; `recognised` is how sure its text is, from 0 to 1, where it was recognised. */
export type ScannedPage = {
  lines: PdfLine[];
  hasText: boolean;
  recognition?: RecognitionState;
  recognised?: number;
};

/** Adds to the pages the text of their scans. `pages`: all of the file, in their order. */
export async function recogniseScans(
  bytes: Uint8Array,
  pages: ScannedPage[],
  recognition: Recognition,
): Promise<void> {
  const lengthOf = ({ lines }: ScannedPage) => lines.reduce((sum, { text }) => sum + text.length, 0);
  const numbers = pages.flatMap((page, i) => (lengthOf(page) < SCANNED_MAX_LENGTH ? [i + 1] : []));
  if (numbers.length === 0) return;
  recognition.expect(numbers.length);
  const pdf = await openPdf(bytes, { keepsPictures: true });
  const unread: number[] = [];
  try {
    for (const number of numbers) {
      const page = pages[number - 1];
      if (page !== undefined && !(await recogniseScan(pdf, { number, page }, recognition)))
        unread.push(number);
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
  for (const number of await hugePages(bytes, unread))
    Object.assign(pages[number - 1] ?? {}, { recognition: 'huge' });
}

/** Of these pages, those with a picture beyond the bound: pdf.js leaves it out as if it were not there. */
async function hugePages(bytes: Uint8Array, numbers: number[]): Promise<number[]> {
  if (numbers.length === 0) return [];
  let isHuge = false;
  const onHugePicture = () => {
    isHuge = true;
  };
  const pdf = await openPdf(bytes, { keepsPictures: true, onHugePicture });
  const huge: number[] = [];
  try {
    for (const number of numbers) {
      isHuge = false;
      const page = await pdf.getPage(number).catch(() => undefined);
      if (page !== undefined) await operatorsOf(page).catch(() => undefined);
      page?.cleanup();
      if (isHuge) huge.push(number);
    }
    return huge;
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Returns false where the page has no picture that covers it. */
async function recogniseScan(
  pdf: PDFDocumentProxy,
  { number, page }: { number: number; page: ScannedPage },
  recognition: Recognition,
): Promise<boolean> {
  const picture = await pictureOf(pdf, number, page.hasText ? COVERED_MIN : COVERED_MIN_WITHOUT_TEXT);
  if (picture === undefined) {
    recognition.skip();
    return false;
  }
  const result = await recognition.read(picture);
  page.recognition = stateOf(result);
  if ('overdue' in result || result.lines.length === 0) return true;
  page.lines.push(...linesOf(result));
  page.hasText = true;
  page.recognised = result.confidence;
  return true;
}

/** The page's pictures as one, where they cover that share of it. A damaged page has none. */
async function pictureOf(pdf: PDFDocumentProxy, number: number, coveredMin: number) {
  try {
    const page = await pdf.getPage(number);
    const operators = await operatorsOf(page);
    const placed = await placedPictures(operators, (name) => pictureNamed(page, name));
    const frame = frameOf(page);
    const picture = coverage(frame, placed) < coveredMin ? undefined : composePage(frame, placed);
    page.cleanup();
    return picture;
  } catch {
    return undefined;
  }
}

function frameOf(page: PDFPageProxy): PageFrame {
  const { width, height } = page.getViewport({ scale: 1 });
  return {
    width,
    height,
    matrixAt: (scale) => page.getViewport({ scale }).transform as unknown as Matrix, // six numbers
  };
}
