/** Superscripts of xls files stay apart from their words, as superscripts of xlsx files do. */
import { expect, test } from 'vitest';
import { readRichCells } from './rich-cells.ts';

const bytes16 = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
const record = (type: number, ...content: Uint8Array[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([bytes16(type, body.length), body]);
};
const BOF = record(0x0809, bytes16(0x0600, 5, 0, 0));
const EOF = record(0x000a);
/** `script`: 1 for superscripts, 2 for subscripts. */
const font = (script: number) => record(0x0031, bytes16(200, 0, 0x7fff, 400, script, 0, 0));
const cell = (row: number, column: number, index: number) =>
  record(0x00fd, bytes16(row, column, 0, index, 0));

/** Five fonts whose indices are 0 to 3 and 5: the last one is raised. */
const FONTS = Buffer.concat([...Array.from({ length: 4 }, () => font(0)), font(1)]);
const run = (start: number, index: number) => bytes16(start, index);
const plain = (text: string) =>
  Buffer.concat([bytes16(text.length), Buffer.from([0]), Buffer.from(text, 'latin1')]);
const RICH = Buffer.concat([
  ...[bytes16(14), Buffer.from([0x0d]), bytes16(2), bytes16(3, 0)], // wide, rich, with 3 bytes at its end
  ...[Buffer.from('größe³ 3 offen'.slice(0, 14), 'utf16le'), run(7, 5), run(8, 0), Buffer.from('xyz')],
]);
const STRINGS = Buffer.concat([bytes16(3, 0, 3, 0), plain('first'), RICH, plain('last')]);

const workbookOf = (...sst: Buffer[]) =>
  Buffer.concat([BOF, FONTS, ...sst, EOF, BOF, cell(0, 0, 0), cell(2, 1, 1), cell(3, 0, 2), EOF]);

const TEXT = [{ text: 'größe³ ' }, { text: '3', element: 'sup' }, { text: ' offen' }];

test('the cells with superscripts of each sheet, in runs', () => {
  const [sheet, ...others] = readRichCells(workbookOf(record(0x00fc, STRINGS)));
  expect(others).toEqual([]);
  expect([...(sheet ?? [])]).toEqual([[2 * 16_384 + 1, TEXT]]);
});

test('strings go on in the next record: characters with new flags, other parts without', () => {
  const characters = STRINGS.indexOf(RICH) + 9;
  const end = characters + 28;
  // Writers divide no character, and keep the first one with what precedes it. The other strings are left whole.
  const within = Array.from({ length: 13 }, (_, i) => characters + 2 * (i + 1));
  const beside = [8, 16, 18, 19, 21, ...Array.from({ length: 12 }, (_, i) => end + i)];
  for (const at of [...within, ...beside]) {
    const flags = within.includes(at) ? [Buffer.from([1])] : [];
    const parts = [record(0x00fc, STRINGS.subarray(0, at)), record(0x003c, ...flags, STRINGS.subarray(at))];
    expect([at, ...(readRichCells(workbookOf(...parts))[0]?.values() ?? [])]).toEqual([at, TEXT]);
  }
});

test('any end of the file is bearable', () => {
  const workbook = workbookOf(record(0x00fc, STRINGS));
  for (let end = 0; end < workbook.length; end++) readRichCells(workbook.subarray(0, end));
});
