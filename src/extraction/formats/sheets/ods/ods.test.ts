/** OpenDocument spreadsheets are read as the sheet shows them. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../../../extract.ts';
import type { ExtractedFile } from '../../../extracted-file.ts';
import { writeZip, type ZipEntry } from '../../../testing/write-zip.ts';

const odsOf = (sheets: string, parts: ZipEntry[] = [], styles = '') =>
  writeZip([
    { name: 'mimetype', isStored: true, content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content:
        `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body>` +
        `<office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document-content>`,
    },
    ...parts,
  ]);

const sheetOf = (rows: string) => `<table:table table:name="Menu">${rows}</table:table>`;
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
const repeated = (count: number) => `table:number-columns-repeated="${count}"`;
const repeatedRows = (count: number) => `table:number-rows-repeated="${count}"`;

async function read(bytes: Uint8Array): Promise<ExtractedFile> {
  const extraction = await extractFile({ fileName: 'a.ods', bytes });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return extraction;
}

/** The lines below the name of the sheet. */
async function linesOf(rows: string): Promise<string[]> {
  const { text } = (await read(odsOf(sheetOf(rows)))).extracted;
  return text.split('\n').slice(2);
}

describe('equal neighbours', () => {
  it('stand in each of their cells and rows', async () => {
    const lines = await linesOf(
      row(['Week', 'Monday', 'Tuesday', 'Wednesday', 'Thursday'].map((day) => cell(day)).join('')) +
        row(`${cell('23')}${cell('soup', repeated(2))}${cell('fish')}${cell('stew')}`) +
        row(
          `${cell('24')}${cell('pasta')}${cell('7', `office:value-type="float" office:value="7" ${repeated(3)}`)}`,
        ) +
        row(`${cell('25')}${cell('salad', repeated(4))}`, repeatedRows(2)) +
        row(`<table:table-cell ${repeated(1024)}/>`, repeatedRows(1_048_000)),
    );
    expect(lines).toEqual([
      'Week | Monday | Tuesday | Wednesday | Thursday',
      '23 | soup | soup | fish | stew',
      '24 | pasta | 7 | 7 | 7',
      '25 | salad | salad | salad | salad',
      '25 | salad | salad | salad | salad',
    ]);
  });

  it('may be empty between others', async () => {
    const lines = await linesOf(
      row(`${cell('a')}${cell('b')}${cell('c')}${cell('d')}`) +
        row(
          `${cell('e')}<table:table-cell ${repeated(2)}/>${cell('f')}<table:table-cell ${repeated(16380)}/>`,
        ),
    );
    expect(lines[1]).toBe('e |  |  | f');
  });

  it('are bounded, with a warning', async () => {
    const rows = row(cell('a') + cell('b')) + row(cell('x') + cell('y'), repeatedRows(1_048_575));
    const { extracted, warnings } = await read(odsOf(sheetOf(rows)));
    expect(extracted.text.match(/^x \| y$/gm)).toHaveLength(1_000);
    expect(warnings).toMatchObject([{ code: 'LIMIT_REACHED' }]);
    const wide = await read(odsOf(sheetOf(row(cell('x', repeated(16_384)) + cell('y')))));
    expect(wide.extracted.text.match(/x/g)).toHaveLength(1_000);
    expect(wide.warnings).toMatchObject([{ code: 'LIMIT_REACHED' }]);
  });
});

test('merged cells name their rows, and declared header rows the columns', async () => {
  const spanned = (text: string, rows: number, columns: number) =>
    cell(text, `table:number-rows-spanned="${rows}" table:number-columns-spanned="${columns}"`);
  const covered = '<table:covered-table-cell/>';
  const head =
    row(`${spanned('Room', 2, 1)}${spanned('Equipment', 1, 2)}${covered}`) +
    row(`${covered}${cell('Projector')}${cell('Board')}`);
  const body =
    row(`${spanned('Oak', 2, 1)}${cell('yes')}${cell('no')}`) + row(`${covered}${cell('no')}${cell('yes')}`);
  const lines = ['Room | Equipment', 'Room | Projector | Board', 'Oak | yes | no', 'Oak | no | yes'];
  for (const rows of [head + body, `<table:table-header-rows>${head}</table:table-header-rows>${body}`]) {
    const { text, tables } = (await read(odsOf(sheetOf(rows)))).extracted;
    expect(text.split('\n').slice(2)).toEqual(lines);
    expect(tables[0]?.header).toBe('Room | Equipment Projector | Equipment Board');
  }
});

test('a merged cell ends before the next cell with a text', async () => {
  const head = row(`${cell('2030', 'table:number-columns-spanned="3"')}<table:table-cell/>${cell('2031')}`);
  const rowOf = (...texts: string[]) => row(texts.map((text) => cell(text)).join(''));
  const rows = head + rowOf('Sold', 'Left', 'Sold') + rowOf('7', '9', '8');
  const { tables } = (await read(odsOf(sheetOf(rows)))).extracted;
  expect(tables[0]?.header).toBe('2030 Sold | 2030 Left | 2031 Sold');
});

