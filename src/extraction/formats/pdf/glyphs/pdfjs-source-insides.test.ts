/** pdf.js has the word that is replaced in its source. */
import { OPS } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { expect, test } from 'vitest';
import { drawnPdf, textAt } from '../../../testing/drawn-pdf.ts';
import { openPdf } from '../open-pdf.ts';
import { operatorsOf } from './pdfjs-insides.ts';

test('marked content has its text beside its name', async () => {
  const marked = `/Span << /MCID 3 /ActualText (One) >> BDC ${textAt(60, 700, 'One')} EMC`;
  const page = await (await openPdf(drawnPdf([marked]))).getPage(1);
  const { fnArray, argsArray } = await operatorsOf(page);
  expect(argsArray[fnArray.indexOf(OPS.beginMarkedContentProps)]).toEqual(['Span', 'One']);
  expect(fnArray.at(-1)).toBe(OPS.endMarkedContent);
});
