/** Reads PDF files page by page with pdf.js (Apache-2.0), which Firefox also uses. */
import type { PDFPageProxy } from 'pdfjs-dist';
import type { ExtractedFile, FileWarning, FileWarningCode } from '../../extracted-file.ts';
import { corrupt, tooComplex } from '../../extraction-error.ts';
import { PDF_PAGES_MAX } from '../../extraction-limits.ts';
import { placeGlyphs } from './glyphs/glyphs.ts';
import { loadFonts, operatorsOf, type PdfFont } from './glyphs/pdfjs-insides.ts';
import { linesOf, type PdfLine } from './lines/page-lines.ts';
import { openPdf } from './open-pdf.ts';
import { renderPages } from './text.ts';

/**
 * A file's text. The warnings name pages without text and pages that could not be read.
 * @throws FILE_ENCRYPTED when it needs a password (an empty one is tried), FILE_CORRUPT, FILE_TOO_COMPLEX
 */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedFile> {
  const pdf = await openPdf(bytes);
  if (pdf.numPages > PDF_PAGES_MAX) throw tooComplex(`The file has more than ${PDF_PAGES_MAX} pages.`);
  const pages: PdfLine[][] = [];
  const fonts = new Map<string, PdfFont>();
  const damagedPages: number[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    try {
      pages.push(await readPage(await pdf.getPage(number), fonts));
    } catch {
      pages.push([]);
      damagedPages.push(number);
    }
  }
  if (damagedPages.length === pdf.numPages) throw corrupt('No page of the file can be read.');
  const emptyPages = pages.flatMap((lines, i) =>
    lines.length === 0 && !damagedPages.includes(i + 1) ? [i + 1] : [],
  );
  const warnings = [
    ...pageWarning('PAGES_WITHOUT_TEXT', emptyPages, 'without text, perhaps scanned'),
    ...pageWarning('PAGES_NOT_READ', damagedPages, 'damaged and not read'),
  ];
  return { extracted: renderPages(pages), warnings, pageCount: pdf.numPages };
}

async function readPage(page: PDFPageProxy, fonts: Map<string, PdfFont>): Promise<PdfLine[]> {
  const operators = await operatorsOf(page);
  await loadFonts(page, operators, fonts);
  const lines = linesOf(placeGlyphs({ operators, view: page.view, fonts }));
  const filledIn = (await page.getAnnotations()).flatMap((annotation) => annotationText(annotation));
  page.cleanup();
  return [...lines, ...filledIn.map(lineOfText)];
}

const lineOfText = (text: string): PdfLine => ({
  parts: [{ text, isRaised: false }],
  text,
  size: 0,
  gap: Number.POSITIVE_INFINITY,
});

/** The value of a form field, or the text of a note. */
function annotationText(annotation: {
  fieldType?: unknown;
  fieldValue?: unknown;
  contentsObj?: { str?: unknown };
}): string[] {
  const { fieldType, fieldValue, contentsObj } = annotation;
  const text = fieldType === 'Tx' || fieldType === 'Ch' ? [fieldValue].flat().join(', ') : contentsObj?.str;
  return typeof text === 'string' && text.trim() !== '' ? [text] : [];
}

/** A warning lists at most this many page ranges, and counts the rest. */
const NAMED_RUNS_MAX = 20;

/** One warning that lists the pages: [1, 4, 5, 6] → `1, 4–6`. Empty for no pages. */
function pageWarning(code: FileWarningCode, pages: number[], what: string): FileWarning[] {
  if (pages.length === 0) return [];
  const runs: { first: number; last: number }[] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run?.last === page - 1) run.last = page;
    else runs.push({ first: page, last: page });
  }
  const named = runs
    .slice(0, NAMED_RUNS_MAX)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const more = runs.length > NAMED_RUNS_MAX ? ' and more' : '';
  const message = `${pages.length === 1 ? 'Page' : 'Pages'} ${named.join(', ')}${more}: ${what}.`;
  return [{ code, message }];
}
