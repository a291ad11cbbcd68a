/** Text, headings, tables and pages of every format. */
import { utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { splitPassages } from '../indexing/split/passages.ts';
import { extractFile } from './extract.ts';
import type { ExtractedFile } from './extracted-file.ts';
import { madeContainers } from './testing/containers/made-containers.ts';
import { madeFiles, pdfOf, xlsxOf } from './testing/made-files.ts';
import { presentationFile } from './testing/office-files.ts';
import { writeZip } from './testing/write-zip.ts';

const book = utils.book_new();
for (const name of ['Hours', 'Prices'])
  utils.book_append_sheet(book, utils.aoa_to_sheet([['The café opens at nine']]), name);
const files: Record<string, Buffer> = {
  ...madeFiles(),
  ...madeContainers(),
  'a.xls': write(book, { type: 'buffer', bookType: 'biff8' }),
};

async function read(fileName: string): Promise<ExtractedFile & { type: string }> {
  const extraction = await extractFile({ fileName, bytes: files[fileName] ?? Buffer.alloc(0) });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return extraction;
}

test.each(Object.keys(files))('extracts %s by its content', async (fileName) => {
  const { type, extracted } = await read(fileName);
  expect(fileName).toBe(`a.${type}`);
  expect(extracted.text).toContain('The café opens at nine');
});

const DAY_TABLE = { header: 'Day | Hours', rows: 'Day | Hours\nMonday | nine to six' };

describe.each([
  ['a.docx', 2],
  ['a.odt', 2],
  ['a.rtf', 2],
  ['a.html', 2],
])('%s', (fileName, level) => {
  it('returns its headings', async () => {
    const { extracted } = await read(fileName);
    expect(extracted.headings.map(({ level, text }) => ({ level, text }))).toEqual([
      { level, text: 'Opening hours' },
    ]);
  });

  it('returns its tables with their headers', async () => {
    const { text, tables } = (await read(fileName)).extracted;
    expect(tables.map(({ start, end, header }) => ({ header, rows: text.slice(start, end) }))).toEqual([
      DAY_TABLE,
    ]);
  });
});

/** The text of each page, without the white space around it. */
function pagesOf({ extracted: { text, pages } }: ExtractedFile): [page: number | undefined, text: string][] {
  return pages.map(({ page, offset }, i) => [page, text.slice(offset, pages[i + 1]?.offset).trim()]);
}

test.each(['a.pdf', 'a.pptx', 'a.ppt', 'a.odp', 'a.xlsx', 'a.xls', 'a.ods'])(
  'each passage of %s is on one page, slide or sheet',
  async (fileName) => {
    const { extracted } = await read(fileName);
    const passages = [...splitPassages(extracted)];
    expect(passages.map(({ page, later }) => ({ page, later }))).toEqual(
      pagesOf({ extracted, warnings: [] }).flatMap(([page, text]) => (text === '' ? [] : [{ page }])),
    );
  },
);

test('a file in an archive keeps its pages and its times, and shares no passage with another one', async () => {
  const names = ['a.pptx', 'a.txt', 'a.vtt'];
  const entries = names.map((name) => ({ name, content: files[name] ?? '' }));
  const extraction = await extractFile({ fileName: 'all.zip', bytes: writeZip(entries) });
  const { extracted } = extraction as ExtractedFile;
  expect(
    [...splitPassages(extracted)].map(({ headings, page, timeMs }) => [headings[0], page, timeMs]),
  ).toEqual([
    ['a.pptx', 1, undefined],
    ['a.pptx', 2, undefined],
    ['a.txt', undefined, undefined],
    ['a.vtt', undefined, 1000],
  ]);
});

test('slides become pages in the order of the show, and their titles headings', async () => {
  const presentation = await read('a.pptx');
  expect(presentation.pageCount).toBe(2);
  expect(pagesOf(presentation)).toEqual([
    [1, 'First slide\n\nThe café opens at nine.'],
    [2, 'Second slide\n\nThe café opens at nine.'],
  ]);
  expect(presentation.extracted.headings.map(({ text }) => text)).toEqual(['First slide', 'Second slide']);
  expect(pagesOf(await read('a.odp'))).toEqual([
    [1, 'The café opens at nine.'],
    [2, 'Second slide'],
  ]);
});

test('sheets become pages, their names headings, and cells have the text that Excel shows', async () => {
  const workbook = await read('a.xlsx');
  expect(workbook.pageCount).toBe(2);
  expect(pagesOf(workbook)).toEqual([
    [1, 'Notes\n\nThe café opens at nine.'],
    [2, 'Opening hours\n\nDay | Hours |  | Share\n2024-01-01 | 9.5 |  | 25%'],
  ]);
  expect(workbook.extracted.tables.map(({ header }) => header)).toEqual(['Day | Hours |  | Share']);
  expect(pagesOf(await read('a.ods'))).toEqual([
    [1, 'Opening hours\n\nDay | Hours\nThe café opens at nine. | nine to six'],
  ]);
});

test('a PDF with an empty page has a warning that names the page', async () => {
  const pdf = await read('a.pdf');
  expect(pdf).toMatchObject({
    pageCount: 3,
    warnings: [
      {
        code: 'PAGES_WITHOUT_TEXT',
        message: expect.stringMatching(/^Page 2: without text, perhaps scanned; .*OCR=off/),
      },
    ],
  });
  expect(pdf.extracted.headings.map(({ text }) => text)).toEqual(['Opening hours']);
  expect(pagesOf(pdf).at(-1)).toEqual([3, 'It closes at six.']);
});

test.each([
  ['notes.pdf', ['Its name says pdf, but it is none: its bytes were read as plain text.']],
  ['notes.docx', ['Its name says docx, but it is none: its bytes were read as plain text.']],
  ['notes.doc', []],
  ['notes.txt', []],
  ['notes', []],
])('plain text named %s has the warnings %j', async (fileName, messages) => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from('The café opens at nine.') });
  expect(extraction).toMatchObject({ type: 'txt' });
  expect(extraction.warnings?.map(({ message }) => message)).toEqual(messages);
});

