/** Cells keep their columns and rows, and every row of a long table is named, whatever is merged. */
import { expect, test } from 'vitest';
import { extractHtml } from '../formats/html.ts';

const tableOf = (rows: string) => extractHtml(`<table>${rows}</table>`);

test.each([
  [
    'a cell over several rows is written in each of them',
    '<tr><th>Floor<th>Room<th>Seats<tr><td rowspan=2>Ground<td>Oak<td>12<tr><td>Elm<td>8<tr><td>First<td>Yew<td>6',
    'Floor | Room | Seats\nGround | Oak | 12\nGround | Elm | 8\nFirst | Yew | 6',
  ],
  [
    'also at the end of a row, and in the middle',
    '<tr><td>a<td rowspan=2>b<td>c<td rowspan=3>d<tr><td>e<td>f<tr><td>g<td>h',
    'a | b | c | d\ne | b | f | d\ng | h |  | d',
  ],
  [
    'a cell over several columns keeps the others in theirs',
    '<tr><td>a<td colspan=2>b<td>c<tr><td>d<td>e<td>f<td>g',
    'a | b |  | c\nd | e | f | g',
  ],
  ['rowspan 0 reaches to the end', '<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d', 'a | b\na | c\na | d'],
  [
    'a row without a text of its own is left out',
    '<tr><td rowspan=3>a<td>b<tr><td><tr><td>c',
    'a | b\na | c',
  ],
  [
    'a cell ends with its group of rows',
    '<tbody><tr><td rowspan=0>a<td>b<tr><td>c<tbody><tr><td>d<td>e',
    'a | b\na | c\nd | e',
  ],
  [
    'the foot of a table stands at its end',
    '<thead><tr><th>Day<th>Room<tfoot><tr><td colspan=2>As of May<tbody><tr><td>Monday<td>Oak',
    'Day | Room\nMonday | Oak\nAs of May',
  ],
  ['a span that is no number is none', '<tr><td rowspan=x colspan=-1>a<td>b<tr><td>c', 'a | b\nc'],
  [
    'a long cell is not repeated',
    `<tr><td rowspan=2>${'long '.repeat(40)}<td>b<tr><td>c`,
    `${'long '.repeat(40).trim()} | b\n| c`,
  ],
])('%s', (_, rows, text) => expect(tableOf(rows).text).toBe(text));

const headersOf = (html: string) => {
  const { text, tables } = extractHtml(html);
  return tables.map(({ start, end, header }) => [header, text.slice(start, end).trim().split('\n')]);
};

test('several header rows are joined by column, and those of one cell stand before them', () => {
  const rows =
    '<tr><th colspan=4>Rooms of 2031<tr><th rowspan=2>Room<th colspan=2>Equipment<th rowspan=2>Key holder' +
    '<tr><th>Projector<th>Board<tr><td>Oak<td>yes<td>no<td>Ida';
  const [header] = headersOf(`<table>${rows}</table>`).flat();
  expect(header).toBe('Rooms of 2031: Room | Equipment Projector | Equipment Board | Key holder');
});

test('the rows into which a header cell reaches, and those of thead, are header rows', () => {
  const reaching =
    '<tr><th rowspan=2>Room<th colspan=2>Equipment<tr><td>Projector<td>Board<tr><td>Oak<td>yes<td>no';
  const [first] = headersOf(`<table>${reaching}</table>`).flat();
  expect(first).toBe('Room | Equipment Projector | Equipment Board');
  const head = '<thead><tr><td>Room<td>Seats</thead><tr><td>Oak<td>12';
  expect(headersOf(`<table>${head}</table>`)[0]?.[0]).toBe('Room | Seats');
});

test('a row of one cell over all columns names the rows below it', () => {
  const rows =
    '<tr><th>Street<th>Day<tr><td colspan=2>Harbour<tr><td>Anchor lane<td>Monday<tr><td colspan=2>Hill' +
    '<tr><td>Elm row<td>Friday';
  expect(headersOf(`<table>${rows}</table>`)).toEqual([
    ['Street | Day', ['Street | Day', 'Harbour']],
    ['Harbour: Street | Day', ['Anchor lane | Monday']],
    ['Street | Day', ['Hill']],
    ['Hill: Street | Day', ['Elm row | Friday']],
  ]);
});

test('of a table of header cells only, the first row is the header', () => {
  expect(headersOf('<table><tr><th>a<th>b<tr><th>c<th>d</table>')).toEqual([['a | b', ['a | b', 'c | d']]]);
});

test('a table in a layout table has a header of its own', () => {
  const inner = '<table><tr><th>a<th>b<tr><td>c<td>d</table>';
  expect(headersOf(`<table><tr><td>${inner}<td>${inner}</table>`).map(([header]) => header)).toEqual([
    'a | b',
    'a | b',
  ]);
});

test('cells that stretch without bounds end at the longest text, as other long files', () => {
  const spans = '<td rowspan=65534 colspan=1000>'.repeat(2_000);
  expect(() => tableOf(`<tr>${spans}${'<tr><td>x'.repeat(20_000)}`)).toThrow(
    'longer than 10000000 characters',
  );
});
