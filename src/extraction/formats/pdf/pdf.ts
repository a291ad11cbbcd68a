/** Reads PDF files page by page with pdf.js (Apache-2.0), which Firefox also uses. */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { ExtractedFile } from '../../extracted-file.ts';
import { corrupt, tooComplex } from '../../extraction-error.ts';
import { PDF_PAGES_MAX } from '../../extraction-limits.ts';
import { annotationsOf } from './annotations.ts';
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
  try {
    return await readFile(pdf, bytes);
  } finally {
    await pdf.loadingTask.destroy(); // an archive may have a thousand files
  }
}

async function readFile(pdf: PDFDocumentProxy, bytes: Uint8Array): Promise<ExtractedFile> {
  if (pdf.numPages > PDF_PAGES_MAX) throw tooComplex(`The file has more than ${PDF_PAGES_MAX} pages.`);
  const pages: ReadPage[] = [];
  const readPage = createPageReader();
  for (let number = 1; number <= pdf.numPages; number++) pages.push(await readPage(pdf, number));
  if (pages.every(({ isWhole, hasText }) => !isWhole && !hasText))
    throw corrupt('No page of the file can be read.');
  const [attachments, isDynamicForm] = [await attachmentsOf(pdf), await hasDynamicForm(pdf)];
  return {
    extracted: renderPages(pages.map(({ lines }) => lines)),
    warnings: warningsFor({ pages, attachments, isCutOff: isCutOff(bytes), isDynamicForm }),
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
      const { values, notes } = await annotationsOf(page);
      const lines = [...linesOf(glyphs, values), ...notes.map(lineOfText)];
      page.cleanup();
      return { lines, hasText: lines.length > 0, isWhole: operators.isWhole, isUnreliable };
    } catch {
      return { lines: [], hasText: false, isWhole: false, isUnreliable: false };
    }
  };
}

const lineOfText = (text: string): PdfLine => ({
  parts: [{ text, isRaised: false }],
  text,
  size: 0,
  gap: Number.POSITIVE_INFINITY,
});

/** Acrobat attaches its own settings. */
const NO_CONTENT = /\.joboptions$/i;

/** The names of attached files. */
async function attachmentsOf(pdf: PDFDocumentProxy): Promise<string[]> {
  try {
    const attachments: Iterable<{ filename: string }> = (await pdf.getAttachments())?.values() ?? [];
    return [...attachments].map(({ filename }) => filename).filter((name) => !NO_CONTENT.test(name));
  } catch {
    return []; // a damaged list
  }
}

/** Other forms of the XML Forms Architecture have ordinary fields as well. */
async function hasDynamicForm(pdf: PDFDocumentProxy): Promise<boolean> {
  try {
    const { info } = await pdf.getMetadata();
    return (
      'IsXFAPresent' in info &&
      info.IsXFAPresent === true &&
      !('IsAcroFormPresent' in info && info.IsAcroFormPresent)
    );
  } catch {
    return false;
  }
}
