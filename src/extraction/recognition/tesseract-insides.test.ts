/** What tesseract-insides.ts uses of tesseract.js-core, tried on the library itself. */
import { expect, test } from 'vitest';
import { pictureFile } from '../testing/written-page.ts';
import { installedLanguages } from './ocr-languages.ts';
import { Overdue, startTesseract } from './tesseract-insides.ts';

test('pictures are read from its memory; an error in its progress ends it: see tesseract-insides.ts', async () => {
  const tesseract = await startTesseract();
  const [english] = installedLanguages();
  const picture = tesseract.decode(pictureFile('page.webp'));
  if (english === undefined || picture === undefined) throw new Error('generated/ocr/ lacks a file');
  expect([picture.width, picture.height]).toEqual([720, 180]);
  expect(tesseract.recognise(picture, english, () => false)).toMatch(/^5\t.*\tlibrary$/m);
  expect(() => tesseract.recognise(picture, english, () => true)).toThrow(Overdue);
});