test('a PDF without text returns its number of pages and a hint at scanned pages', async () => {
  expect(await extractFile({ fileName: 'plan.pdf', bytes: pdfOf([[], []]) })).toEqual({
    type: 'pdf',
    pageCount: 2,
    failure: {
      code: 'NO_TEXT_EXTRACTED',
      message: expect.stringMatching(/its pages may be scanned, .*OCR=off/),
    },
  });
});

test('a blank workbook has no text, and a slide without any may be a picture', async () => {
  const messageOf = async (fileName: string, bytes: Buffer) => {
    const extraction = await extractFile({ fileName, bytes });
    return 'failure' in extraction ? extraction.failure.message : extraction.extracted.text;
  };
  const blank = utils.book_new();
  utils.book_append_sheet(blank, utils.aoa_to_sheet([]), 'Plan');
  for (const bookType of ['xlsx', 'biff8', 'ods'] as const)
    expect(await messageOf('plan', write(blank, { type: 'buffer', bookType }))).toBe(
      'The file holds no readable text.',
    );
  expect(await messageOf('plan.pptx', presentationFile(''))).toBe(
    'The file holds no readable text; its slides may be pictures.',
  );
});

test('a Word document keeps its lists and footnotes', async () => {
  const { text } = (await read('a.docx')).extracted;
  expect(text).toContain('- A listed entry');
  expect(text).toContain('A footnote.');
});

test('the chapters of a book come in the order of its spine', async () => {
  const { extracted } = await read('a.epub');
  expect(extracted.headings.map(({ text }) => text)).toEqual(['Opening hours', 'Second chapter']);
});

test('RTF is decoded by the encodings of its fonts', async () => {
  expect((await read('a.rtf')).extracted.text).toContain('Привет 你');
});

test('XML and JSON become lines below headings for the path of their names', async () => {
  expect((await read('a.json')).extracted).toMatchObject({
    text: 'hours\nnote: The café opens at nine.\ndays: Monday, Tuesday\n\nopen: true',
    headings: [{ text: 'hours', level: 1 }],
  });
  expect((await read('a.xml')).extracted).toMatchObject({
    text: 'shop\nhours\nname: summer\nnote: The café opens at nine.\n\nitem\nname: Tea',
    headings: [
      { text: 'shop', level: 1 },
      { text: 'hours', level: 2 },
      { text: 'item', level: 2 },
    ],
  });
});

test('XML: a text with elements in it is one text, wherever these stand', async () => {
  const xmlText = (xml: string) => textOf('a.xml', `<?xml version="1.0"?>${xml}`);
  expect(await xmlText('<sec><p><b>Note:</b> the jetty<br/>is <i>closed</i>.</p><p>Open</p></sec>')).toBe(
    'sec\np: Note: the jetty is closed.\np: Open',
  );
  expect(
    await xmlText('<p>Dogs<sup>1</sup> on 10<sup>3</sup> m<sup>2</sup>.<fn><p>Small.</p></fn></p>'),
  ).toBe('p: Dogs [1] on 10^3 m². Small.');
  const records = '<r><name>Oak</name><seats>12</seats></r>'.repeat(3);
  expect(await xmlText(`<rooms>${records} stray</rooms>`)).toMatch(/^r\nname: Oak\nseats: 12\n/m);
});