test.each([
  ['float', 'value="4006381333931"', '4006381333931'],
  ['float', 'value="0.30000000000000004"', '0.3'],
  ['percentage', 'value="0.25"', '25%'],
  ['currency', 'value="12.5" office:currency="EUR"', '12.5 EUR'],
  ['date', 'date-value="2031-03-07T14:30:00"', '2031-03-07 14:30:00'],
  ['time', 'time-value="PT26H05M09S"', '26:05:09'],
  ['boolean', 'boolean-value="true"', 'TRUE'],
  ['string', 'string-value="Kettle"', 'Kettle'],
])('a %s without a text has its value', async (type, value, shown) => {
  const attributes = `office:value-type="${type}" office:${value}`;
  expect(await linesOf(row(`${cell('a')}<table:table-cell ${attributes}/>`))).toEqual([`a | ${shown}`]);
});

test('a cell without a text has its value in its format', async () => {
  const styles =
    '<number:date-style style:name="N1"><number:day/><number:text>.</number:text><number:month/>' +
    '<number:text>.</number:text><number:year number:style="long"/></number:date-style>' +
    '<number:currency-style style:name="N2"><number:currency-symbol/>' +
    '<number:number number:decimal-places="2" number:grouping="true"/></number:currency-style>' +
    '<number:time-style style:name="N3" number:truncate-on-overflow="false"><number:hours/>' +
    '<number:text>:</number:text><number:minutes number:style="long"/></number:time-style>' +
    '<style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/>' +
    '<style:style style:name="ce2" style:family="table-cell" style:data-style-name="N2"/>' +
    '<style:style style:name="ce3" style:family="table-cell" style:data-style-name="N3"/>' +
    '<style:style style:name="ce4" style:family="table-cell" style:parent-style-name="ce1"/>';
  const empty = (attributes: string) => `<table:table-cell ${attributes}/>`;
  const cells =
    cell('a') +
    empty('table:style-name="ce4" office:value-type="date" office:date-value="2031-03-07T14:30:00"') +
    empty('table:style-name="ce2" office:value-type="currency" office:value="1234.5" office:currency="EUR"') +
    empty('table:style-name="ce3" office:value-type="time" office:time-value="PT26H29M59.9999999S"') +
    empty('table:style-name="ce9" office:value-type="float" office:value="7"');
  const { text } = (await read(odsOf(sheetOf(row(cells)), [], styles))).extracted;
  expect(text).toBe('Menu\n\na | 7.3.2031 | 1,234.50 EUR | 26:30 | 7');
});

test('the text of a cell is what is shown, except that long numbers are in full', async () => {
  const shown = cell('07.03.31', 'office:value-type="date" office:date-value="2031-03-07"');
  const long = cell('4.00638E+12', 'office:value-type="float" office:value="4006381333931"');
  const narrow = cell('###', 'office:value-type="float" office:value="125"');
  expect(await linesOf(row(shown + long + narrow))).toEqual(['07.03.31 | 4006381333931 | 125']);
});

test('numbers that a program in Java wrote as their own texts are shown by the format of their cells', async () => {
  const styles =
    '<number:number-style style:name="N1"><number:number number:decimal-places="2"/></number:number-style>' +
    '<style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/>';
  const number = (text: string, value: string, style = '') =>
    cell(text, `${style} office:value-type="float" office:value="${value}"`);
  const cells =
    cell('a') +
    number('6.0', '6.0') +
    number('4.006381333931E12', '4.006381333931E12') +
    number('1.0E-4', '1.0E-4') +
    number('6.0', '6.0', 'table:style-name="ce1"') +
    number('6.0', '6');
  const { text } = (await read(odsOf(sheetOf(row(cells)), [], styles))).extracted;
  expect(text).toBe('Menu\n\na | 6 | 4006381333931 | 0.0001 | 6.00 | 6.0');
});

test('comments and shapes follow the sheet; the texts of covered cells and of caches are not shown', async () => {
  const annotation =
    '<office:annotation><dc:creator>Ida</dc:creator><dc:date>2031-03-07</dc:date>' +
    '<text:p>Ask first.</text:p></office:annotation>';
  const shape =
    '<draw:frame><draw:text-box><text:p>Closed in</text:p><text:p>August</text:p></draw:text-box></draw:frame>';
  const rows =
    `<table:shapes><draw:custom-shape><text:p>Plan B</text:p></draw:custom-shape></table:shapes>` +
    row(
      `<table:table-cell>${annotation}<text:p>Soup</text:p><text:p>of the` +
        `<text:s text:c="2"/>day</text:p>${shape}</table:table-cell>${cell('7')}`,
    ) +
    row(
      `${cell('Stew')}<table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>${cell('9')}`,
    );
  const cache =
    '<table:table table:name="\'file:///b.ods\'#$A" table:style-name="ta_extref"><table:table-row>' +
    '<table:table-cell><text:p>cached</text:p></table:table-cell></table:table-row></table:table>';
  const { extracted, pageCount } = await read(odsOf(sheetOf(rows) + cache));
  expect(extracted.text).toBe(
    'Menu\n\nSoup of the day | 7\nStew |  | 9\n\nPlan B\n\nAsk first.\n\nClosed in\n\nAugust',
  );
  expect(pageCount).toBe(1);
});

