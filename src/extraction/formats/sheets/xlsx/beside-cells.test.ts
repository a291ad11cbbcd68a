/** What stands on a sheet beside its cells is read, or the document says that it is not. */
import { expect, test } from 'vitest';
import { extractFile } from '../../../extract.ts';
import type { ExtractedFile } from '../../../extracted-file.ts';
import { xlsxOf } from '../../../testing/made-files.ts';
import { type MadeSheet, madeWorkbook } from '../../../testing/made-workbook.ts';
import { writeZip } from '../../../testing/write-zip.ts';

async function read(bytes: Uint8Array): Promise<ExtractedFile> {
  const extraction = await extractFile({ fileName: 'a.xlsx', bytes });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return extraction;
}

const ROWS = [
  ['Day', 'Hours'],
  ['Monday', 'nine to six'],
];

/** The paragraphs of a sheet around its table. */
async function paragraphsOf(sheet: Omit<MadeSheet, 'rows'>): Promise<string[]> {
  const { text } = (await read(madeWorkbook({ rows: ROWS, ...sheet }))).extracted;
  return text.split('\n\n').filter((paragraph) => !/^(?:Notes|Opening hours|Day)\b/.test(paragraph));
}

const DRAWING = 'drawings/drawing1.xml';
const relationships = (...targets: [type: string, target: string][]) =>
  `<Relationships>${targets
    .map(([type, target]) => `<Relationship Type="x/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;
const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;

test('text boxes, titles and written names of charts, diagrams and shapes on charts', async () => {
  const drawing =
    '<xdr:wsDr><xdr:sp><xdr:nvSpPr><xdr:cNvPr name="TextBox 1"/></xdr:nvSpPr><xdr:spPr><a:off x="1"/></xdr:spPr>' +
    `<xdr:txBody>${paragraph('Closed in')}${paragraph('August.')}</xdr:txBody></xdr:sp>` +
    `<mc:AlternateContent><mc:Choice><xdr:sp>${paragraph('Once')}</xdr:sp></mc:Choice><mc:Fallback>` +
    `<xdr:sp>${paragraph('Once')}</xdr:sp></mc:Fallback></mc:AlternateContent></xdr:wsDr>`;
  const chart =
    `<c:chart><c:title><c:tx><c:rich>${paragraph('Guests by day')}</c:rich></c:tx></c:title><c:plotArea>` +
    '<c:ser><c:tx><c:v>Adults</c:v></c:tx><c:val><c:numCache><c:pt><c:v>12</c:v></c:pt></c:numCache></c:val></c:ser>' +
    '<c:valAx><c:title><c:tx><c:strRef><c:f>A1</c:f><c:strCache><c:pt><c:v>Guests</c:v></c:pt>' +
    '</c:strCache></c:strRef></c:tx></c:title></c:valAx></c:plotArea></c:chart>';
  const diagram =
    `<dgm:pt><dgm:t>${paragraph('Ask')}</dgm:t></dgm:pt><dgm:pt type="pres">` +
    `<dgm:t>${paragraph('Ask')}</dgm:t></dgm:pt>`;
  const texts = await paragraphsOf({
    related: [['drawing', DRAWING]],
    parts: [
      { name: `xl/${DRAWING}`, content: drawing },
      {
        name: 'xl/drawings/_rels/drawing1.xml.rels',
        content: relationships(
          ['chart', '../chart.xml'],
          ['diagramData', '../data.xml'],
          ['image', '../gone.png'],
        ),
      },
      { name: 'xl/chart.xml', content: chart },
      { name: 'xl/_rels/chart.xml.rels', content: relationships(['chartUserShapes', 'shapes.xml']) },
      { name: 'xl/shapes.xml', content: `<c:userShapes>${paragraph('Fair')}</c:userShapes>` },
      { name: 'xl/data.xml', content: diagram },
    ],
  });
  expect(texts).toEqual(['Closed in', 'August.', 'Once', 'Guests by day', 'Guests', 'Adults', 'Fair', 'Ask']);
});

test('comments, threads of comments once, and labels of controls', async () => {
  const copy =
    '[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment.\n\nComment: Why six?';
  const texts = await paragraphsOf({
    related: [
      ['comments', 'comments1.xml'],
      ['threadedComment', 'thread.xml'],
      ['vmlDrawing', 'v.vml'],
    ],
    parts: [
      {
        name: 'xl/comments1.xml',
        content:
          '<comments><authors><author>Ida</author><author>tc={1}</author></authors><commentList>' +
          '<comment ref="A2" authorId="0"><text><r><t>Closed on </t></r><r><t>holidays</t></r></text></comment>' +
          `<comment ref="B2" authorId="1"><text><t>${copy}</t></text></comment></commentList></comments>`,
      },
      {
        name: 'xl/thread.xml',
        content:
          '<ThreadedComments><threadedComment ref="B2"><text>Why six?</text></threadedComment>' +
          '<threadedComment ref="B2" parentId="1"><text>The bus.</text></threadedComment></ThreadedComments>',
      },
      {
        name: 'xl/v.vml',
        content:
          '<xml><v:shape><v:textbox><div><font>Recalculate</font></div></v:textbox>' +
          '<x:ClientData ObjectType="Button"/></v:shape>' +
          '<v:shape><v:textbox><div>Closed on holidays</div></v:textbox>' +
          '<x:ClientData ObjectType="Note"/></v:shape></xml>',
      },
    ],
  });
  expect(texts).toEqual(['Recalculate', 'Closed on holidays', 'Why six?', 'The bus.']);
});

