/** Merged cells and header rows of sheets are known in every passage of a long table. */
import { utils, write } from '@e965/xlsx';
import { describe, expect, it, test } from 'vitest';
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import { splitPassages } from '../../../indexing/split/passages.ts';
import { extractFile } from '../../extract.ts';
import { type MadeSheet, madeWorkbook } from '../../testing/made-workbook.ts';

async function extractedOf(fileName: string, bytes: Uint8Array): Promise<ExtractedText> {
  const extraction = await extractFile({ fileName, bytes });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return extraction.extracted;
}

/** The headers of a sheet's tables, each with the lines of its rows. */
async function tablesOf(sheet: MadeSheet): Promise<[header: string, lines: string[]][]> {
  const { text, tables } = await extractedOf('a.xlsx', madeWorkbook(sheet));
  return tables.map(({ start, end, header }) => [header, text.slice(start, end).trim().split('\n')]);
}

const mergeCells = (...areas: string[]) =>
  `<mergeCells>${areas.map((area) => `<mergeCell ref="${area}"/>`).join('')}</mergeCells>`;

const ROOMS = [
  ['Rooms of the congress centre'],
  ['Room', 'Equipment', '', 'Key holder'],
  ['', 'Projector', 'Board', ''],
  ...Array.from({ length: 160 }, (_, i) => [`R-${i + 1}`, 'yes', 'white', 'Voss']),
];

const NAMES = 'Room | Equipment Projector | Equipment Board | Key holder';

test('both header rows are known in the fourth passage, in xlsx and xls', async () => {
  const areas = ['A2:A3', 'B2:C2', 'D2:D3'];
  const sheet = utils.aoa_to_sheet(ROOMS.map((row) => row.map((text) => text || null)));
  sheet['!merges'] = areas.map((area) => utils.decode_range(area));
  const workbook = { SheetNames: ['Opening hours'], Sheets: { 'Opening hours': sheet } };
  const files: [string, Uint8Array][] = [
    ['a.xlsx', madeWorkbook({ rows: ROOMS, after: mergeCells(...areas) })],
    ['a.xls', write(workbook, { type: 'buffer', bookType: 'biff8' })],
  ];
  for (const [fileName, bytes] of files) {
    const extracted = await extractedOf(fileName, bytes);
    expect(Array.from(splitPassages(extracted))[3]?.tableHeader, fileName).toBe(NAMES);
    expect(extracted.text).toContain('Rooms of the congress centre\n\nRoom | Equipment |  | Key holder\n');
  }
});

test('the label of merged rows stands in each of them', async () => {
  const street = (i: number) => [
    i % 60 === 0 ? (['North', 'South'][i / 60] ?? '') : '',
    `Street ${i}`,
    'Monday',
  ];
  const rows = [['District', 'Street', 'Day'], ...Array.from({ length: 120 }, (_, i) => street(i))];
  const [[header, lines] = ['', []]] = await tablesOf({ rows, after: mergeCells('A2:A61', 'A62:A121') });
  expect(header).toBe('District | Street | Day');
  expect(lines.filter((line) => line.startsWith('North | Street'))).toHaveLength(60);
  expect(lines.filter((line) => line.startsWith('South | Street'))).toHaveLength(60);
  expect(lines[60]).toBe('North | Street 59 | Monday');
});

test('empty rows inside a merged cell are left out, and texts below a merged cell are not shown', async () => {
  const rows = [['a', 'b', 'c'], ['x', '', 'y'], [], [], ['', '', 'z'], ['hidden', '', 'w'], ['p', 'q', 'r']];
  const [[, lines] = ['', []]] = await tablesOf({ rows, after: mergeCells('A2:B6') });
  expect(lines).toEqual(['a | b | c', 'x |  | y', 'x |  | z', 'x |  | w', 'p | q | r']);
});

test('a merged row inside a table names the rows below it', async () => {
  const rows = [['Street', 'Day'], ['Harbour'], ['Anchor lane', 'Monday'], ['Hill'], ['Elm row', 'Friday']];
  const tables = await tablesOf({ rows, after: mergeCells('A2:B2', 'A4:B4') });
  expect(tables.find(([, lines]) => lines.includes('Elm row | Friday'))?.[0]).toBe('Hill: Street | Day');
});

test('a form whose answers are merged cells has no header of several rows', async () => {
  const rows = [
    ['Name', 'Ida', ''],
    ['Town', 'Ulm', ''],
    ['Street', 'Elm row', ''],
  ];
  const [[header] = ['']] = await tablesOf({ rows, after: mergeCells('B1:C1', 'B2:C2', 'B3:C3') });
  expect(header).toBe('Name | Ida | Ida');
});

describe('the declared header is the header', () => {
  const rows = [
    ['As of', '2031'],
    ['Author', 'Ida'],
    [],
    ['Item', 'Price'],
    ['Kettle', '19'],
    ['Toaster', '29'],
  ];
  const filtered: [what: string, sheet: Omit<MadeSheet, 'rows'>][] = [
    ['by a filter', { after: '<autoFilter ref="A4:B6"/>' }],
    [
      'of a table',
      {
        related: [['table', 'tables/table1.xml']],
        parts: [
          {
            name: 'xl/tables/table1.xml',
            content: '<table ref="A4:B6" headerRowCount="1"><autoFilter/></table>',
          },
        ],
      },
    ],
    [
      'by the rows that are printed on each page',
      {
        definedNames:
          '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="1">' +
          '&apos;Opening hours&apos;!$A:$A,&apos;Opening hours&apos;!$4:$4</definedName></definedNames>',
      },
    ],
    [
      'by the rows that stay in place',
      { before: '<sheetViews><sheetView><pane ySplit="4" state="frozen"/></sheetView></sheetViews>' },
    ],
  ];
  it.each(filtered)('%s', async (_, sheet) => {
    expect(await tablesOf({ rows, ...sheet })).toEqual([
      ['', ['As of | 2031', 'Author | Ida']],
      ['Item | Price', ['Item | Price', 'Kettle | 19', 'Toaster | 29']],
    ]);
  });

  it('with the row above that groups its columns', async () => {
    const grouped = [
      ['', 'Sold', '', ''],
      ['Item', '2030', '2031', 'Price'],
      ['Kettle', '7', '9', '19'],
    ];
    const sheet = {
      rows: [['As of', '2031'], ...grouped],
      after: `<autoFilter ref="A3:D4"/>${mergeCells('B2:C2')}`,
    };
    expect((await tablesOf(sheet)).map(([header]) => header)).toEqual([
      '',
      'Item | Sold 2030 | Sold 2031 | Price',
    ]);
  });

  it('for each of two tables below each other', async () => {
    const more = [...rows.slice(3), [], ['Shop', 'Town'], ['Oak', 'Ulm']];
    const table = (ref: string) => `<table ref="${ref}"/>`;
    const sheet: MadeSheet = {
      rows: more,
      related: [
        ['table', 'tables/1.xml'],
        ['table', 'tables/2.xml'],
        ['table', 'tables/3.xml'],
      ],
      parts: [
        { name: 'xl/tables/1.xml', content: table('A1:B3') },
        { name: 'xl/tables/2.xml', content: table('A5:B6') },
        { name: 'xl/tables/3.xml', content: table('D2:E9') },
      ],
    };
    expect(
      (await tablesOf({ ...sheet, parts: sheet.parts?.slice(0, 2) ?? [] })).map(([header]) => header),
    ).toEqual(['Item | Price', 'Shop | Town']);
    expect((await tablesOf(sheet)).map(([header]) => header)).toEqual(['Item | Price']);
  });
});
