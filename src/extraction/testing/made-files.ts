/** Makes small valid files of every format, each with a heading, a sentence and, where the format allows, a table. */
import { writeZip, type ZipEntry } from './write-zip.ts';

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relationships = (...targets: [type: string, target: string][]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Relationships>${targets
    .map(
      ([type, target], i) =>
        `<Relationship Id="rId${i + 1}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

const rootRelationships = (main: string): ZipEntry => ({
  name: '_rels/.rels',
  content: relationships(['officeDocument', main]),
});

const row = (cells: string[], cell: string) =>
  `<w:tr>${cells.map((text) => `<w:tc>${cell.replace('…', text)}</w:tc>`).join('')}</w:tr>`;
const CELL = '<w:p><w:r><w:t>…</w:t></w:r></w:p>';

/** A Word document with this body, and style `berschrift2` (a second heading, as in a German Word). */
export const docxOf = (body: string): ZipEntry[] => [
  rootRelationships('word/document.xml'),
  {
    name: 'word/_rels/document.xml.rels',
    content: relationships(['styles', 'styles.xml'], ['footnotes', 'footnotes.xml']),
  },
  {
    name: 'word/styles.xml',
    content:
      '<w:styles><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>' +
      '<w:style w:styleId="Mine"><w:name w:val="My heading"/><w:basedOn w:val="berschrift2"/></w:style></w:styles>',
  },
  {
    name: 'word/footnotes.xml',
    content: `<w:footnotes><w:footnote>${CELL.replace('…', 'A footnote.')}</w:footnote></w:footnotes>`,
  },
  {
    name: 'word/document.xml',
    content: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
  },
];

const DOCX_BODY =
  '<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr><w:r><w:t>Opening hours</w:t></w:r></w:p>' +
  '<w:p><w:r><w:t xml:space="preserve">The café </w:t></w:r><w:r><w:t>opens at nine.</w:t></w:r></w:p>' +
  '<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>A listed entry</w:t></w:r></w:p>' +
  '<w:tbl><w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>' +
  `${row(['Day', 'Hours'], CELL)}${row(['Monday', 'nine to six'], CELL)}</w:tbl>`;

const SLIDE =
  '<p:sld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>…</a:t></a:r></a:p></p:txBody></p:sp>' +
  '<p:sp><p:txBody><a:p><a:r><a:t>The café opens at nine.</a:t></a:r></a:p></p:txBody></p:sp></p:sld>';

const pptxEntries = (): ZipEntry[] => [
  rootRelationships('ppt/presentation.xml'),
  {
    name: 'ppt/_rels/presentation.xml.rels',
    content: relationships(['slide', 'slides/b.xml'], ['slide', 'slides/a.xml']),
  },
  {
    name: 'ppt/presentation.xml',
    content:
      '<p:presentation><p:sldIdLst><p:sldId id="1" r:id="rId1"/><p:sldId id="2" r:id="rId2"/>' +
      '</p:sldIdLst></p:presentation>',
  },
  { name: 'ppt/slides/b.xml', content: SLIDE.replace('…', 'First slide') },
  { name: 'ppt/slides/a.xml', content: SLIDE.replace('…', 'Second slide') },
];

/** A workbook of two sheets; the second has these rows. */
export const xlsxOf = (
  rows: string,
  strings = '<si><t>Day</t></si><si><r><t>Ho</t></r><r><t>urs</t></r></si>',
): ZipEntry[] => [
  rootRelationships('xl/workbook.xml'),
  {
    name: 'xl/_rels/workbook.xml.rels',
    content: relationships(
      ['worksheet', 'sheet1.xml'],
      ['worksheet', 'sheet2.xml'],
      ['sharedStrings', 's.xml'],
      ['styles', 'styles.xml'],
    ),
  },
  {
    name: 'xl/workbook.xml',
    content:
      '<workbook><sheets><sheet name="Notes" r:id="rId1"/><sheet name="Opening hours" r:id="rId2"/>' +
      '</sheets></workbook>',
  },
  { name: 'xl/s.xml', content: `<sst>${strings}</sst>` },
  {
    name: 'xl/styles.xml',
    content:
      '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/></cellXfs></styleSheet>',
  },
  {
    name: 'xl/sheet1.xml',
    content:
      '<worksheet><sheetData><row><c r="A1" t="inlineStr"><is><t>The café opens at nine.</t></is></c>' +
      '</row></sheetData></worksheet>',
  },
  { name: 'xl/sheet2.xml', content: `<worksheet><sheetData>${rows}</sheetData></worksheet>` },
];

const XLSX_ROWS =
  '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="str"><v>Share</v></c></row>' +
  '<row><c r="A2" s="1"><v>45292</v></c><c r="B2"><v>9.5</v></c><c r="D2" s="2"><v>0.25</v></c></row>';

/** The first entry of an OpenDocument file is not packed, so that its type stands in the file. */
const odfEntries = (type: string, body: string): ZipEntry[] => [
  { name: 'mimetype', isStored: true, content: `application/vnd.oasis.opendocument.${type}` },
  {
    name: 'content.xml',
    content: `<office:document-content><office:body>${body}</office:body></office:document-content>`,
  },
];
const odf = (type: string, body: string): Buffer => writeZip(odfEntries(type, body));

const ODF_TABLE =
  '<table:table table:name="Opening hours"><table:table-header-rows><table:table-row><table:table-cell>' +
  '<text:p>Day</text:p></table:table-cell>' +
  '<table:table-cell><text:p>Hours</text:p></table:table-cell></table:table-row>' +
  '</table:table-header-rows><table:table-row>' +
  '<table:table-cell><text:p>Monday</text:p></table:table-cell><table:table-cell>' +
  '<text:p>nine to six</text:p></table:table-cell></table:table-row></table:table>';
const ODT_BODY =
  '<office:text><text:h text:outline-level="2">Opening hours</text:h><text:p>The café<text:s/>opens at nine.</text:p>' +
  `<text:list><text:list-item><text:p>A listed entry</text:p></text:list-item></text:list>${ODF_TABLE}</office:text>`;

const epubEntries = (): ZipEntry[] => [
  {
    name: 'META-INF/container.xml',
    content: '<container><rootfiles><rootfile full-path="book/b.opf"/></rootfiles></container>',
  },
  {
    name: 'book/b.opf',
    content:
      '<package><manifest><item id="two" href="2.html"/><item id="one" href="1.html"/></manifest>' +
      '<spine><itemref idref="one"/><itemref idref="two"/></spine></package>',
  },
  {
    name: 'book/1.html',
    content: '<html><body><h2>Opening hours</h2><p>The café opens at nine.</p></body></html>',
  },
  {
    name: 'book/2.html',
    content: '<html><body><h2>Second chapter</h2><p>It closes at six.</p></body></html>',
  },
];

const RTF =
  '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}}' +
  '{\\stylesheet{\\s2 heading 2;}}' +
  "{\\*\\generator none}\\pard\\s2 Opening hours\\par\\pard The caf\\'e9 opens {\\b at} nine.\\par " +
  "{\\f1\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2} \\u20320?\\par" +
  '\\trowd\\trhdr\\pard\\intbl Day\\cell Hours\\cell\\row' +
  '\\trowd\\pard\\intbl Monday\\cell nine to six\\cell\\row\\pard}';

/** A PDF of these pages, each with lines of `size` and text `leading` points apart, in the standard font Helvetica. */
export function pdfOf(pages: { size: number; text: string }[][], leading = 40): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  const kids: string[] = [];
  for (const lines of pages) {
    const drawn = lines
      .map(({ size, text }, i) => `BT /F1 ${size} Tf 72 ${720 - leading * i} Td (${text}) Tj ET`)
      .join('\n');
    objects.push(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`);
    const content = objects.length;
    objects.push(
      '<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> ' +
        `/MediaBox [0 0 612 792] /Contents ${content} 0 R >>`,
    );
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`;
  return writePdf(objects);
}

/** A PDF of these objects, the first of them the catalog. */
export function writePdf(objects: string[]): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${table}` +
      `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}

const PDF_PAGES = [
  [
    { size: 20, text: 'Opening hours' },
    { size: 10, text: 'The caf\\351 opens at nine, and at ten on Sundays.' },
  ],
  [],
  [{ size: 10, text: 'It closes at six.' }],
];

/** The files by their names; each holds "The café opens at nine". */
export const madeFiles = (): Record<string, Buffer> => ({
  'a.docx': writeZip(docxOf(DOCX_BODY)),
  'a.pptx': writeZip(pptxEntries()),
  'a.xlsx': writeZip(xlsxOf(XLSX_ROWS)),
  'a.odt': odf('text', ODT_BODY),
  'a.odp': odf(
    'presentation',
    '<office:presentation><draw:page><text:p>The café opens at nine.</text:p></draw:page><draw:page>' +
      '<text:p>Second slide</text:p></draw:page></office:presentation>',
  ),
  'a.ods': odf(
    'spreadsheet',
    `<office:spreadsheet>${ODF_TABLE.replace('Monday', 'The café opens at nine.')}</office:spreadsheet>`,
  ),
  'a.epub': writeZip(epubEntries()),
  'a.rtf': Buffer.from(RTF, 'latin1'),
  'a.pdf': pdfOf(PDF_PAGES),
  'a.html': Buffer.from(
    '<html><body><h2>Opening hours</h2><p>The caf&eacute; opens at nine.</p><table><tr>' +
      '<th>Day<th>Hours<tr><td>Monday<td>nine to six</table></body></html>',
  ),
  'a.xml': Buffer.from(
    '<?xml version="1.0"?><shop><hours name="summer"><note>The café <b>opens</b> at nine.</note>' +
      '</hours><item><name>Tea</name></item></shop>',
  ),
  'a.json': Buffer.from(
    '{"hours": {"note": "The café opens at nine.", "days": ["Monday", "Tuesday"]}, "open": true}',
  ),
  'a.csv': Buffer.from('Day;Note\nMonday;"The café opens at nine.\nOr later; ""perhaps"""\n'),
  'a.md': Buffer.from(
    '## Opening hours\n\nThe café opens at nine.\n\n| Day | Hours |\n|---|---|\n| Monday | nine to six |\n',
  ),
  'a.txt': Buffer.from('The café opens at nine.'),
});
