/** What the reader of an OpenDocument text or presentation sees is its text, in the reader's order. */
import { describe, expect, it, test } from 'vitest';
import type { ExtractedFile } from '../../../extracted-file.ts';
import { type OdfParts, odfOf, paragraph as p } from '../../../testing/odf-files.ts';
import { extractOdfDocument } from './odf-document.ts';

const readText = (parts: OdfParts | string): Promise<ExtractedFile> =>
  extractOdfDocument(odfOf('text', typeof parts === 'string' ? { body: parts } : parts), 'odt');
const readSlides = (parts: OdfParts): Promise<ExtractedFile> =>
  extractOdfDocument(odfOf('presentation', parts), 'odp');
const textOf = async (parts: OdfParts | string): Promise<string> => (await readText(parts)).extracted.text;

const master = (content: string, attributes = 'style:name="Standard"') =>
  `<style:master-page ${attributes}>${content}</style:master-page>`;
const masters = (...pages: string[]) => `<office:master-styles>${pages.join('')}</office:master-styles>`;

test('notes and comments stand apart from their sentences, headers and footers after the text', async () => {
  const note =
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>' +
    '<text:p>Except in heavy rain.</text:p></text:note-body></text:note>';
  const comment =
    '<office:annotation><dc:creator>Ulla Berg</dc:creator><dc:date>2024-05-01T10:00:00</dc:date>' +
    '<text:p>Use pine needles.</text:p></office:annotation>';
  const body =
    '<text:h text:outline-level="1">Beekeeping</text:h>' +
    p(`Hives are inspected${note} every week.`) +
    p(`Smoke${comment} calms the bees<text:s text:c="3"/>and<text:tab/>is<text:line-break/>cheap.`) +
    p('See <text:a>the guide</text:a> on page <text:page-number>4</text:page-number>.');
  const styles = masters(
    master(
      `<style:header>${p('Association of the valley, member copy')}</style:header>` +
        `<style:header-left>${p('Association of the valley, member copy')}</style:header-left>` +
        `<style:header-first style:display="false">${p('Not shown')}</style:header-first>` +
        `<style:footer>${p('Emergency vet: 555-0177, page <text:page-number>1</text:page-number>')}</style:footer>`,
    ),
    master(`<style:header>${p('Of no page')}</style:header>`, 'style:name="Envelope"'),
  );
  expect(await textOf({ body, styles })).toBe(
    'Beekeeping\n\nHives are inspected every week.\n\n1 Except in heavy rain.\n\n' +
      'Smoke calms the bees and is\ncheap.\n\nUlla Berg, 2024-05-01: Use pine needles.\n\n' +
      'See the guide on page 4.\n\nAssociation of the valley, member copy\n\nEmergency vet: 555-0177, page',
  );
});

test('the headers of all pages are read that the document has', async () => {
  const styles = masters(
    master(
      '<style:header><text:p>First</text:p></style:header>',
      'style:name="One" style:next-style-name="Two"',
    ),
    master('<style:header><text:p>Others</text:p></style:header>', 'style:name="Two"'),
    master('<style:header><text:p>Annex</text:p></style:header>', 'style:name="Three"'),
    master('<style:header><text:p>Unused</text:p></style:header>', 'style:name="Four"'),
  );
  const automatic = '<style:style style:name="P1" style:family="paragraph" style:master-page-name="Three"/>';
  const body = `${p('a')}<text:p text:style-name="P1">b</text:p>`;
  expect(await textOf({ body, automatic, styles })).toBe('a\n\nb\n\nFirst\n\nOthers\n\nAnnex');
});

const TEXT_STYLES =
  '<style:style style:name="T1" style:family="text">' +
  '<style:text-properties style:text-position="super 58%"/></style:style>' +
  '<style:style style:name="T2" style:family="text" style:parent-style-name="T1"/>' +
  '<style:style style:name="T3" style:family="text">' +
  '<style:text-properties style:text-position="-33% 58%"/></style:style>' +
  '<style:style style:name="T4" style:family="text"><style:text-properties text:display="none"/></style:style>' +
  '<style:style style:name="T5" style:family="text">' +
  '<style:text-properties style:text-position="0% 100%"/></style:style>' +
  '<style:style style:name="P4" style:family="paragraph"><style:text-properties text:display="none"/></style:style>';
const FONTS =
  '<style:font-face style:name="Symbol1" svg:font-family="Symbol"/>' +
  '<style:font-face style:name="W" svg:font-family="&apos;Wingdings 2&apos;"/>';
const SYMBOL_STYLES =
  '<style:style style:name="S1" style:family="text"><style:text-properties style:font-name="Symbol1"/></style:style>' +
  '<style:style style:name="S2" style:family="text"><style:text-properties style:font-name="W"/></style:style>' +
  '<style:style style:name="S3" style:family="text"><style:text-properties fo:font-family="Arial"/></style:style>';
