/** Recognised text as the lines of a PDF page. */
import type { RecognisedPage } from '../../../recognition/recognised-lines.ts';
import type { PdfLine } from '../lines/page-lines.ts';

/** The lines as a page with text has them. They have no sizes of letters, so that none is a heading. */
export function linesOf({ lines }: RecognisedPage): PdfLine[] {
  return lines.map(({ text, beginsParagraph }) => ({
    parts: [{ text, isRaised: false }],
    text,
    size: 0,
    gap: beginsParagraph ? Number.POSITIVE_INFINITY : 0,
  }));
}
