/** Books in FictionBook 2. */
import { expect, it } from 'vitest';
import { extractFile } from '../extract.ts';

const book = (body: string, more = ''): string =>
  `<?xml version="1.0" encoding="utf-8"?><!-- a book --><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"
  xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><genre>sf</genre><author><first-name>Ulla</first-name>
  <last-name>Berg</last-name><id>0-1</id></author><book-title>The Harbour</book-title><annotation><p>About gulls.</p>
  </annotation><coverpage><image l:href="#c"/></coverpage><lang>en</lang></title-info><document-info><id>abc-1</id>
  </document-info><publish-info><publisher>Quay Press</publisher><year>1997</year></publish-info></description>
  ${body}<binary id="c" content-type="image/jpeg">/9j/4AAQ</binary>${more}</FictionBook>`;

async function read(content: string) {
  const extraction = await extractFile({ fileName: 'a.fb2', bytes: Buffer.from(content) });
  if ('failure' in extraction) throw new Error(extraction.failure.code);
  const { text, headings } = extraction.extracted;
  return {
    text,
    headings: headings.map((each) => `${each.level} ${each.text}`),
    warnings: extraction.warnings,
  };
}

it('have title, authors, chapters and notes, and neither pictures nor facts about the file', async () => {
  const body = `<body><title><p>The</p><p>Harbour</p></title><section><title><p>Chapter One</p></title>
    <p>The gulls called <emphasis>low</emphasis> over the quay<a l:href="#n1" type="note">[1]</a>.</p>
    <section><title><p>Night</p></title><poem><stanza><v>Row on</v><v>row on</v></stanza></poem>
    <subtitle>* * *</subtitle>
    <table><tr><th>Room</th><th>Seats</th></tr><tr><td>Elm</td><td>8</td></tr></table></section></section></body>
    <body name="notes"><section id="n1"><title><p>1</p></title><p>A note on gulls.</p></section></body>`;
  const { text, headings, warnings } = await read(book(body));
  expect(text.replace(/\n+/g, '\n')).toBe(
    'The Harbour\nUlla Berg\nAbout gulls.\nQuay Press, 1997\nThe Harbour\nChapter One\n' +
      'The gulls called low over the quay [1].\nNight\nRow on\nrow on\n* * *\nRoom | Seats\nElm | 8\n1\n' +
      'A note on gulls.',
  );
  expect(headings.slice(0, 4)).toEqual(['1 The Harbour', '1 The Harbour', '2 Chapter One', '3 Night']);
  expect(warnings).toEqual([]);
});

it('say so where they are cut off', async () => {
  const { text, warnings } = await read(book('<body><section><p>The gulls</p>').split('</p><bin')[0] ?? '');
  expect(text).toContain('The gulls');
  expect(warnings).toMatchObject([{ code: 'FILE_CUT_OFF' }]);
});

it('have a heading where a title stands outside of bodies', async () => {
  const { headings } = await read(
    book('<title><p>Beside</p></title><body><section><p>The gulls</p></section></body>'),
  );
  expect(headings).toContain('1 Beside');
});
