/** Small files that stand for huge sheets result in text or an error, in bounded time. */
import { expect, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { extractFile } from '../extract.ts';
import { SHEETS_MAX } from '../extraction-limits.ts';
import { xlsxOf } from '../testing/made-files.ts';
import { writeZip } from '../testing/write-zip.ts';

/** Of processor time. The slowest takes 4 s; another machine may take five times as long. */
const MAX_MS = 20_000;

/** An error code, or the codes of the warnings. */
async function outcomeOf(fileName: string, bytes: Buffer): Promise<string> {
  let outcome = '';
  const usedMs = await usedMsOf(async () => {
    const extraction = await extractFile({ fileName, bytes });
    outcome =
      'failure' in extraction ? extraction.failure.code : extraction.warnings.map(({ code }) => code).join();
  });
  expect(usedMs).toBeLessThan(MAX_MS);
  return outcome;
}

const ods = (rows: string) =>
  writeZip([
    { name: 'mimetype', isStored: true, content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content: `<office:spreadsheet><table:table table:name="A">${rows}</table:table></office:spreadsheet>`,
    },
  ]);
const CELL = '<table:table-cell><text:p>x</text:p></table:table-cell>';
const MILLION = 'table:number-rows-repeated="1048576"';
const WIDE = 'table:number-columns-repeated="16384"';

test.each([
  [
    'rows that stand for a million each',
    `<table:table-row ${MILLION}>${CELL}</table:table-row>`,
    1_000,
    'LIMIT_REACHED',
  ],
  [
    'cells that stand for a row each',
    `<table:table-row>${CELL.replace('cell', `cell ${WIDE}`)}</table:table-row>`,
    1_000,
    'LIMIT_REACHED',
  ],
  [
    'a far cell in a million rows',
    `<table:table-row ${MILLION}><table:table-cell table:number-columns-repeated="16383"/>${CELL}</table:table-row>`,
    100,
    'FILE_TOO_COMPLEX',
  ],
  [
    'empty rows and cells',
    `<table:table-row ${MILLION}><table:table-cell ${WIDE}/></table:table-row>`,
    200_000,
    'NO_TEXT_EXTRACTED',
  ],
])('ods: %s', async (_what, row, times, outcome) => {
  expect(await outcomeOf('a.ods', ods(row.repeat(times)))).toBe(outcome);
});

const columnName = (column: number): string =>
  (column >= 26 ? columnName(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

test('xlsx: labels that are merged over all rows', async () => {
  const columns = Array.from({ length: 16_000 }, (_, column) => columnName(column));
  const labels = columns.map((column) => `<c r="${column}1" t="str"><v>l</v></c>`).join('');
  const merges = columns.map((column) => `<mergeCell ref="${column}1:${column}1048576"/>`).join('');
  const rows = '<row><c t="str"><v>x</v></c></row>'.repeat(100_000);
  const entries = xlsxOf(`<row r="1">${labels}</row>${rows}`).map((entry) =>
    entry.name === 'xl/sheet2.xml'
      ? { ...entry, content: String(entry.content).replace('</worksheet>', `${merges}</worksheet>`) }
      : entry,
  );
  expect(await outcomeOf('a.xlsx', writeZip(entries))).toMatch(/^(?:|FILE_TOO_COMPLEX)$/);
});

test('xlsx: one part that is named as a sheet again and again', async () => {
  const sheets = '<sheet name="N" r:id="rId1"/>'.repeat(20 * SHEETS_MAX);
  const entries = xlsxOf('').map((entry) =>
    entry.name === 'xl/workbook.xml' ? { ...entry, content: `<workbook>${sheets}</workbook>` } : entry,
  );
  expect(await outcomeOf('a.xlsx', writeZip(entries))).toBe('LIMIT_REACHED');
});

test('a workbook of Excel 2003 with rows and cells behind the last ones', async () => {
  const row = (attributes: string) =>
    `<Row ${attributes}><Cell><Data ss:Type="String">Oak</Data></Cell></Row>`;
  const workbook = (rows: string) =>
    Buffer.from(
      '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">' +
        `<Worksheet ss:Name="A"><Table>${rows}</Table></Worksheet></Workbook>`,
    );
  expect(await outcomeOf('a.xml', workbook(row('') + row('ss:Index="4294967295"')))).toBe('');
  const far = row('').replace('<Cell>', '<Cell ss:Index="4294967295">');
  expect(await outcomeOf('a.xml', workbook(row('') + far))).toBe('FILE_TOO_COMPLEX');
});
