/** Word documents of before 2007: headings, lists, tables, notes, fields, headers. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../../../extract.ts';
import { docOf, type MadeParagraph, sprm, stylesOf } from '../../../testing/compound/made-docs.ts';
import { uint16, uint32, wide } from '../../../testing/compound/write-compound.ts';
import { PART } from './doc-file.ts';
import { SPRM } from './doc-formats.ts';

const read = async (bytes: Buffer) => {
  const extraction = await extractFile({ fileName: 'a.doc', bytes });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  expect(extraction.type).toBe('doc');
  return extraction;
};
const textOf = async (body: (MadeParagraph | string)[], parts?: Record<number, Buffer>) =>
  (await read(docOf({ body: body.map((each) => (typeof each === 'string' ? { text: each } : each)) }, parts)))
    .extracted.text;

const on = (code: number) => sprm(code, 1);
const hidden = (start: number, end: number, code: number, value = 1) => ({
  start,
  end,
  formats: sprm(code, value),
});

test('headings are found by the numbers of their styles, also through styles that are based on them', async () => {
  const styles = stylesOf([
    { kind: 0 },
    { kind: 2 },
    { kind: 0xffe, based: 1 },
    { kind: 0xffe, formats: sprm(SPRM.outlineLevel, 2) },
  ]);
  const body = [
    { text: 'Lease', style: 1 },
    { text: 'Überschrift', style: 2 },
    { text: 'Outline', style: 3 },
    { text: 'Direct', formats: sprm(SPRM.outlineLevel, 0) },
    { text: 'No heading', style: 1, formats: sprm(SPRM.outlineLevel, 9) },
  ];
  const { extracted } = await read(docOf({ body }, { [PART.styles]: styles }));
  expect(extracted.headings.map(({ level, text }) => `${level} ${text}`)).toEqual([
    '2 Lease',
    '2 Überschrift',
    '3 Outline',
    '1 Direct',
  ]);
});

/** A level of a list: its first number, the format of numbers, its label, in which U+0000 is the level's number. */
function level(start: number, format: number, label: string): Buffer {
  const head = Buffer.alloc(28);
  head.writeInt32LE(start, 0);
  head[4] = format;
  return Buffer.concat([head, uint16(label.length), wide(label)]);
}

test('lists and headings have the numbers that the reader sees', async () => {
  const [DECIMAL, LETTER, BULLET] = [0, 4, 23];
  const levels = [level(1, DECIMAL, '\0.'), level(1, DECIMAL, '\0.\x01'), level(1, LETTER, '(\x02)')];
  const list = Buffer.concat([uint32(77, 0), Buffer.alloc(20)]);
  const bullets = Buffer.concat([uint32(78, 0), Buffer.alloc(18), Buffer.from([1, 0])]);
  const fill = Array.from({ length: 6 }, () => level(1, DECIMAL, ''));
  const lists = Buffer.concat([uint16(2), list, bullets, ...levels, ...fill, level(1, BULLET, '\uf0b7')]);
  const override = (id: number) => Buffer.concat([uint32(id, 0, 0), Buffer.alloc(4)]);
  const overrides = Buffer.concat([uint32(2), override(77), override(78), uint32(0xffffffff, 0xffffffff)]);
  const entry = (text: string, depth: number, number = 1): MadeParagraph => ({
    text,
    formats: Buffer.concat([sprm(SPRM.listLevel, depth), sprm(SPRM.list, number, 0)]),
  });
  const heading = { ...entry('Rent', 0), style: 1 };
  const body = [
    entry('Term', 0),
    entry('begins', 1),
    entry('ends', 1),
    heading,
    entry('reduced', 1),
    entry('by rain', 2),
    entry('by noise', 2),
    entry('raised', 1),
    entry('a bullet', 0, 2),
    'Plain.',
  ];
  const styles = stylesOf([{ kind: 0 }, { kind: 1 }]);
  expect(
    await textOf(body, { [PART.styles]: styles, [PART.lists]: lists, [PART.listOverrides]: overrides }),
  ).toBe(
    '1. Term\n1.1 begins\n1.2 ends\n\n2. Rent\n\n2.1 reduced\n(a) by rain\n(b) by noise\n2.2 ' +
      'raised\n- a bullet\n\nPlain.',
  );
});

describe('a table', () => {
  /** The edges of the cells of a row, and for each cell bits of the cells that it is merged with. */
  const row = (edges: number[], merged: number[] = [], ...more: Buffer[]): MadeParagraph => {
    const cells = merged.map((bits) => Buffer.concat([uint16(bits), Buffer.alloc(18)]));
    const definition = Buffer.concat([Buffer.from([edges.length - 1]), uint16(...edges), ...cells]);
    return {
      text: '',
      mark: '\x07',
      formats: Buffer.concat([
        on(SPRM.inTable),
        on(SPRM.rowEnd),
        ...more,
        uint16(SPRM.cells, definition.length + 1),
        definition,
      ]),
    };
  };
  const cell = (text: string): MadeParagraph => ({ text, mark: '\x07', formats: on(SPRM.inTable) });
  const [RESTART, CONTINUE] = [0x60, 0x20];

  it('keeps its columns under merged cells, and has its header', async () => {
    const body = [
      { text: 'Rooms' },
      cell('Floor'),
      cell('Room'),
      cell('Seats'),
      row([0, 1000, 2000, 3000], [], on(SPRM.headerRow)),
      cell('Ground'),
      cell('Elm'),
      cell('8'),
      row([0, 1000, 2000, 3000], [RESTART]),
      cell(''),
      cell('Yew'),
      cell('6'),
      row([5, 1003, 2000, 3000], [CONTINUE]),
      cell('First'),
      cell('closed'),
      row([0, 1000, 3000]),
    ];
    const { text, tables } = (await read(docOf({ body }))).extracted;
    expect(text).toBe('Rooms\n\nFloor | Room | Seats\nGround | Elm | 8\nGround | Yew | 6\nFirst | closed');
    expect(tables.map(({ header }) => header)).toEqual(['Floor | Room | Seats']);
  });

  it('may stand in a cell of another one, and may have no end', async () => {
    const inner = (text: string, ...codes: number[]): MadeParagraph => ({
      text,
      formats: Buffer.concat([
        on(SPRM.inTable),
        Buffer.concat([uint16(SPRM.depth), uint32(2)]),
        ...codes.map(on),
      ]),
    });
    const body = [
      inner('a', SPRM.innerCell),
      inner('b', SPRM.innerCell),
      inner('', SPRM.innerRowEnd),
      cell('c'),
      cell('d'),
    ];
    expect(await textOf(body)).toBe('a | b\nc | d');
  });
});

