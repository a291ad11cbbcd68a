/** Office files take linear time and bounded memory, whatever their parts repeat or nest. */
import { expect, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { extractFile } from '../extract.ts';
import { NESTING_MAX } from '../extraction-limits.ts';
import { type PartFile, presentationFile, shape, wordFile } from '../testing/office-files.ts';

/** A part of 2 MB; a quadratic function takes minutes for it. */
const LENGTH = 2_000_000;
const LINEAR_MAX_MS = 20_000;

const many = (unit: string, length = LENGTH) => unit.repeat(length / unit.length);
/** Elements nested as deep as a file may, with a text in each. */
const nested = (start: string, end: string, inner = 'x', depth = NESTING_MAX / 4) =>
  start.repeat(depth) + inner + end.repeat(depth);

const part = (name: string, type: string, content: string): PartFile => ({ name, type, content });
const equation = (inner: string) => `<w:p><m:oMath>${inner}</m:oMath></w:p>`;
const drawing = (id: string) => `<w:p><w:r><w:drawing><c:chart r:id="${id}"/></w:drawing></w:r></w:p>`;
const chart = (series: string) =>
  part(
    'c.xml',
    'chart',
    `<c:chartSpace><c:chart><c:plotArea>${series}</c:plotArea></c:chart></c:chartSpace>`,
  );
const sparse = Array.from(
  { length: 20_000 },
  (_, i) => `<c:ser><c:val><c:numLit><c:pt idx="${i}"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser>`,
).join('');
const categories =
  `<c:ser><c:cat>` +
  `<c:multiLvlStrCache>${many('<c:lvl><c:pt idx="1"><c:v>a</c:v></c:pt></c:lvl>')}</c:multiLvlStrCache>` +
  `</c:cat></c:ser>`;
const numbering = part(
  'n.xml',
  'numbering',
  '<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText w:val="' +
    `${'%1'.repeat(100_000)}"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/>` +
    `</w:num></w:numbering>`,
);
const numbered = '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:p>';
const notes = (inner: string) => part('f.xml', 'footnotes', `<w:footnotes>${inner}</w:footnotes>`);
const reference = (id: number) => `<w:p><w:r><w:footnoteReference w:id="${id}"/></w:r></w:p>`;
const chained = Array.from(
  { length: 20_000 },
  (_, i) => `<w:footnote w:id="${i}">${reference(i + 1)}</w:footnote>`,
);
const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;

test.each<[string, () => Buffer]>([
  ['paragraphs', () => wordFile(many('<w:p><w:r><w:t>a</w:t></w:r></w:p>'))],
  ['runs', () => wordFile(`<w:p>${many('<w:r><w:t>a</w:t></w:r>')}</w:p>`)],
  [
    'superscripts',
    () =>
      wordFile(
        `<w:p>${many('<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>a</w:t></w:r>')}</w:p>`,
      ),
  ],
  [
    'text boxes',
    () =>
      wordFile(
        `<w:p>${many(
          '<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>a</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>',
        )}</w:p>`,
      ),
  ],
  [
    'text boxes in each other',
    () =>
      wordFile(
        `<w:p>${many(nested('<w:txbxContent><w:p><w:r>', '</w:r></w:p></w:txbxContent>', '<w:t>a</w:t>', 300))}</w:p>`,
      ),
  ],
  [
    'alternatives',
    () =>
      wordFile(
        `<w:p><w:r>${many(
          nested('<mc:AlternateContent><mc:Choice>', '</mc:Choice></mc:AlternateContent>', '<w:t>a</w:t>'),
        )}</w:r></w:p>`,
      ),
  ],
  ['fields', () => wordFile(`<w:p>${many(field('begin') + field('separate'))}</w:p>`)],
  ['open fields', () => wordFile(many(`<w:p>${field('begin')}</w:p>`))],
  [
    'merged cells',
    () => wordFile(`<w:tbl>${many('<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc></w:tr>')}</w:tbl>`),
  ],
  [
    'cells',
    () =>
      wordFile(
        `<w:tbl><w:tr>${many('<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p/></w:tc>')}</w:tr></w:tbl>`,
      ),
  ],
  [
    'tables in each other',
    () =>
      wordFile(
        many(nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', '<w:p><w:r><w:t>a</w:t></w:r></w:p>')),
      ),
  ],
  ['empty numbered paragraphs', () => wordFile(many(numbered), numbering)],
  ['notes', () => wordFile(many(reference(1)), notes(many('<w:footnote w:id="1"><w:p/></w:footnote>')))],
  ['notes in each other', () => wordFile(reference(0), notes(chained.join('')))],
  ['equations', () => wordFile(equation(many('<m:r><m:t>x</m:t></m:r>')))],
  [
    'fractions',
    () =>
      wordFile(equation(many(nested('<m:f><m:num>', '</m:num><m:den/></m:f>', '<m:r><m:t>x</m:t></m:r>')))),
  ],
  [
    'scripts',
    () =>
      wordFile(
        equation(
          many(
            nested(
              '<m:sSup><m:e>',
              '</m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>',
              '<m:r><m:t>x</m:t></m:r>',
            ),
          ),
        ),
      ),
  ],
  [
    'roots',
    () =>
      wordFile(equation(many(nested('<m:rad><m:deg>', '</m:deg><m:e/></m:rad>', '<m:r><m:t>x</m:t></m:r>')))),
  ],
  [
    'arrays',
    () =>
      wordFile(equation(many(nested('<m:eqArr><m:e>', '</m:e></m:eqArr>', '<m:r><m:t>&amp;</m:t></m:r>')))),
  ],
  ['one chart many times', () => wordFile(many(drawing('c.xml')), chart(many('<c:ser/>')))],
  ['series without common rows', () => wordFile(drawing('c.xml'), chart(sparse))],
  ['levels of categories', () => wordFile(drawing('c.xml'), chart(categories))],
  ['shapes', () => presentationFile(many(shape('<a:p><a:r><a:t>a</a:t></a:r></a:p>', [1, 1])))],
  [
    'groups',
    () => presentationFile(nested('<p:grpSp>', '</p:grpSp>', shape('<a:p><a:r><a:t>a</a:t></a:r></a:p>'))),
  ],
  [
    'alternatives of shapes',
    () =>
      presentationFile(
        many(nested('<mc:AlternateContent><mc:Choice>', '</mc:Choice></mc:AlternateContent>', '<p:sp/>')),
      ),
  ],
])('%s', async (_name, make) => {
  const bytes = make();
  const usedMs = await usedMsOf(() => extractFile({ fileName: 'a', bytes }));
  expect(usedMs).toBeLessThan(LINEAR_MAX_MS);
});
