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

test('apostrophes are quotes where each row has cells in them', () => {
  expect(textOf("'Room','Note'\n'Elm','quiet, north'\n'Oak','Anna''s room'\n")).toBe(
    "Room | Note\nElm | quiet, north\nOak | Anna's room",
  );
  expect(textOf("id;note\n1;'one; two'\n2;'three'\n")).toBe('id | note\n1 | one; two\n2 | three');
});

test('apostrophes of words are text', () => {
  expect(textOf("Word,Origin\n'tis,it is\n'twas,it was\n")).toBe(
    "Word | Origin\n'tis | it is\n'twas | it was",
  );
  expect(textOf(`Tool,Size\n"Nail, long",'5'\n"Screw, short",'3'\n`)).toBe(
    "Tool | Size\nNail, long | '5'\nScrew, short | '3'",
  );
});