test('notes and comments follow their paragraph, with their marks', async () => {
  const body = [{ text: 'Hives\x02 are inspected* weekly\x05.' }, { text: 'Smoke calms.' }];
  const footnotes = [{ text: '\x02 Except in rain.' }, { text: '* Twice in May.' }, { text: '' }];
  const comments = [{ text: '\x05Why?' }, { text: '' }];
  const parts = {
    [PART.footnoteMarks]: Buffer.concat([uint32(5, 20, 44), uint16(1, 0)]),
    [PART.footnoteTexts]: uint32(0, 18, 34, 35),
    [PART.commentMarks]: Buffer.concat([uint32(28, 44), uint16(2), wide('UB'), Buffer.alloc(24)]),
    [PART.commentTexts]: uint32(0, 6, 7),
  };
  const { extracted } = await read(docOf({ body, footnotes, comments }, parts));
  expect(extracted.text).toBe(
    'Hives [1] are inspected* weekly.\n\n1 Except in rain.\n\nUB: Why?\n\n* Twice in May.\n\nSmoke calms.',
  );
});

test('of a field its result is shown; deleted and hidden text is not', async () => {
  const body = [
    { text: 'See \x13 HYPERLINK "https://example.org" \x14the \x13 PAGE \x14page\x15\x15 now.' },
    { text: 'Kept gone hid.', runs: [hidden(4, 9, SPRM.deleted), hidden(9, 13, SPRM.hidden)] },
    { text: 'm2 H2O', runs: [hidden(1, 2, SPRM.superscript), hidden(4, 5, SPRM.superscript, 2)] },
    { text: 'non\x1ebreaking, soft\x1fhyphen,\x0bline' },
  ];
  expect(await textOf(body)).toBe(
    'See the page now.\n\nKept.\n\nm² H2O\n\nnon\u2011breaking, softhyphen,\nline',
  );
});

test('characters of symbol fonts are those that the font shows', async () => {
  const font = (name: string) => {
    const entry = Buffer.concat([Buffer.alloc(39), wide(`${name}\0`)]);
    return Buffer.concat([Buffer.from([entry.length]), entry]);
  };
  const fonts = Buffer.concat([uint16(2, 0), font('Arial'), font('Symbol')]);
  const symbol = Buffer.concat([sprm(SPRM.special, 1), uint16(SPRM.symbol), uint16(1, 0xf061)]);
  const body = [
    {
      text: 'The (-test, 180b in all',
      runs: [
        { start: 4, end: 5, formats: symbol },
        { start: 15, end: 16, formats: Buffer.concat([uint16(SPRM.font), uint16(1)]) },
      ],
    },
  ];
  expect(await textOf(body, { [PART.fonts]: fonts })).toBe('The α-test, 180β in all');
});

test('text boxes, headers and footers come last, each once', async () => {
  const headers = [
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    'The association',
    '',
    'Page 1',
    '',
    '',
    '',
    'The association',
    '',
    '',
    '',
    '',
  ];
  const made = headers.map((text) => ({ text }));
  const lengths = headers.map((text) => text.length + 1);
  const positions = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, each) => sum + each, 0));
  const end = positions.at(-1) ?? 0;
  const { extracted } = await read(
    docOf(
      { body: [{ text: 'Body.' }], headers: [...made, { text: '' }], textBoxes: [{ text: 'In a box.' }] },
      { [PART.headerTexts]: uint32(...positions, end + 1, end + 2) },
    ),
  );
  expect(extracted.text).toBe('Body.\n\nIn a box.\n\nThe association\n\nPage 1');
});

test('a document names the objects that were not read, and refuses a password and older versions', async () => {
  const body = [{ text: 'Text.' }];
  const { warnings } = await read(
    docOf({ body }, {}, { objects: { 'ObjectPool/_1/Equation Native': Buffer.alloc(9) } }),
  );
  expect(warnings).toEqual([
    { code: 'PARTS_NOT_READ', message: 'One embedded object was not read, such as a sheet or an equation.' },
  ]);
  const failureOf = async (bytes: Buffer) => {
    const extraction = await extractFile({ fileName: 'a.doc', bytes });
    return 'failure' in extraction ? extraction.failure : undefined;
  };
  expect(await failureOf(docOf({ body }, {}, { flags: 0x0100 }))).toMatchObject({ code: 'FILE_ENCRYPTED' });
  const old = docOf({ body });
  old.writeUInt16LE(0x0065, old.indexOf(uint16(0xa5ec, 0x00c1)) + 2);
  expect(await failureOf(old)).toEqual({
    code: 'UNSUPPORTED_FILE_TYPE',
    message: 'This is a Word document of before 1997: save it as .docx or PDF.',
  });
});