const span = (style: string, content: string) =>
  `<text:span text:style-name="${style}">${content}</text:span>`;

test.each([
  [`membership${span('T1', '3')} costs`, 'membership [3] costs'],
  [`the glaze${span('T1', '1')}${span('T2', '2')} and`, 'the glaze [12] and'],
  [`10${span('T1', '3')}, 40 m${span('T2', '2')}`, '10^3, 40 m²'],
  [`H${span('T3', '2')}O`, 'H2O'],
  [`a${span('T4', 'hidden')}b`, 'ab'],
  [`word${span('T1', `a${span('T5', 'b')}`)}`, 'word [a]b'],
  ['<text:hidden-text text:is-hidden="true">x</text:hidden-text>a', 'a'],
  ['a<text:hidden-paragraph text:is-hidden="true"/>b', 'a'],
  ['a<text:variable-set text:display="none">x</text:variable-set>b', 'ab'],
  ['<text:conditional-text>shown</text:conditional-text>', 'shown'],
  [
    '<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>',
    '東京',
  ],
  [
    '[<text:bibliography-mark>Solr</text:bibliography-mark>], <text:drop-down>' +
      '<text:label text:value="x"/>chosen</text:drop-down>',
    '[Solr], chosen',
  ],
  ['a<text:script>run()</text:script><text:soft-page-break/>b', 'ab'],
  ['of <text:page-number>&lt;number&gt;</text:page-number>pages', 'of pages'],
])('%s', async (content, text) => {
  expect(await textOf({ body: p(content), automatic: TEXT_STYLES })).toBe(text);
});

test('characters of symbol fonts are those that the font shows', async () => {
  const body = p(`180${span('S1', '\uf0b0C \uf061')}, ${span('S2', `\uf052 done${span('S3', '!')}`)}`);
  expect(await textOf({ body, automatic: SYMBOL_STYLES, fonts: FONTS })).toBe('180°C α, ☑ done!');
});

test('what is hidden or deleted is not text, and hidden text has a warning', async () => {
  const body =
    '<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>X</dc:creator>' +
    '</office:change-info><text:p>The deleted queen.</text:p></text:deletion></text:changed-region>' +
    '</text:tracked-changes>' +
    '<text:section text:display="none"><text:p>hidden</text:p></text:section>' +
    '<text:section text:display="condition" text:is-hidden="true"><text:p>hidden</text:p></text:section>' +
    `<text:p text:style-name="P4">hidden</text:p>${p('shown')}`;
  const { extracted, warnings } = await readText({ body, automatic: TEXT_STYLES });
  expect(extracted.text).toBe('shown');
  expect(warnings).toEqual([{ code: 'PARTS_NOT_READ', message: 'Hidden text was left out.' }]);
});

test('a part of a hidden paragraph may be shown', async () => {
  const automatic =
    `${TEXT_STYLES}<style:style style:name="Shown" style:family="text">` +
    `<style:text-properties text:display="true"/></style:style>`;
  const note = '<text:note><text:note-body><text:p>hidden note</text:p></text:note-body></text:note>';
  const body =
    `<text:p text:style-name="P4">hidden${note}${span('Shown', 'The commission')} hidden</text:p>` +
    `${p('has met.')}`;
  expect(await textOf({ body, automatic })).toBe('The commission\n\nhas met.');
});

