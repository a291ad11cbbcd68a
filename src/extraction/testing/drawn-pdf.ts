/** Makes PDF files from the operators of their pages. */
import { writePdf } from './made-files.ts';

/** A stream object of this content (ISO 32000-2, 7.3.8). */
export const streamOf = (content: string, entries = ''): string =>
  `<< ${entries} /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`;

/** What a file has besides its pages: entries of its catalog, of each page, and objects, from number 7 on. */
export type Additions = { catalog?: string; page?: string; objects?: string[] };

/**
 * A PDF of pages of 600 × 800 with these operators. Fonts: F1 is Helvetica, F2 Courier; F3 is Courier and F4 Helvetica
 * whose bytes stand for other text, by `letters`.
 */
export function drawnPdf(
  pages: string[],
  letters: Record<string, string> = {},
  { catalog = '', page = '', objects = [] }: Additions = {},
): Buffer {
  const font = (name: string, more = '') =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding ${more} >>`;
  const first = 7 + objects.length;
  const mapped = '/ToUnicode 6 0 R';
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ');
  return writePdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 600 800]\n` +
      `/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R /F4 ${font('Helvetica', mapped)} >> >> >>`,
    font('Helvetica'),
    font('Courier'),
    font('Courier', mapped),
    streamOf(mapOf(letters)),
    ...objects,
    ...pages.flatMap((operators, i) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${first + 2 * i + 1} 0 R ${page} >>`,
      streamOf(operators),
    ]),
  ]);
}

/** A map from bytes to text (ISO 32000-2, 9.10.3). */
function mapOf(letters: Record<string, string>): string {
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const entries = Object.entries(letters).map(
    ([letter, text]) => `<${Buffer.from(letter, 'latin1').toString('hex')}> <${hex(text)}>`,
  );
  return (
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n' +
    '1 begincodespacerange <00> <ff> endcodespacerange\n' +
    `${entries.length} beginbfchar\n${entries.join('\n')}\nendbfchar endcmap end end`
  );
}

/** Operators that write text at a place. `font`: its name and size. */
export const textAt = (x: number, y: number, text: string, font = '/F1 10 Tf'): string =>
  `BT ${font} ${x} ${y} Td (${text}) Tj ET\n`;
