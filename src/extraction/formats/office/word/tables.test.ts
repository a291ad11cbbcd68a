/** Rows of Word's tables are named, whatever is merged. */
import { describe, expect, it, test } from 'vitest';
import { splitPassages } from '../../../../indexing/split/passages.ts';
import { cell, paragraph, readWord, row, run } from '../../../testing/office-files.ts';

const textOf = async (...from: Parameters<typeof readWord>) => (await readWord(...from)).text;

describe('tables', () => {
  it('name each row of a cell that is merged over many', async () => {
    const rows = (district: string, street: string) =>
      Array.from({ length: 60 }, (_, i) =>
        row([
          i === 0 ? cell(district, '<w:vMerge w:val="restart"/>') : cell('', '<w:vMerge/>'),
          cell(`${street} ${i + 1}`),
          cell('Monday, before seven, on both sides of the street and behind the houses'),
        ]),
      );
    const body =
      '<w:tbl><w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>' +
      `${row([cell('District'), cell('Street'), cell('Collection day')])}` +
      `${[...rows('Harbour', 'Anchor lane'), ...rows('Hill', 'Elm row')].join('')}</w:tbl>`;
    const structured = await readWord(body);
    const passages = Array.from(splitPassages(structured), ({ start, end }) =>
      structured.text.slice(start, end),
    );
    expect(passages.length).toBeGreaterThan(2);
    for (const line of passages.join('\n').split('\n').slice(1))
      expect(line).toMatch(/^(?:Harbour \| Anchor|Hill \| Elm)/);
    expect(new Set(structured.tables.map(({ header }) => header))).toEqual(
      new Set(['District | Street | Collection day']),
    );
  });

  it('have several header rows, joined by column', async () => {
    const header = '<w:tblHeader/>';
    const room = cell('Room', '<w:vMerge w:val="restart"/>');
    const equipment = cell('Equipment', '<w:gridSpan w:val="2"/>');
    const body =
      `<w:tbl>${row([room, equipment, cell('Key')], header)}` +
      `${row([cell('', '<w:vMerge/>'), cell('Projector'), cell('Board'), cell('')], header)}` +
      `${row([cell('Oak'), cell('yes'), cell('no'), cell('Ida')])}` +
      `${row([cell('late')], '<w:gridBefore w:val="2"/>')}</w:tbl>`;
    const { text, tables } = await readWord(body);
    expect(tables[0]?.header).toBe('Room | Equipment Projector | Equipment Board | Key');
    expect(text).toMatch(/\nOak \| yes \| no \| Ida\n\| {1,2}\| late$/);
  });

  it('keep tables inside cells, and leave deleted rows out', async () => {
    const inner =
      `<w:tc>${paragraph(run('Oak'))}<w:tbl>` +
      `${row([cell('a'), cell('b')])}${row([cell('c')])}</w:tbl>${paragraph('')}</w:tc>`;
    const body = `<w:tbl>${row([inner, cell('12')])}${row([cell('gone')], '<w:del/>')}</w:tbl>`;
    expect(await textOf(body)).toBe('Oak\na | b\nc\n12');
  });
});

test('a table of one column is a box, in which tables keep their rows', async () => {
  const inner = `<w:tbl>${row([cell('a'), cell('b')])}${row([cell('c'), cell('d')])}</w:tbl>`;
  const box =
    `<w:tbl><w:tblGrid><w:gridCol/>` +
    `</w:tblGrid>${row([`<w:tc>${paragraph(run('Note'))}${inner}</w:tc>`])}</w:tbl>`;
  const { text, tables } = await readWord(box);
  expect(text).toBe('Note\n\na | b\nc | d');
  expect(tables.length).toBe(1);
});
