/** Reads PDF files page by page with pdf.js (Apache-2.0), which Firefox also uses. */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { ExtractedFile } from '../../extracted-file.ts';
import { corrupt, tooComplex } from '../../extraction-error.ts';
import { PDF_PAGES_MAX } from '../../extraction-limits.ts';
import { isCutOff } from './cut-off.ts';
import { createGlyphFilter } from './fonts/readable-glyphs.ts';
import { placeGlyphs } from './glyphs/glyphs.ts';
import { loadFonts, operatorsOf, type PdfFont } from './glyphs/pdfjs-insides.ts';
import { linesOf, type PdfLine } from './lines/page-lines.ts';
import { openPdf } from './open-pdf.ts';
import { renderPages } from './text.ts';
import { type PageState, warningsFor } from './warnings.ts';

/**
 * A file's text. The warnings name what was not read: pages without text, damaged ones, attached files.
 * @throws FILE_ENCRYPTED when it needs a password (an empty one is tried), FILE_CORRUPT, FILE_TOO_COMPLEX
 */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedFile> {
  const pdf = await openPdf(bytes);
  if (pdf.numPages > PDF_PAGES_MAX) throw tooComplex(`The file has more than ${PDF_PAGES_MAX} pages.`);
  const pages: ReadPage[] = [];
  const readPage = createPageReader();
  for (let number = 1; number <= pdf.numPages; number++) pages.push(await readPage(pdf, number));
  if (pages.every(({ isWhole, hasText }) => !isWhole && !hasText))
    throw corrupt('No page of the file can be read.');
  const attachments = await attachmentsOf(pdf);
  return {
    extracted: renderPages(pages.map(({ lines }) => lines)),
    warnings: warningsFor({ pages, attachments, isCutOff: isCutOff(bytes) }),
    pageCount: pdf.numPages,
  };
}

type ReadPage = PageState & { lines: PdfLine[] };

/** Fonts are shared by the pages of a file. */
function createPageReader(): (pdf: PDFDocumentProxy, number: number) => Promise<ReadPage> {
  const fonts = new Map<string, PdfFont>();
  const readable = createGlyphFilter();
  return async (pdf, number) => {
    try {
      const page = await pdf.getPage(number);
      const operators = await operatorsOf(page);
      await loadFonts(page, operators, fonts);
      const { glyphs, isUnreliable } = readable(placeGlyphs({ operators, view: page.view, fonts }));
      const lines = [...linesOf(glyphs), ...(await filledIn(page))];
      page.cleanup();
      return { lines, hasText: lines.length > 0, isWhole: operators.isWhole, isUnreliable };
    } catch {
      return { lines: [], hasText: false, isWhole: false, isUnreliable: false };
    }
  };
}

const filledIn = async (page: PDFPageProxy): Promise<PdfLine[]> =>
  (await page.getAnnotations()).flatMap(annotationText).map(lineOfText);

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

/** The names of attached files. */
async function attachmentsOf(pdf: PDFDocumentProxy): Promise<string[]> {
  try {
    const attachments: Iterable<{ filename: string }> = (await pdf.getAttachments())?.values() ?? [];
    return [...attachments].map(({ filename }) => filename);
  } catch {
    return []; // a damaged list
  }
}