test('a drawing has its title, its description and the text that it draws', async () => {
  const svg =
    '<?xml version="1.0"?><!-- drawn --><svg:svg xmlns:svg="http://www.w3.org/2000/svg"><svg:title>Plan</svg:title>' +
    '<svg:desc>Ground floor</svg:desc><svg:style>.a{}</svg:style><svg:g><svg:text y="1">Exit <svg:tspan>A</svg:tspan>' +
    '<svg:tspan x="0" dy="1em">left</svg:tspan><svg:tspan x="9">most</svg:tspan></svg:text><svg:text>B</svg:text>' +
    '</svg:g></svg:svg>';
  expect(await textOf('a.svg', svg)).toBe('Plan\n\nGround floor\n\nExit A leftmost\nB');
});

test.each([
  ['a.html', '<html><body><p>One.</p><p>Two', 'its last end tag is missing'],
  ['a.html', '<p>One.</p><p>Two</p', 'inside a tag'],
  ['a.html', '<p>One.</p><!-- Two', 'inside a tag'],
  ['a.xml', '<?xml version="1.0"?><a><b>One.</b>', 'elements of it are not closed'],
  ['a.svg', '<svg><text>One.</text>', 'its last end tag is missing'],
  ['a.html', '<p>One. <p>5 < 6', undefined],
  ['a.html', '<html><body><p>One.</body>', undefined],
  ['a.xml', '<?xml version="1.0"?><a><b>One.</b></a>', undefined],
])('a file that was cut off has a warning: %s %s', async (fileName, content, reason) => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from(content) });
  const message = `The file ends early: ${reason}. What is there was read.`;
  expect(extraction).toMatchObject({ warnings: reason ? [{ code: 'FILE_CUT_OFF', message }] : [] });
});

test('the rows of a CSV file become a table, with line ends and quotes inside cells', async () => {
  const { text, tables } = (await read('a.csv')).extracted;
  expect(text).toBe('Day | Note\nMonday | The café opens at nine. Or later; "perhaps"');
  expect(tables).toEqual([{ start: 0, end: text.length, header: 'Day | Note' }]);
});

test.each([
  ['"5 inch', '"5 inch'],
  ['"5 inch" pipe', '"5 inch" pipe'],
  ['"5"" pipe"', '5" pipe'],
  ['"5 inch"', '5 inch'],
  ['"5 inch" ', '5 inch'],
])('the CSV cell %s ends with its row', async (written, cell) => {
  for (const lineEnd of ['\n', '\r\n']) {
    const rows = ['Size,Note', `1,${written}`, `${written},2`, '"a","b"', `3,${written}`];
    const extraction = await extractFile({ fileName: 'a.csv', bytes: Buffer.from(rows.join(lineEnd)) });
    expect('extracted' in extraction && extraction.extracted.text).toBe(
      `Size | Note\n1 | ${cell}\n${cell} | 2\na | b\n3 | ${cell}`,
    );
  }
});

test.each([
  ['no container and no package', []],
  ['a missing package', [{ name: 'META-INF/container.xml', content: '<rootfile full-path="b.opf"/>' }]],
  [
    'a spine of missing parts',
    [
      { name: 'META-INF/container.xml', content: '<rootfile full-path="b.opf"/>' },
      {
        name: 'b.opf',
        content: '<package><item id="one" href="gone.html"/><itemref idref="one"/></package>',
      },
    ],
  ],
])('the pages of a book with %s are sorted by their names', async (_, entries) => {
  const bytes = writeZip([
    { name: 'mimetype', isStored: true, content: 'application/epub+zip' },
    ...entries,
    { name: 'text/10.xhtml', content: '<html><body><p>And more.</p></body></html>' },
    { name: 'text/9.html', content: '<html><body><p>All of it.</p></body></html>' },
    { name: 'style.css', content: 'p { color: red }' },
  ]);
  const extraction = await extractFile({ fileName: 'a.epub', bytes });
  expect(extraction).toMatchObject({ type: 'epub', extracted: { text: 'All of it.\n\nAnd more.' } });
});

