/** Reads PDF files page by page with pdf.js (Apache-2.0), which Firefox also uses. */
import { fileURLToPath } from 'node:url';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { ExtractedFile, FileWarning, FileWarningCode } from '../../extracted-file.ts';
import { corrupt, damaged, encrypted, tooComplex } from '../../extraction-error.ts';
import { PDF_PAGES_MAX } from '../../extraction-limits.ts';
import { linesOf, type PdfLine } from './lines.ts';
import { renderPages } from './text.ts';

// In a damaged file pdf.js also rejects promises that nothing awaits. Unhandled, they would end the process.
process.on('unhandledRejection', () => {});

/**
 * A file's text. The warnings name pages without text and pages that could not be read.
 * @throws FILE_ENCRYPTED when it needs a password (an empty one is tried), FILE_CORRUPT, FILE_TOO_COMPLEX
 */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedFile> {
  const pdf = await openPdf(bytes);
  if (pdf.numPages > PDF_PAGES_MAX) throw tooComplex(`The file has more than ${PDF_PAGES_MAX} pages.`);
  const pages: PdfLine[][] = [];
  const damagedPages: number[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    try {
      pages.push(await readPage(await pdf.getPage(number)));
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

async function openPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  const { getDocument, GlobalWorkerOptions, PasswordException, VerbosityLevel } = await import(
    'pdfjs-dist/legacy/build/pdf.mjs'
  );
  // On Node, pdf.js loads this module into its own thread: by default the one that is not minified.
  GlobalWorkerOptions.workerSrc = import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  const data = folderOf('pdfjs-dist/package.json');
  const loading = getDocument({
    data: new Uint8Array(bytes),
    // Character maps of East Asian fonts that are not embedded, and widths of the standard fonts.
    cMapUrl: `${data}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${data}standard_fonts/`,
    useWorkerFetch: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    return await loading.promise;
  } catch (error) {
    if (error instanceof PasswordException) throw encrypted();
    throw damaged('it cannot be read as a PDF');
  }
}

function folderOf(file: string): string {
  return fileURLToPath(new URL('.', import.meta.resolve(file)));
}

async function readPage(page: PDFPageProxy): Promise<PdfLine[]> {
  const { items } = await page.getTextContent();
  const lines = linesOf(items.filter((item) => 'str' in item));
  const filledIn = (await page.getAnnotations()).flatMap((annotation) => annotationText(annotation));
  page.cleanup();
  return [...lines, ...filledIn.map((text): PdfLine => ({ text, size: 0, gap: Number.POSITIVE_INFINITY }))];
}

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
