/** Files that only OCR can read: "The library opens at nine and closes at six in winter", as a picture. */
import { scannedPdf, toPng, writtenPage } from '../../../src/extraction/testing/written-page.ts';

const page = writtenPage('page.png');

/** The page as a PNG file. */
export const writtenPicture = (): Uint8Array => toPng(page);

/** A PDF of this number of pages, all alike. OCR takes some tenths of a second for each. */
export const scanOf = (pages: number): Uint8Array => scannedPdf(Array.from({ length: pages }, () => page));
