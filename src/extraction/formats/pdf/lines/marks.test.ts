/** Vowel signs and other marks that are drawn at places of their own. */
import { describe, expect, it } from 'vitest';
import { drawnPdf, streamOf } from '../../../testing/drawn-pdf.ts';
import { extractPdf } from '../pdf.ts';

/** Numbers of glyphs → their text; those from 0x80 on take no room, the others half an em. */
async function textOf(operators: string, texts: Record<string, string>): Promise<string> {
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const entries = Object.entries(texts).map(([number, text]) => `<${number}> <${hex(text)}>`);
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n' +
    '1 begincodespacerange <0000> <ffff> endcodespacerange\n' +
    `${entries.length} beginbfchar ${entries.join('\n')} endbfchar endcmap end end`;
  const font =
    '<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /ToUnicode 8 0 R ' +
    '/DescendantFonts [9 0 R] >>';
  const descendant =
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) ' +
    '/Ordering (Identity)\n/Supplement 0 >> /DW 500 /W [128 255 0] /FontDescriptor 10 0 R >>';
  const descriptor = '<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 500 700] >>';
  const page = '/Resources << /Font << /F5 7 0 R >> >>';
  const objects = [font, streamOf(map), descendant, descriptor];
  const bytes = drawnPdf([`BT /F5 10 Tf ${operators} ET`], {}, { page, objects });
  return (await extractPdf(bytes)).extracted.text;
}

const at = (x: number, y: number, codes: string): string => `1 0 0 1 ${x} ${y} Tm <${codes}> Tj `;

describe('marks', () => {
  it('stand over the letter before them, wherever they are drawn', async () => {
    const thai = { '0001': 'ป', '0002': 'ม', '0081': 'ั', '0082': '๊' };
    const operators =
      at(60, 700, '0001') + at(64.4, 700, '0081') + at(64.2, 702, '0082') + at(65, 700, '0002');
    expect(await textOf(operators, thai)).toBe('ปั๊ม');
  });

  it('stand over the letter after them where text that runs to the left is drawn from the left', async () => {
    const arabic = {
      '0001': 'ت',
      '0002': 'ف',
      '0003': 'ح',
      '0081': '\u064f',
      '0082': '\u0652',
      '0083': '\u064e',
    };
    const operators =
      at(62, 702, '0081') +
      at(60, 700, '0003') +
      at(69, 701, '0083') +
      at(65, 700, '0001') +
      at(70.1, 699, '0082') +
      at(70, 700, '0002') +
      at(78, 702, '0081') +
      at(75, 700, '0001');
    expect(await textOf(operators, arabic)).toBe('تُفْتَحُ');
  });

  it('with room of their own leave no gap to the next one', async () => {
    const malayalam = { '0001': 'വ', '0002': 'ു', '0003': 'ം', '0004': 'ര' };
    expect(await textOf(at(60, 700, '0001000200030004'), malayalam)).toBe('വുംര');
  });

  it('may be letters that are put under others', async () => {
    const khmer = { '0001': 'ណ', '0002': 'ង', '0081': '្ត', '0082': 'ឹ' };
    const operators =
      at(60, 700, '0001') + at(62, 699.7, '0081') + at(61.9, 699.6, '0082') + at(65, 700, '0002');
    expect(await textOf(operators, khmer)).toBe('ណ្តឹង');
  });
});

describe('syllables that a file names for each of their glyphs', () => {
  it('are one, and syllables that are there twice are two', async () => {
    const thai = { '0001': 'ชำ', '0002': 'ชำ', '0003': 'ระ', '0081': 'ชำ' };
    const once = at(60, 700, '0001') + at(65.1, 700, '0081') + at(65, 700, '00020003');
    expect(await textOf(once, thai)).toBe('ชำระ');
    expect(await textOf(at(60, 700, '000100010003'), thai)).toBe('ชำชำระ');
  });

  it('are one where a mark is drawn before its letter', async () => {
    const arabic = { '0001': 'حً', '0002': 'ا', '0081': 'حً' };
    const operators = at(60, 700, '0002') + at(65.1, 698.6, '0081') + at(65, 700, '0001');
    expect(await textOf(operators, arabic)).toBe('حًا');
  });
});
