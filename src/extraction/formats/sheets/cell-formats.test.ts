/** The cells of xlsx and xls files have the text that the sheet shows. */
import { utils, type WorkSheet, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import { xlsxOf } from '../../testing/made-files.ts';
import { writeZip } from '../../testing/write-zip.ts';

async function textOf(fileName: string, bytes: Uint8Array): Promise<string> {
  const extraction = await extractFile({ fileName, bytes });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return extraction.extracted.text;
}

/** The cells of a row, whose styles from 1 on have these format codes or numbers. */
async function shownCells(
  cells: string,
  { formats = [], epoch1904 = false }: { formats?: (string | number)[]; epoch1904?: boolean } = {},
): Promise<string> {
  const codes = formats.map((format, i) =>
    typeof format === 'string'
      ? `<numFmt numFmtId="${170 + i}" formatCode="${format.replaceAll('"', '&quot;')}"/>`
      : '',
  );
  const styles = formats.map(
    (format, i) => `<xf numFmtId="${typeof format === 'number' ? format : 170 + i}"/>`,
  );
  const styleSheet =
    `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs><xf/>${styles.join('')}</cellXfs>` +
    `</styleSheet>`;
  const header = '<row r="1"><c r="A1" t="str"><v>Name</v></c><c r="B1" t="str"><v>Value</v></c></row>';
  const entries = xlsxOf(`${header}<row r="2">${cells}</row>`).map((entry) => {
    if (entry.name === 'xl/styles.xml') return { ...entry, content: styleSheet };
    if (!epoch1904 || entry.name !== 'xl/workbook.xml') return entry;
    return {
      ...entry,
      content: String(entry.content).replace('<sheets>', '<workbookPr date1904="1"/><sheets>'),
    };
  });
  return (await textOf('a.xlsx', writeZip(entries))).split('Name | Value\n').at(-1) ?? '';
}

test('dates with dots, numbers of built-in formats and long integers', async () => {
  const cells =
    '<c t="inlineStr"><is><t>Heizung warten</t></is></c><c s="1"><v>47914</v></c><c s="2"><v>47914.604166667</v></c>' +
    '<c s="3"><v>4006381333931</v></c><c s="3"><v>4.91701234567E+11</v></c><c s="4"><v>0.19</v></c>';
  expect(await shownCells(cells, { formats: ['DD.MM.YYYY', 22, 0, 10] })).toBe(
    'Heizung warten | 07.03.2031 | 2031-03-07 14:30 | 4006381333931 | 491701234567 | 19.00%',
  );
});

test('integers that are stored as fractions are integers', async () => {
  const stored = ['12.0', '12.50', '0.0', '-3.0', '1.0E7', '4006381333931.0', '4.006381333931E12', '0.25'];
  const cells = stored.map((value) => `<c><v>${value}</v></c>`).join('');
  expect(await shownCells(cells)).toBe(
    '12 | 12.5 | 0 | -3 | 10000000 | 4006381333931 | 4006381333931 | 0.25',
  );
});

test('errors, truth values, results of formulas and texts with a format', async () => {
  const cells =
    '<c t="e"><v>#DIV/0!</v></c><c t="b"><v>1</v></c><c t="str"><f>A1&amp;"x"</f><v>Kettle</v></c>' +
    '<c><f>2*3</f><v>6</v></c><c s="1" t="str"><v>7</v></c>';
  expect(await shownCells(cells, { formats: ['0;-0;0;"No. "@'] })).toBe(
    '#DIV/0! | TRUE | Kettle | 6 | No. 7',
  );
});

test('dates in ISO 8601, as strict workbooks store them, and dates from 1904', async () => {
  const cells =
    '<c s="1" t="d"><v>2031-03-07T14:30:00</v></c><c s="1" t="d"><v>2031-03-07</v></c>' +
    '<c s="2" t="d"><v>14:30:00</v></c><c t="d"><v>2031-03-07T14:30</v></c><c s="1" t="d"><v>soon</v></c>';
  const formats = ['dd.mm.yyyy', 20, 0];
  const shown = '07.03.2031 | 07.03.2031 | 14:30 | 2031-03-07 14:30 | soon';
  expect(await shownCells(cells, { formats })).toBe(shown);
  expect(await shownCells(cells, { formats, epoch1904: true })).toBe(shown);
  const days = '<c s="1"><v>46452</v></c><c s="2"><v>0.5</v></c>';
  expect(await shownCells(days, { formats: [14, 20], epoch1904: true })).toBe('2031-03-07 | 12:00');
});

test.each(['biff8', 'biff5', 'xlsb'] as const)(
  'an xls or xlsb file (%s) has the same text',
  async (bookType) => {
    const sheet: WorkSheet = utils.aoa_to_sheet([
      ['Task', 'Due', 'Booked', 'EAN', 'Rate', 'Done', 'Share'],
      ['Heizung warten', 47914, 47914.604166667, 4006381333931, 0.19, true, 2.5],
    ]);
    const formats = { B2: 'DD.MM.YYYY', C2: 'm/d/yy h:mm', D2: 'General', E2: '0.0%', G2: '# ?/?' };
    for (const [cell, code] of Object.entries(formats)) sheet[cell].z = code;
    const bytes = write({ SheetNames: ['Plan'], Sheets: { Plan: sheet } }, { type: 'buffer', bookType });
    expect(await textOf('a.xls', bytes)).toBe(
      'Plan\n\nTask | Due | Booked | EAN | Rate | Done | Share\n' +
        'Heizung warten | 07.03.2031 | 2031-03-07 14:30 | 4006381333931 | 19.0% | TRUE | 2 1/2',
    );
  },
);
