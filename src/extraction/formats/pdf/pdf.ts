/** Reads PDF files page by page with pdf.js (Apache-2.0), which Firefox also uses. */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { ExtractedFile } from '../../extracted-file.ts';
import { corrupt, tooComplex } from '../../extraction-error.ts';
import { PDF_PAGES_MAX } from '../../extraction-limits.ts';
import type { ReaderContext } from '../../reader-context.ts';
import { annotationsOf } from './annotations.ts';
import { isCutOff } from './cut-off.ts';
import { createGlyphFilter } from './fonts/readable-glyphs.ts';
import { placeGlyphs } from './glyphs/glyphs.ts';
import { loadFonts, operatorsOf, type PdfFont } from './glyphs/pdfjs-insides.ts';
import { linesOf, type PdfLine } from './lines/page-lines.ts';
import { openPdf } from './open-pdf.ts';
import { recogniseScans, type ScannedPage } from './scans/recognise-scans.ts';
import { renderPages, withConfidences } from './text.ts';
import { type PageState, warningsFor } from './warnings.ts';

/**
 * A file's text. The warnings name what was not read: pages without text, damaged ones, attached files.
 * @throws FILE_ENCRYPTED when it needs a password (an empty one is tried), FILE_CORRUPT, FILE_TOO_COMPLEX
 */
export async function extractPdf(
  bytes: Uint8Array,
  { recognition }: Partial<Pick<ReaderContext, 'recognition'>> = {},
): Promise<ExtractedFile> {
  const pdf = await openPdf(bytes);
  let read: ReadFile;
  try {
    read = await readFile(pdf);
  } finally {
    await pdf.loadingTask.destroy(); // an archive may have a thousand files
  }
  const { pages, ...file } = read;
  if (recognition !== undefined) await recogniseScans(bytes, pages, recognition);
  if (pages.every(({ isWhole, hasText }) => !isWhole && !hasText))
    throw corrupt('No page of the file can be read.');
  const extracted = renderPages(pages.map(({ lines }) => lines));
  return {
    extracted: withConfidences(
      extracted,
      pages.map(({ recognised }) => recognised),
    ),
    warnings: warningsFor({
      pages,
      ...file,
      isCutOff: isCutOff(bytes),
      recognises: recognition !== undefined,
    }),
    pageCount: pages.length,
  };
}

/** What is read of a file before its scans are recognised. */
type ReadFile = { pages: ReadPage[]; attachments: string[]; isDynamicForm: boolean };

async function readFile(pdf: PDFDocumentProxy): Promise<ReadFile> {
  if (pdf.numPages > PDF_PAGES_MAX) throw tooComplex(`The file has more than ${PDF_PAGES_MAX} pages.`);
  const pages: ReadPage[] = [];
  const readPage = createPageReader();
  for (let number = 1; number <= pdf.numPages; number++) pages.push(await readPage(pdf, number));
  return { pages, attachments: await attachmentsOf(pdf), isDynamicForm: await hasDynamicForm(pdf) };
}

type ReadPage = PageState & ScannedPage;

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
