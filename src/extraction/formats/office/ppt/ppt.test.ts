/** Presentations of before 2007: slides as pages, with tables, notes and comments. */
import { expect, test } from 'vitest';
import { extractFile } from '../../../extract.ts';
import { pptOf, record } from '../../../testing/compound/made-docs.ts';
import { uint16, uint32, wide } from '../../../testing/compound/write-compound.ts';
import { TYPE } from './ppt-records.ts';

const [TITLE, BODY, NOTES] = [0, 1, 2];
const words = (kind: number, text: string) => [
  record(TYPE.textHeader, uint32(kind)),
  record(TYPE.wideText, wide(text)),
];
const narrow = (kind: number, text: string) => [
  record(TYPE.textHeader, uint32(kind)),
  record(TYPE.narrowText, Buffer.from(text, 'latin1')),
];
const shape = (texts: Buffer[], place = 0) =>
  record(TYPE.shape, [
    record(TYPE.clientText, texts),
    record(TYPE.clientData, [
      record(TYPE.placeholder, Buffer.concat([uint32(0), Buffer.from([place, 0, 0, 0])])),
    ]),
  ]);
const drawing = (...shapes: Buffer[]) =>
  record(TYPE.drawing, [record(TYPE.shapes, [record(TYPE.group, [record(TYPE.shape, []), ...shapes])])]);
const slide = (notesId: number, ...parts: Buffer[]) =>
  record(TYPE.slide, [record(TYPE.slideAtom, uint32(0, 0, 0, 0, notesId)), ...parts]);
const listed = (number: number, id: number, ...texts: Buffer[]) => [
  record(TYPE.slideReference, uint32(number, 0, 0, id, 0)),
  ...texts,
];
const outline = (number: number) => [record(TYPE.outlineReference, uint32(number))];

const read = async (bytes: Buffer) => {
  const extraction = await extractFile({ fileName: 'a.ppt', bytes });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  expect(extraction.type).toBe('ppt');
  return extraction;
};

test('slides in their order, with outline, boxes, notes and comments', async () => {
  const document = record(TYPE.document, [
    record(
      TYPE.slideList,
      listed(3, 256, ...words(TITLE, 'Swarms\x0bin May'), ...narrow(BODY, 'caf\xe9\rtwo')),
      0,
    ),
    record(TYPE.slideList, listed(4, 257, ...words(TITLE, 'Queens')), 0),
    record(TYPE.slideList, listed(5, 900), 2),
    record(TYPE.objects, [record(TYPE.embeddedObject, [])]),
  ]);
  const comment = record(TYPE.comment, [
    record(TYPE.string, wide('Ulla'), 0),
    record(TYPE.string, wide('Why?'), 1),
  ]);
  const tags = record(TYPE.tags, [record(TYPE.tag, [record(TYPE.tagData, [comment])])]);
  const file = pptOf([
    document,
    record(TYPE.slide, []),
    slide(
      900,
      drawing(shape(outline(0)), shape(outline(1)), shape(words(4, 'In a box'), 0), shape(words(4, '*'), 8)),
      tags,
    ),
    slide(0, drawing()),
    record(TYPE.notes, [drawing(shape(words(NOTES, 'Say it slowly.')))]),
  ]);
  const { extracted, pageCount, warnings } = await read(file);
  expect(pageCount).toBe(2);
  expect(extracted.text).toBe(
    'Swarms\nin May\n\ncafé\n\ntwo\n\nIn a box\n\nSay it slowly.\n\nUlla: Why?\n\nQueens',
  );
  expect(extracted.headings.map(({ text }) => text)).toEqual(['Swarms in May', 'Queens']);
  expect(extracted.pages.map(({ page, offset }) => [page, extracted.text.slice(offset, offset + 6)])).toEqual(
    [
      [1, 'Swarms'],
      [2, 'Queens'],
    ],
  );
  expect(warnings).toEqual([
    { code: 'PARTS_NOT_READ', message: 'One embedded object was not read, such as a sheet or a chart.' },
  ]);
});