describe('frames', () => {
  const frame = (content: string) => `<draw:frame>${content}</draw:frame>`;
  const box = (content: string) => frame(`<draw:text-box>${content}</draw:text-box>`);

  it.each([
    [`Ventila${box(p('A box.') + p('Two.'))}tion`, 'Ventilation\n\nA box.\n\nTwo.'],
    [`a${frame('<draw:image><office:binary-data>aGVsbG8=</office:binary-data></draw:image>')}b`, 'ab'],
    [`a${frame('<draw:image/><svg:title>A map</svg:title><svg:desc>A map</svg:desc>')}b`, 'ab\n\nA map'],
    [`a<draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape>b`, 'ab\n\nIn a shape'],
    [`a${box(p(`b${box(p('c'))}d`))}e`, 'ae\n\nbd\n\nc'],
  ])('%s', async (content, text) => expect(await textOf(p(content))).toBe(text));

  it('hold the values of charts as tables', async () => {
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const chart =
      '<office:document-content><office:body><office:chart><chart:chart>' +
      '<chart:title><text:p>Visitors</text:p></chart:title>' +
      '<table:table table:name="local-table"><table:table-header-rows><table:table-row>' +
      '<table:table-cell><text:p/></table:table-cell>' +
      `${cell('Adults<draw:g><svg:desc>Sheet1.B1</svg:desc></draw:g>')}${cell('Children')}</table:table-row>` +
      `</table:table-header-rows>` +
      `<table:table-row>${cell('May')}${cell('120')}${cell('45')}</table:table-row>` +
      `<table:table-row>${cell('June')}<table:table-cell office:value-type="float" office:value="NaN">` +
      `<text:p>NaN</text:p></table:table-cell>${cell('50')}</table:table-row></table:table>` +
      '</chart:chart></office:chart></office:body></office:document-content>';
    const object = frame(
      '<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>',
    );
    const { extracted, warnings } = await readText({
      body: p(`a${object}b${object}`),
      more: [{ name: 'Object 1/content.xml', content: chart }],
    });
    expect(extracted.text).toBe('ab\n\nVisitors\n\n| Adults | Children\nMay | 120 | 45\nJune |  | 50');
    expect(warnings).toEqual([]);
  });

  it('hold charts, whose series name their cells', async () => {
    const cell = (text: string, value = '') =>
      `<table:table-cell ${value && `office:value-type="float" office:value="${value}"`}>` +
      `<text:p>${text}</text:p></table:table-cell>`;
    const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
    const range = (name: string, cells: string) => `${name}="local-table.${cells}"`;
    const chart = (axis: string, series: string, rows: string) =>
      '<office:document><office:automatic-styles><number:date-style style:name="N1"><number:day/>' +
      '<number:text>.</number:text><number:month/><number:text>.</number:text></number:date-style>' +
      '<number:percentage-style style:name="N2"><number:number number:decimal-places="0"/>' +
      '<number:text>%</number:text></number:percentage-style>' +
      '<style:style style:name="ch1" style:family="chart" style:data-style-name="N1"/>' +
      '<style:style style:name="ch2" style:family="chart" style:data-style-name="N2">' +
      '<style:chart-properties chart:link-data-style-to-source="false"/></style:style>' +
      '</office:automatic-styles><office:body><office:chart><chart:chart chart:class="chart:line">' +
      '<chart:title><text:p>Rain</text:p></chart:title><chart:plot-area>' +
      `${axis}${series}</chart:plot-area><table:table table:name="local-table">` +
      `<table:table-rows>${rows}</table:table-rows></table:table></chart:chart></office:chart>` +
      `</office:body></office:document>`;
    const dates = chart(
      `<chart:axis chart:dimension="x" chart:style-name="ch1"><chart:title><text:p>Day</text:p>` +
        `</chart:title><chart:categories ${range('table:cell-range-address', '$A$2:.$A$3')}/>` +
        `</chart:axis>`,
      `<chart:series chart:style-name="ch2" ${range('chart:values-cell-range-address', '$B$2:.$B$3')} ` +
        `${range('chart:label-cell-address', '$B$1')}/>`,
      row(cell(''), cell('Share')) +
        row(cell('47914', '47914'), cell('0.25', '0.25')) +
        row(cell('47915', '47915'), cell('NaN', 'NaN')),
    );
    const bubbles = chart(
      '<chart:axis chart:dimension="x"/>',
      `<chart:series ${range('chart:values-cell-range-address', '$C$2:.$C$2')} ` +
        `${range('chart:label-cell-address', '$C$1')}>` +
        `<chart:domain ${range('table:cell-range-address', '$A$2:.$A$2')}/>` +
        `<chart:domain ${range('table:cell-range-address', '$B$2:.$B$2')}/></chart:series>`,
      row(cell(''), cell(''), cell('Towns')) + row(cell('2', '2'), cell('1', '1'), cell('30', '30')),
    );
    const body =
      p(frame('<draw:object xlink:href="./Object 1"/>')) + p(frame(`<draw:object>${bubbles}</draw:object>`));
    expect(await textOf({ body, more: [{ name: 'Object 1/content.xml', content: dates }] })).toBe(
      'Rain\n\nDay | Share\n7.3. | 25%\n8.3.\n\nRain\n\n| Towns | Towns (size)\n1 | 2 | 30',
    );
  });

  it('hold equations, which stand in their sentences', async () => {
    const math = (content: string) =>
      `<math><semantics><mrow>${content}</mrow>` +
      `<annotation encoding="StarMath 5.0">x over y</annotation></semantics></math>`;
    const fraction = math(
      '<mi>u</mi><mo>=</mo><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>',
    );
    const body =
      p(
        `The share ${frame('<draw:object xlink:href="./Object 1"/><draw:image/><svg:desc>formula</svg:desc>')} is ` +
          `paid.`,
      ) + p(`Or ${frame(`<draw:object>${math('<msup><mi>x</mi><mn>2</mn></msup>')}</draw:object>`)}.`);
    const more = [{ name: 'Object 1/content.xml', content: fraction }];
    expect(await textOf({ body, more })).toBe('The share u=a/(b+1) is paid.\n\nOr x^2.');
  });

  it('name objects that are not read in a warning', async () => {
    const body = p(
      `a${frame('<draw:object-ole xlink:href="./Object 1"/>')}${frame('<draw:object xlink:href="./Object 2"/>')}`,
    );
    const { warnings } = await readText(body);
    expect(warnings).toEqual([
      {
        code: 'PARTS_NOT_READ',
        message:
          '2 embedded objects were not read: Object 1 (of an unknown program), Object 2 (of an unknown program).',
      },
    ]);
  });
});