test('a book without package and pages is damaged', async () => {
  const bytes = writeZip([{ name: 'mimetype', isStored: true, content: 'application/epub+zip' }]);
  expect(await extractFile({ fileName: 'a.epub', bytes })).toMatchObject({
    failure: { code: 'FILE_CORRUPT' },
  });
});

const textOf = async (fileName: string, content: string | Buffer) => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from(content as string) });
  return 'failure' in extraction ? extraction.failure.code : extraction.extracted.text;
};

test.each([
  ['a.txt', 'The caf\0e\0'],
  ['a.html', '<p>The ca\0fe</p>'],
  ['a.json', '["The ca\\u0000fe"]'],
  ['a.ipynb', '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "The ca\\u0000fe"}]}'],
  ['a.rtf', "{\\rtf1 The ca\\'00fe}"],
  ['a.csv', 'The ca\0fe'],
])('NUL is dropped from the words of %s', async (fileName, content) => {
  expect(await textOf(fileName, content)).toBe('The cafe');
});

test.each([
  ['invisible letters', 'a.txt', '\u3164\u115f \u2060'],
  ['private characters', 'a.txt', '\ue000\uf8ff'],
  ['replacement characters', 'a.txt', '\ufffd\ufffd'],
  ['a few controls between blanks', 'a.md', ' \x01 \n\x02\t\n   '],
  ['empty cells', 'a.csv', '" "," "\n,\n'],
  ['null and empty values', 'a.json', '{"a": null, "b": {"c": ["\\u0000"]}}'],
  [
    'sheets that have only names',
    'a.xlsx',
    writeZip(xlsxOf('').filter(({ name }) => name !== 'xl/sheet1.xml')),
  ],
])('a file with %s has no text', async (_, fileName, content) => {
  expect(await textOf(fileName, content)).toBe('NO_TEXT_EXTRACTED');
});

const WORDS =
  'seldom before had any ferryman crossed that black river twice within one night yet here stood old Matthew ' +
  'counting silver coins beside his lantern while rain drummed upon wooden planks below them three travellers ' +
  'waited silently under dripping cloaks each hiding some secret behind tired eyes though none would speak first ' +
  'until dawn finally broke over distant hills revealing smoke from burning villages along both muddy banks';

test('the words of a text stay whole with any bytes between them and NULs inside them', async () => {
  const junk = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3 }),
    fc
      .constantFrom('\0', '\0\0', '\xff\xfe', '\x1b$B', '\x80', '\x82\xa0')
      .map((text) => Buffer.from(text, 'latin1')),
  );
  const insertions = fc.array(fc.tuple(fc.nat(WORDS.length), junk), { maxLength: 6 });
  const nuls = fc.array(fc.nat(WORDS.length), { maxLength: 20 });
  const marks = fc.constantFrom('', '\0', '\xff\xfe', '\xfe\xff', '\xef\xbb\xbf', '\0\0\0');
  await fc.assert(
    fc.asyncProperty(insertions, nuls, marks, async (inserted, dropped, mark) => {
      const letters = WORDS.split('').map((letter) => Buffer.from(letter));
      for (const at of dropped)
        letters[at] = Buffer.concat([Buffer.alloc(1), letters[at] ?? Buffer.alloc(0)]);
      for (const [at, bytes] of inserted) {
        const blank = WORDS.indexOf(' ', at);
        if (blank >= 0)
          letters[blank] = Buffer.concat([letters[blank] ?? Buffer.alloc(0), bytes, Buffer.from(' ')]);
      }
      const text = await textOf(
        'a.txt',
        Buffer.concat([Buffer.from(mark, 'latin1'), Buffer.from(' '), ...letters]),
      );
      const found = new Set(text.split(' '));
      expect(WORDS.split(' ').filter((word) => !found.has(word))).toEqual([]);
    }),
  );
});

test('a chapter is found by a name that is not a valid encoded address', async () => {
  const bytes = writeZip([
    { name: 'META-INF/container.xml', content: '<container><rootfile full-path="b.opf"/></container>' },
    {
      name: 'b.opf',
      content:
        '<package><item id="one" href="100%.xhtml"/><item id="two" href="a%20b.xhtml"/>' +
        '<itemref idref="one"/><itemref idref="two"/></package>',
    },
    { name: '100%.xhtml', content: '<html><body><p>All of it.</p></body></html>' },
    { name: 'a b.xhtml', content: '<html><body><p>And more.</p></body></html>' },
  ]);
  const extraction = await extractFile({ fileName: 'a.epub', bytes });
  expect(extraction).toMatchObject({ type: 'epub', extracted: { text: 'All of it.\n\nAnd more.' } });
});