test('the cells of a table keep their columns and rows', async () => {
  const cell = (text: string, left: number, top: number, right: number, bottom: number) =>
    record(TYPE.shape, [
      record(TYPE.childAnchor, uint32(left, top, right, bottom)),
      record(TYPE.clientText, words(4, text)),
    ]);
  const properties = record(TYPE.moreProperties, Buffer.concat([uint16(0x039f), uint32(1)]), 1);
  const table = record(TYPE.group, [
    record(TYPE.shape, [properties]),
    cell('8', 200, 0, 300, 100),
    cell('Ground', 0, 0, 100, 200),
    cell('Elm', 100, 0, 200, 100),
    cell('Yew', 102, 100, 200, 200),
    cell('6', 200, 100, 300, 200),
    cell('closed', 0, 200, 300, 300),
  ]);
  const document = record(TYPE.document, [record(TYPE.slideList, listed(2, 256), 0)]);
  expect((await read(pptOf([document, slide(0, drawing(table))]))).extracted.text).toBe(
    'Ground | Elm | 8\nGround | Yew | 6\nclosed',
  );
});

test('a presentation with a password is refused', async () => {
  const bytes = pptOf([record(TYPE.document, [])], 0xf3d1c4df);
  expect(await extractFile({ fileName: 'a.ppt', bytes })).toMatchObject({
    failure: { code: 'FILE_ENCRYPTED' },
  });
});

/** A run of paragraphs or characters, with the fields of these masks. */
const run = (
  count: number,
  mask: number,
  fields: Uint8Array,
  indent: Uint8Array = new Uint8Array(),
): Buffer => Buffer.concat([uint32(count), indent, uint32(mask), fields]);

test('superscripts are set apart, in boxes and in the outline', async () => {
  const tabs = Buffer.concat([uint16(1), uint32(7)]);
  const paragraphs = (length: number) =>
    run(length + 1, 0x10_0801, Buffer.concat([uint16(1, 0), tabs]), uint16(0));
  const styled = (kind: number, before: string, mark: string, after: string, bold = false) => {
    const text = before + mark + after;
    const styles = [
      paragraphs(text.length),
      run(before.length, bold ? 0x2_0001 : 0, bold ? uint16(1, 24) : Buffer.alloc(0)),
      run(mark.length, 0xc_0000, Buffer.concat([uint32(0xfe), uint16(30)])),
      run(after.length + 1, 0x8_0000, uint16(0)),
    ];
    return [...words(kind, text), record(TYPE.textStyles, Buffer.concat(styles))];
  };
  const listing = listed(2, 256, ...styled(BODY, 'Prices\rThe membership', '3', ' costs more'));
  const boxes = [
    shape(outline(0)),
    shape(styled(4, 'Halls of 25 m', '2', '', true)),
    shape([...words(4, 'Damaged'), record(TYPE.textStyles, Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]))]),
  ];
  const document = record(TYPE.document, [record(TYPE.slideList, listing, 0)]);
  const { extracted } = await read(pptOf([document, slide(0, drawing(...boxes))]));
  expect(extracted.text).toBe('Prices\n\nThe membership [3] costs more\n\nHalls of 25 m²\n\nDamaged');
});

test('rows of a table may be low: programs save heights that grow with their text', async () => {
  const cell = (text: string, left: number, top: number) =>
    record(TYPE.shape, [
      record(TYPE.childAnchor, uint32(left, top, left + 576, top + 1)),
      record(TYPE.clientText, words(4, text)),
    ]);
  const isTable = record(TYPE.moreProperties, Buffer.concat([uint16(0x039f), uint32(1)]), 1);
  const cells = [cell('Quay', 0, 0), cell('Depth', 576, 0), cell('North', 0, 1), cell('9 m', 576, 1)];
  const table = record(TYPE.group, [record(TYPE.shape, [isTable]), ...cells]);
  const drawn = record(TYPE.drawing, [
    record(TYPE.shapes, [record(TYPE.group, [record(TYPE.shape, []), table])]),
  ]);
  const document = record(TYPE.document, [record(TYPE.slideList, listed(2, 256), 0)]);
  const { extracted } = await read(pptOf([document, slide(0, drawn)]));
  expect(extracted.text).toBe('Quay | Depth\nNorth | 9 m');
});
