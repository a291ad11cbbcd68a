/** pdf.js works as the service expects it. */
import { OPS } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { expect, test } from 'vitest';
import { type Additions, drawnPdf, streamOf, textAt } from '../../../testing/drawn-pdf.ts';
import { openPdf } from '../open-pdf.ts';
import { loadFonts, type Operators, operatorsOf, type PdfFont } from './pdfjs-insides.ts';

async function read(
  operators: string,
  additions?: Additions,
): Promise<{ operators: Operators; fonts: Map<string, PdfFont> }> {
  const page = await (await openPdf(drawnPdf([operators], {}, additions))).getPage(1);
  const found = await operatorsOf(page);
  const fonts = new Map<string, PdfFont>();
  await loadFonts(page, found, fonts);
  return { operators: found, fonts };
}

test('the operators of a page are those that place text, however many draw', async () => {
  const paths = Array.from({ length: 3000 }, (_, i) => `${i % 600} 10 m 20 30 l S\n`).join('');
  const { operators } = await read(
    `q ${paths} ${textAt(60, 700, 'One')} ${paths} ${textAt(60, 680, 'Two')} Q`,
  );
  const { fnArray, argsArray } = operators;
  expect(fnArray.length).toBeLessThan(20);
  expect(argsArray.length).toBe(fnArray.length);
  const shown = argsArray.filter((_, i) => fnArray[i] === OPS.showText).map(([glyphs]) => glyphs);
  expect(shown).toMatchObject([
    [{ unicode: 'O' }, { unicode: 'n' }, { unicode: 'e' }],
    [{ unicode: 'T' }, { unicode: 'w' }, { unicode: 'o' }],
  ]);
});

test('a page that saves states without end is left there; what stands before is kept', async () => {
  const saved = (count: number) =>
    read(`${textAt(60, 700, 'One')} ${'q '.repeat(count)} ${textAt(60, 680, 'Two')}`);
  const [few, many] = [await saved(400), await saved(100_000)];
  const shown = ({ operators: { fnArray } }: typeof few) =>
    fnArray.filter((each) => each === OPS.showText).length;
  expect([few.operators.isWhole, shown(few)]).toEqual([true, 2]);
  expect([many.operators.isWhole, shown(many)]).toEqual([false, 1]);
});

test('glyphs have widths in thousandths of an em, and numbers move them', async () => {
  const { operators } = await read('BT /F1 10 Tf [(A ) -200 (i)] TJ ET');
  const [glyphs] = operators.argsArray[operators.fnArray.indexOf(OPS.showText)] ?? [];
  expect(glyphs).toMatchObject([
    { unicode: 'A', width: 667, isSpace: false },
    { unicode: ' ', width: 278, isSpace: true },
    -200,
    { unicode: 'i', width: 222 },
  ]);
});

test('fonts say whether their lines are vertical, and a font of drawings has its matrix and its box', async () => {
  const { fonts } = await read(textAt(60, 700, 'One'));
  expect([...fonts.values()]).toMatchObject([{ vertical: false, isType3Font: false }]);
  const drawings =
    '<< /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 90 100] /FirstChar ' +
    '97 /LastChar 97\n' +
    '/Widths [50] /CharProcs << /a 8 0 R >> /Encoding << /Differences [97 /a] >> /Resources << >> >>';
  const objects = [drawings, streamOf('50 0 0 0 40 90 d1 0 0 40 90 re f')];
  const page = '/Resources << /Font << /F5 7 0 R >> >>';
  const drawn = await read(textAt(60, 700, 'a', '/F5 10 Tf'), { page, objects });
  expect([...drawn.fonts.values()]).toEqual([
    {
      vertical: false,
      isType3Font: true,
      composite: false,
      fontMatrix: [0.01, 0, 0, 0.01, 0, 0],
      bbox: [0, 0, 90, 100],
    },
  ]);
});
