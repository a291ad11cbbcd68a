/** What stands on a sheet of an xls file beside its cells is read. */
import { CFB, utils, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { extractFile } from '../../../extract.ts';
import { readRecords } from './records.ts';

const bytes16 = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
const record = (type: number, ...content: Uint8Array[]) => {
  const body = Buffer.concat(content);
  return Buffer.concat([bytes16(type, body.length), body]);
};
const wide = (text: string) => Buffer.concat([Buffer.from([1]), Buffer.from(text, 'utf16le')]);
const pageText = (text: string) => Buffer.concat([bytes16(text.length), wide(text)]);

const BOF = (kind: number, version = 0x0600) => record(0x0809, bytes16(version, kind, 0, 0));
const EOF = record(0x000a);
const chartText = (text: string) => record(0x100d, bytes16(0), Buffer.from([text.length]), wide(text));
const chart = (text: string) => Buffer.concat([BOF(0x20), chartText(text), EOF]);

const SHEET_RECORDS = [
  record(0x0014, pageText('&CStaff only&RPage &P of &N')),
  record(0x0015, pageText('&LRevision 7')),
  record(0x023e, bytes16(0x0008, 0)),
  record(0x0041, bytes16(0, 3, 3, 0, 0)),
  chart('Guests by day'),
];

const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

test('the records of each sheet', () => {
  const stream = Buffer.concat([BOF(0x05), EOF, BOF(0x10), EOF, BOF(0x10), ...SHEET_RECORDS, EOF]);
  const empty = { pageHeaders: [], pageFooters: [], chartTexts: [], frozenRows: 0 };
  const read = {
    pageHeaders: ['&CStaff only&RPage &P of &N'],
    pageFooters: ['&LRevision 7'],
    chartTexts: ['Guests by day'],
    frozenRows: 3,
  };
  expect(readRecords(stream, decode)).toEqual([empty, read]);
  // Any end of the file is bearable.
  for (let end = 0; end < stream.length; end++) readRecords(stream.subarray(0, end), decode);
});

test('texts of versions before Excel 97 have one byte a character', () => {
  const header = record(0x0014, Buffer.from([6]), Buffer.from('Caf\xe9 &A', 'latin1'));
  const stream = Buffer.concat([BOF(0x05, 0x0500), EOF, BOF(0x10, 0x0500), header, EOF]);
  expect(readRecords(stream, decode)[0]?.pageHeaders).toEqual(['Café &']);
});

test('a workbook with texts of printed pages, a chart, frozen rows and an embedded object', async () => {
  const sheet = utils.aoa_to_sheet([['As of', '2031'], [], ['Day', 'Hours'], ['Monday', 'nine']]);
  const written = write(
    { SheetNames: ['Plan'], Sheets: { Plan: sheet } },
    { type: 'buffer', bookType: 'biff8' },
  );
  const container = CFB.read(written, { type: 'buffer' });
  const entry = CFB.find(container, '/Workbook');
  const stream = Buffer.from(entry?.content ?? []);
  const sheetBof = stream.lastIndexOf(bytes16(0x0809));
  const begun = sheetBof + 4 + stream.readUInt16LE(sheetBof + 2);
  const grown = Buffer.concat([stream.subarray(0, begun), ...SHEET_RECORDS, stream.subarray(begun)]);
  CFB.utils.cfb_del(container, '/Workbook');
  CFB.utils.cfb_add(container, '/Workbook', grown);
  CFB.utils.cfb_add(container, '/MBD0012ABCD/content', Buffer.from('x'));
  const bytes = Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array);
  expect(await extractFile({ fileName: 'a.xls', bytes })).toMatchObject({
    extracted: {
      text: 'Plan\n\nStaff only\n\nAs of | 2031\n\nDay | Hours\nMonday | nine\n\nGuests by day\n\nRevision 7',
      tables: [{ header: '' }, { header: 'Day | Hours' }],
    },
    warnings: [{ code: 'PARTS_NOT_READ', message: 'An embedded object was not read.' }],
  });
});
