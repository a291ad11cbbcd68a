/** Text in fonts that do not say which letters they have. */
import { describe, expect, it } from 'vitest';
import { extractFile } from '../../../extract.ts';
import { drawnPdf, streamOf, textAt } from '../../../testing/drawn-pdf.ts';
import { extractPdf } from '../pdf.ts';

describe('fonts that do not say which letters they have', () => {
  const NUMBERS = 'abcdefghijklmnopqrstuvwxyz';
  const map = (offset: (i: number) => number): Record<string, string> =>
    Object.fromEntries([...NUMBERS].map((letter, i) => [letter, String.fromCodePoint(offset(i))]));
  const noise =
    `${textAt(60, 700, 'the quick brown fox jumps over the lazy dog', '/F3 12 Tf')}` +
    `${textAt(60, 680, 'How to read')}`;
  const UNRELIABLE = {
    code: 'TEXT_UNRELIABLE',
    message: 'Page 1: text is missing or wrong, because a font does not say which letters it has.',
  };

  it.each([
    ['private characters', (i: number) => 0xe000 + i],
    ['controls', (i: number) => 1 + i],
    ['letters of many scripts', (i: number) => 0x391 + 0x2f * i],
  ])('are left out with a warning where their glyphs are %s', async (_, offset) => {
    const { extracted, warnings } = await extractPdf(drawnPdf([noise], map(offset)));
    expect(extracted.text).toBe('How to read');
    expect(warnings).toEqual([UNRELIABLE]);
  });

  it('are the reason where nothing else is there; such pages are no scans', async () => {
    const bytes = drawnPdf(
      [noise.replace('How to read', '')],
      map((i) => 0xe000 + i),
    );
    expect(await extractFile({ fileName: 'a.pdf', bytes })).toMatchObject({
      failure: {
        code: 'NO_TEXT_EXTRACTED',
        message: 'The file holds no readable text: its fonts do not say which letters they have.',
      },
      warnings: [UNRELIABLE],
    });
  });

  it('are left out where their letters are as wide as others', async () => {
    const shifted = [...'the quick brown fox jumps over the lazy dog']
      .map((letter) => (letter === ' ' ? letter : String.fromCodePoint(letter.charCodeAt(0) - 29)))
      .join('');
    // Each letter has the width of the letter that it stands for.
    const widths = Object.fromEntries(
      [...NUMBERS].map((letter) => [letter, String.fromCodePoint(letter.charCodeAt(0) - 29)]),
    );
    expect(shifted).toMatch(/^WKH/);
    const { extracted, warnings } = await extractPdf(drawnPdf([noise.replace('/F3', '/F4')], widths));
    expect(extracted.text).toBe('How to read');
    expect(warnings).toEqual([UNRELIABLE]);
  });

  it('are named, and kept, where they call several letters blanks', async () => {
    const letters = Object.fromEntries(
      [...NUMBERS].map((letter) => [letter, 'wim'.includes(letter) ? ' ' : letter]),
    );
    const { extracted, warnings } = await extractPdf(
      drawnPdf([textAt(60, 700, 'a wide time', '/F4 12 Tf')], letters),
    );
    expect(extracted.text).toBe('a de t e');
    expect(warnings).toEqual([UNRELIABLE]);
  });

  it('keep the letters of scripts whose syllables they lack parts of', async () => {
    const letters = Object.fromEntries(
      [...'abcdefgh'].map((letter, i) => [letter, [...'हनदमपठकय'][i] ?? '']),
    );
    const hindi = textAt(60, 700, 'zab cz dezf gzzh', '/F3 12 Tf');
    const { extracted, warnings } = await extractPdf(drawnPdf([hindi], { ...letters, z: '\0' }));
    expect(extracted.text).toBe('हन द मपठ कय');
    expect(warnings).toEqual([UNRELIABLE]);
  });

  it('are those of a script whose marks outnumber its letters, too', async () => {
    const burmese = { a: 'က', b: '\u102d', c: '\u102f', z: '\0' };
    const { extracted, warnings } = await extractPdf(
      drawnPdf([textAt(60, 700, 'abczabc', '/F3 12 Tf')], burmese),
    );
    expect(extracted.text).toBe('ကိုကို');
    expect(warnings).toEqual([UNRELIABLE]);
  });

  it('have no text for glyphs that their maps leave empty, and are named where syllables depend on them', async () => {
    // Numbers of glyphs, as WeasyPrint writes them: the first glyph of a syllable stands for all of it.
    const map =
      '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n' +
      '1 begincodespacerange <0000> <ffff> endcodespacerange\n' +
      '4 beginbfchar <0031> <> <0101> <0e190e49> <0102> <0e33> <0103> <0e14> endbfchar endcmap end end';
    const font =
      '<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /ToUnicode 8 0 R ' +
      '/DescendantFonts [9 0 R] >>';
    const descendant =
      '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) ' +
      '/Ordering (Identity)\n' +
      '/Supplement 0 >> /DW 500 /W [49 [0]] /FontDescriptor 10 0 R >>';
    const descriptor = '<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 500 700] >>';
    const bytes = drawnPdf(
      ['BT /F5 10 Tf 60 700 Td <0101003101020103> Tj ET'],
      {},
      {
        page: '/Resources << /Font << /F5 7 0 R >> >>',
        objects: [font, streamOf(map), descendant, descriptor],
      },
    );
    const { extracted, warnings } = await extractPdf(bytes);
    expect(extracted.text).toBe('น้ำด');
    expect(warnings).toEqual([UNRELIABLE]);
  });

  it('are no bullets and icons', async () => {
    const list =
      textAt(60, 700, 'a', '/F3 10 Tf') +
      textAt(72, 700, 'First') +
      textAt(60, 688, 'b', '/F3 10 Tf') +
      textAt(72, 688, 'Second');
    const { extracted, warnings } = await extractPdf(drawnPdf([list], { a: '\uf0b7', b: '\uf0a7' }));
    expect(extracted.text).toBe('First\nSecond');
    expect(warnings).toEqual([]);
  });
});