test('headers and footers of the printed pages, without fields and page numbers', async () => {
  const texts = await paragraphsOf({
    after:
      '<headerFooter differentFirst="1"><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Staff' +
      ' &amp;&amp; guests&amp;C&amp;A&amp;RPage &amp;P of &amp;N</oddHeader>' +
      '<oddFooter>&amp;CRevision 7, &amp;D&amp;R&amp;K00-0140&amp;P</oddFooter>' +
      '<firstHeader>&amp;LStaff &amp;&amp; guests</firstHeader></headerFooter>',
  });
  expect(texts).toEqual(['Staff & guests', 'Revision 7,']);
});

test('a sheet of a chart is a page', async () => {
  const entries = xlsxOf('').map((entry) => {
    if (entry.name === 'xl/_rels/workbook.xml.rels')
      return { ...entry, content: String(entry.content).replace('worksheet', 'chartsheet') };
    if (entry.name === 'xl/sheet1.xml') return { ...entry, content: '<chartsheet><drawing/></chartsheet>' };
    return entry;
  });
  const parts = [
    { name: 'xl/_rels/sheet1.xml.rels', content: relationships(['drawing', 'd.xml']) },
    { name: 'xl/d.xml', content: '<xdr:wsDr/>' },
    { name: 'xl/_rels/d.xml.rels', content: relationships(['chart', 'c.xml']) },
    { name: 'xl/c.xml', content: `<c:chart><c:title>${paragraph('Growth')}</c:title></c:chart>` },
  ];
  const { extracted, pageCount } = await read(writeZip([...entries, ...parts]));
  expect(extracted.text).toBe('Notes\n\nGrowth\n\nOpening hours');
  expect(pageCount).toBe(2);
});

test('what is not read is named in warnings', async () => {
  const object = '<oleObjects><oleObject progId="Word.Document.12" shapeId="1"/></oleObjects>';
  const before = '<sheetData><row><c><f>SUM(A1:A2)</f></c><c t="str"><f>""</f><v></v></c></row></sheetData>';
  const entries = xlsxOf('').map((entry) => {
    if (entry.name === 'xl/sheet2.xml')
      return { ...entry, content: `<worksheet>${before}${object}${object}</worksheet>` };
    if (entry.name !== 'xl/workbook.xml') return entry;
    const sheets = '<sheet name="Lost" r:id="rId9"/><sheet name="Macros" r:id="rId8"/></sheets>';
    return { ...entry, content: String(entry.content).replace('</sheets>', sheets) };
  });
  const related = entries.map((entry) =>
    entry.name === 'xl/_rels/workbook.xml.rels'
      ? {
          ...entry,
          content: String(entry.content).replace(
            '</',
            '<Relationship Id="rId8" Type="x/xlMacrosheet" Target="m.xml"/></',
          ),
        }
      : entry,
  );
  const { warnings, pageCount } = await read(writeZip(related));
  expect(pageCount).toBe(4);
  expect(warnings).toEqual(
    [
      'A formula has no stored result, since no spreadsheet program has saved the file (sheet “Opening hours”).',
      'An embedded object was not read (sheet “Opening hours”).',
      'A sheet is missing in the file (sheet “Lost”).',
      'A sheet of macros was not read (sheet “Macros”).',
    ].map((message) => ({ code: 'PARTS_NOT_READ', message })),
  );
});

test('a damaged sheet costs its own text alone', async () => {
  const rows = Array.from({ length: 50 }, (_, i) => [`Day ${i}`, `${i} to ${i * i}`]);
  const harm = (bytes: Buffer): Buffer => {
    const at = bytes.indexOf('xl/sheet2.xml') + 'xl/sheet2.xml'.length;
    return bytes.fill(0xff, at, at + 40);
  };
  expect(await extractFile({ fileName: 'a.xlsx', bytes: harm(madeWorkbook({ rows })) })).toMatchObject({
    failure: {
      code: 'FILE_CORRUPT',
      message: 'The file is damaged or cut off: its sheets cannot be unpacked.',
    },
  });
  const { extracted, warnings } = await read(harm(writeZip(xlsxOf('<row><c><v>7</v></c></row>'.repeat(50)))));
  expect(extracted.text).toContain('The café opens at nine.');
  expect(warnings).toMatchObject([
    { code: 'PARTS_NOT_READ', message: expect.stringContaining('“Opening hours”') },
  ]);
});

test('superscripts of rich text stay apart, and escaped characters are decoded', async () => {
  const rich =
    '<si><r><t>membership</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>3</t></r><r>' +
    '<t xml:space="preserve"> is open</t></r>' +
    '<rPh><t>reading</t></rPh></si><si><t>two_x000D_\nlines _x005F_x000D_</t></si>';
  const cells = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>';
  const { text } = (await read(writeZip(xlsxOf(cells, rich)))).extracted;
  expect(text).toContain('membership [3] is open | two lines _x000D_');
});
