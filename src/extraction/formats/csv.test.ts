/** Separated values are read as a spreadsheet program shows them. */
import { expect, test } from 'vitest';
import { extractCsv } from './csv.ts';

const textOf = (csv: string) => extractCsv(Buffer.from(csv)).text;

test('a line that declares the separator is none of the table', () => {
  expect(textOf('sep=;\r\nItem;Price, net\r\nKettle;19,50')).toBe('Item | Price, net\nKettle | 19,50');
  expect(textOf('\ufeff"sep=\t"\nItem\tPrice\nKettle\t19')).toBe('Item | Price\nKettle | 19');
  expect(textOf('sep=a few words\nItem,Price')).toContain('sep=a few words');
});

test('values that are written as formulas have their quotes taken off', () => {
  expect(textOf('Item,EAN,Phone\nKettle,="4006381333931","=""0049170"""')).toBe(
    'Item | EAN | Phone\nKettle | 4006381333931 | 0049170',
  );
});