test('controls of forms show their labels and values', async () => {
  const body =
    '<office:forms><form:form><form:text xml:id="c1" form:label="Name" form:current-value="Ann Lee"/>' +
    '<form:checkbox form:id="c2" form:label="Vegetarian" form:value="1" form:current-state="checked"/>' +
    '<form:listbox form:id="c3"><form:option form:label="Red"/>' +
    '<form:option form:label="Blue" form:selected="true"/></form:listbox>' +
    '<form:password form:id="c4" form:current-value="secret"/></form:form></office:forms>' +
    `${p('Guest: <draw:control draw:control="c1"/>')}${p('<draw:control draw:control="c2"/>')}` +
    `${p('Colour<draw:control draw:control="c3"/><draw:control draw:control="c4"/>')}`;
  expect(await textOf(body)).toBe('Guest: Name Ann Lee\n\n☒ Vegetarian\n\nColour Blue');
});

describe('presentations', () => {
  const shape = (role: string, text: string) =>
    `<draw:frame presentation:class="${role}"><draw:text-box>${p(text)}</draw:text-box></draw:frame>`;

  it('have what stands on every slide once', async () => {
    const body =
      '<presentation:footer-decl presentation:name="f1">Members only</presentation:footer-decl>' +
      `<draw:page draw:master-page-name="M">${shape('title', 'Hives')}${shape('outline', 'Two rooms')}` +
      `${shape('footer', 'Draft')}${shape('page-number', '1')}` +
      `<presentation:notes>${shape('notes', 'Say hello')}${shape('header', 'Handout')}</presentation:notes>` +
      `</draw:page>` +
      `<draw:page draw:master-page-name="M" presentation:use-footer-name="f1">${shape('title', 'Smoke')}` +
      `${shape('footer', 'Draft')}</draw:page>`;
    const styles = masters(
      master(
        `${shape('title', 'Click to edit')}${shape('footer', 'Valley association')}${shape('date-time', '1 May')}` +
          `<draw:custom-shape><text:p>bees.example</text:p></draw:custom-shape>` +
          `<presentation:notes>${p('No')}</presentation:notes>`,
        'style:name="M"',
      ),
      master(shape('footer', 'Unused'), 'style:name="N"'),
    );
    const { extracted, pageCount } = await readSlides({ body, styles });
    expect(pageCount).toBe(2);
    expect(extracted.text).toBe(
      'Hives\n\nTwo rooms\n\nSay hello\n\nSmoke\n\nDraft\n\nMembers only\n\nValley association\n\nbees.example',
    );
    expect(extracted.headings.map(({ text }) => text)).toEqual(['Hives', 'Smoke']);
  });
});

test('a flat file is read as an archive is', async () => {
  const flat =
    '<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text">' +
    '<office:meta><dc:title>Meta</dc:title></office:meta><office:styles><text:outline-style>' +
    '<text:outline-level-style text:level="1" style:num-format="1"/></text:outline-style></office:styles>' +
    `${masters(master('<style:header><text:p>Head</text:p></style:header>'))}` +
    `<office:body><office:text><text:h text:outline-level="1">One</text:h>${p('Two')}</office:text>` +
    `</office:body></office:document>`;
  const { extracted } = await extractOdfDocument(Buffer.from(flat), 'odt');
  expect(extracted.text).toBe('1 One\n\nTwo\n\nHead');
});

test('code keeps its white space, by the style of its paragraphs', async () => {
  const style = (name: string, parent: string) =>
    `<style:style style:name="${name}" style:family="paragraph" style:parent-style-name="${parent}"/>`;
  const automatic = `${style('P1', 'Preformatted_20_Text')}${style('P2', 'P1')}`;
  const line = (text: string, name: string) => `<text:p text:style-name="${name}">${text}</text:p>`;
  const body =
    line('if a:', 'P1') +
    line('<text:s text:c="4"/>return<text:tab/>b', 'P2') +
    line('<text:s text:c="4"/>As ever', 'P3');
  expect(await textOf({ body, automatic })).toBe('if a:\n\n    return\tb\n\nAs ever');
});

test.each(['-1', '-Infinity', '1e99', 'x'])('blanks that count %s of them are some', async (count) => {
  const body = `<text:p>One<text:s text:c="${count}"/>two</text:p>`;
  expect(await textOf({ body })).toBe('One two');
});
