/** Makes a PDF without a library. */

/** A line of a page, in Helvetica of `size` points. ASCII without parentheses and backslashes. */
type Line = { size: number; text: string };

const LINE_HEIGHT = 40;

const draw = (lines: Line[]): string =>
  lines
    .map(({ size, text }, i) => `BT /F1 ${size} Tf 72 ${720 - LINE_HEIGHT * i} Td (${text}) Tj ET`)
    .join('\n');

/**
 * A PDF of these pages. A comment fills it up to a file of `bytes`. It has no table of its objects; readers then look
 * for them.
 */
export function smallPdf(pages: Line[][], bytes: number): Uint8Array {
  const pageNumber = (page: number) => 4 + 2 * page; // its content is the next object
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, i) => `${pageNumber(i)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages
      .map(draw)
      .flatMap((content, i) => [
        '<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 612 792] ' +
          `/Contents ${pageNumber(i) + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]),
  ];
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('');
  const start = '%PDF-1.4\n%';
  const end = `\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`;
  return Buffer.from(start.padEnd(bytes - end.length) + end, 'latin1');
}
