/** The text that a file names beside the maps of its fonts. */
import { describe, expect, it } from 'vitest';
import { drawnPdf, textAt } from '../../../testing/drawn-pdf.ts';
import { extractPdf } from '../pdf.ts';

const utf16 = (text: string): string => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
/** Marked content with a text: browsers, LibreOffice, Typst, Cairo and Word write syllables so. */
const marked = (text: string, operators: string): string =>
  `/Span << /ActualText ${text} >> BDC ${operators} EMC `;
const line = (operators: string, y = 700): string => `BT /F3 10 Tf 60 ${y} Td ${operators} ET\n`;

/** The text of a page whose letters a to e are Hindi, and whose z has no text. */
async function textOf(operators: string): Promise<string> {
  const letters = {
    ...Object.fromEntries([...'abcde'].map((letter, i) => [letter, 'कतदनर'[i] ?? ''])),
    z: '\0',
  };
  return (await extractPdf(drawnPdf([operators], letters))).extracted.text;
}

describe('text of marked content', () => {
  it('is that of the glyphs in it', async () => {
    const operators = line(`${marked(utf16('कि'), '(za) Tj')} (b) Tj ${marked(utf16('नो'), '(dz) Tj')}`);
    const { extracted, warnings } = await extractPdf(
      drawnPdf([operators], { a: 'क', b: 'त', d: 'न', z: '\0' }),
    );
    expect(extracted.text).toBe('कितनो');
    expect(warnings).toEqual([]);
  });

  it.each([
    ['UTF-16 from its low byte on', '<fffe1509>', 'क'],
    ['UTF-8', '<efbbbfe0a495>', 'क'],
    ['the encoding of PDF', '(caf\\351 \\204 50)', 'café — 50'],
    ['UTF-16 with a language', '<feff001b00680069001b0915>', 'क'],
  ])('may be in %s', async (_, text, expected) => {
    expect(await textOf(line(marked(text, '(a) Tj')))).toBe(expected);
  });

  it('may have white space at its ends', async () => {
    const [second, third] = [marked(utf16(' त'), '(b) Tj'), marked(utf16('द '), '(c) Tj')];
    expect(await textOf(line(`(a) Tj 6.4 0 Td ${second} 6.4 0 Td ${third} 6.4 0 Td (d) Tj`))).toBe('क तद न');
  });

  it('does not replace blanks, and may be one', async () => {
    const blanks = `${marked('(\\242)', '( ) Tj')} (a) Tj ${marked(utf16('\t'), '(zz) Tj')} (b) Tj`;
    expect(await textOf(line(blanks))).toBe('क त');
  });

  it('is left out where it has none, stands on several lines, or does not end', async () => {
    const lines = '(ab) Tj 0 -12 Td (cd) Tj';
    expect(await textOf(line(marked('()', '(ab) Tj')))).toBe('कत');
    expect(await textOf(line(marked(utf16('एक'), lines)))).toBe('कत\nदन');
    expect(await textOf(line(`/Span << /ActualText ${utf16('एक')} >> BDC ${lines}`))).toBe('कत\nदन');
  });

  it('is that of the outer one where it is marked twice, and begins inside of other marks', async () => {
    const inner = marked(utf16('त'), '(z) Tj');
    const outer = `/P << /MCID 3 >> BDC ${marked(utf16('कता'), `(a) Tj ${inner}`)} (c) Tj EMC`;
    expect(await textOf(line(`${outer} (d) Tj`))).toBe('कतादन');
  });

  it('stands beside a number of marked content', async () => {
    expect(await textOf(line(`/Span << /ActualText ${utf16('कि')} /MCID 7 >> BDC (za) Tj EMC`))).toBe('कि');
  });

  it('of letters that run to the left is not turned round', async () => {
    const letters = { a: 'م', b: 'ل', c: 'ا' };
    const operators = `${textAt(60, 700, 'a', '/F3 10 Tf')}${line(`6 0 Td ${marked(utf16('ال'), '(bc) Tj')}`)}`;
    expect((await extractPdf(drawnPdf([operators], letters))).extracted.text).toBe('الم');
  });
});
