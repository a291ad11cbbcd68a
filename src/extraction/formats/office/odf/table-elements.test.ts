/** Cells keep their columns, however the file writes them. */
import { expect, test } from 'vitest';
import type { ExtractedFile } from '../../../extracted-file.ts';
import { odfOf, paragraph as p } from '../../../testing/odf-files.ts';
import { extractOdfDocument } from './odf-document.ts';

const readText = (body: string): Promise<ExtractedFile> => extractOdfDocument(odfOf('text', { body }), 'odt');
const textOf = async (body: string): Promise<string> => (await readText(body)).extracted.text;

const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}>${p(text)}</table:table-cell>`;
const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
const COVERED = '<table:covered-table-cell/>';
const table = (...rows: string[]) => `<table:table>${rows.join('')}</table:table>`;

test.each([
  [
    'merged cells keep their columns',
    table(
      row(cell('Floor'), cell('Room'), cell('Seats')),
      row(cell('Ground', 'table:number-rows-spanned="2"'), cell('Oak'), cell('12')),
      row(COVERED, cell('Elm'), cell('8')),
      row(
        cell('Upper', 'table:number-columns-spanned="2"'),
        '<table:covered-table-cell><text:p>old</text:p></table:covered-table-cell>',
        cell('6'),
      ),
    ),
    'Floor | Room | Seats\nGround | Oak | 12\nGround | Elm | 8\nUpper |  | 6',
  ],
  [
    'repeated cells and rows',
    table(
      '<table:table-row table:number-rows-repeated="2">' +
        `${cell('soup', 'table:number-columns-repeated="2"')}${cell('', 'table:number-columns-repeated="2"')}` +
        `${cell('stew')}` +
        `${cell('', 'table:number-columns-repeated="1000"')}</table:table-row>`,
      `<table:table-row table:number-rows-repeated="1000000">` +
        `${cell('', 'table:number-columns-repeated="1000"')}</table:table-row>`,
    ),
    'soup | soup |  |  | stew\nsoup | soup |  |  | stew',
  ],
  [
    'a table in a cell',
    table(row(cell(`a${p('')}`), `<table:table-cell>${table(row(cell('b'), cell('c')))}</table:table-cell>`)),
    'a | b | c',
  ],
])('%s', async (_what, body, text) => expect(await textOf(body)).toBe(text));

test('tables have a header of all their header rows', async () => {
  const body = table(
    `<table:table-header-rows>${row(
      cell('Room', 'table:number-rows-spanned="2"'),
      cell('Equipment', 'table:number-columns-spanned="2"'),
      COVERED,
    )}` + `${row(COVERED, cell('Projector'), cell('Board'))}</table:table-header-rows>`,
    row(cell('Oak'), cell('yes'), cell('no')),
  );
  const { tables } = (await readText(body)).extracted;
  expect(tables.at(-1)?.header).toBe('Room | Equipment Projector | Equipment Board');
});

test('tables that repeat too much are read with a warning', async () => {
  const body = table(
    ...Array.from({ length: 400 }, (_, i) => row(cell(`${i}`, 'table:number-columns-repeated="1000"'))),
  );
  expect((await readText(body)).warnings).toEqual([
    { code: 'LIMIT_REACHED', message: 'Cells that a table repeats very often were read once only.' },
  ]);
});