test('superscripts stay apart from their words', async () => {
  const styles =
    '<style:style style:name="T1" style:family="text">' +
    '<style:text-properties style:text-position="super 58%"/></style:style>';
  const cells =
    `${cell('membership<text:span text:style-name="T1">3</text:span>')}` +
    `${cell('12 m<text:span text:style-name="T1">2</text:span>')}`;
  const { text } = (await read(odsOf(sheetOf(row(cells)), [], styles))).extracted;
  expect(text).toBe('Menu\n\nmembership [3] | 12 m²');
});

describe('the declared header is the header', () => {
  const rows =
    row(cell('As of') + cell('2031')) +
    row(cell('Author') + cell('Ida')) +
    row('<table:table-cell/>') +
    row(cell('Item') + cell('Price')) +
    row(cell('Kettle') + cell('19'));
  const split = (mode: number) =>
    '<config:config-item-map-named config:name="Tables"><config:config-item-map-entry config:name="Menu">' +
    `<config:config-item config:name="VerticalSplitMode">${mode}</config:config-item>` +
    '<config:config-item config:name="VerticalSplitPosition">4</config:config-item>' +
    '</config:config-item-map-entry></config:config-item-map-named>';
  const filter = (address: string) =>
    `<table:database-ranges><table:database-range table:target-range-address="${address}"/></table:database-ranges>`;
  it.each([
    ['by a filter', filter('Menu.A4:Menu.B5'), []],
    ['by a filter, quoted', filter("$'Menu'.$A$4:$'Menu'.$B$5"), []],
    ['by the rows that stay in place', '', [{ name: 'settings.xml', content: split(2) }]],
  ])('%s', async (_, after, parts) => {
    const { tables } = (await read(odsOf(sheetOf(rows) + after, parts))).extracted;
    expect(tables.map(({ header }) => header)).toEqual(['', 'Item | Price']);
  });

  it('and not by another sheet, or by rows that do not stay', async () => {
    const parts = [{ name: 'settings.xml', content: split(1) }];
    const { tables } = (await read(odsOf(sheetOf(rows) + filter('Other.A4:Other.B5'), parts))).extracted;
    expect(tables.map(({ header }) => header)).toEqual(['As of | 2031']);
  });
});

test('headers and footers of printed pages, titles of charts; other objects have a warning', async () => {
  const styles = '<style:style style:name="ta1" style:family="table" style:master-page-name="Mine"/>';
  const master =
    '<style:master-page style:name="Mine"><style:header><style:region-left>' +
    '<text:p>Staff &amp; guests</text:p></style:region-left>' +
    '<style:region-right><text:p><text:sheet-name>???</text:sheet-name></text:p></style:region-right></style:header>' +
    '<style:header-left style:display="false"><text:p>Not shown</text:p></style:header-left>' +
    '<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p><text:p>Revision' +
    '<text:s/>7</text:p></style:footer></style:master-page>' +
    '<style:master-page style:name="Other"><style:header><text:p>Elsewhere</text:p></style:header></style:master-page>';
  const frame = (object: string) => `<draw:frame>${object}<draw:image/></draw:frame>`;
  const objects = ['Object 1', 'Object 1', 'Object 2'].map((name) =>
    frame(`<draw:object xlink:href="./${name}"/>`),
  );
  const sheet =
    `<table:table table:name="Menu" table:style-name="ta1">` +
    `<table:shapes>${objects.join('')}${frame('<draw:object-ole xlink:href="./o"/>')}</table:shapes>` +
    `${row(cell('Day') + cell('Guests'))}</table:table>`;
  const chart =
    '<office:chart><chart:chart><chart:title><text:p>Guests by day</text:p></chart:title>' +
    '<chart:plot-area><chart:axis>' +
    '<chart:title><text:p>Guests</text:p></chart:title></chart:axis></chart:plot-area><table:table>' +
    '<text:p>12</text:p></table:table></chart:chart></office:chart>';
  const { extracted, warnings } = await read(
    odsOf(
      sheet,
      [
        { name: 'styles.xml', content: `<office:document-styles>${master}</office:document-styles>` },
        { name: 'Object 1/content.xml', content: chart },
        { name: 'Object 2/content.xml', content: '<math:math/>' },
      ],
      styles,
    ),
  );
  expect(extracted.text).toBe(
    'Menu\n\nStaff & guests\n\nDay | Guests\n\nGuests by day\n\nGuests\n\nRevision 7',
  );
  expect(warnings).toEqual([
    { code: 'PARTS_NOT_READ', message: '2 embedded objects were not read (sheet “Menu”).' },
  ]);
});
