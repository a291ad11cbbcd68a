/** Word documents are read as their reader sees them. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import { cell, type PartFile, paragraph, readWord, row, run, wordFile } from '../../testing/office-files.ts';

const read = readWord;
const textOf = async (...from: Parameters<typeof read>) => (await read(...from)).text;

describe('drawings', () => {
  const anchored = (inner: string, description = '') =>
    '<w:r><w:drawing><wp:anchor><wp:positionH><wp:posOffset>2067330</wp:posOffset></wp:positionH>' +
    '<wp:positionV><wp:align>center</wp:align></wp:positionV>' +
    `<wp:docPr id="1" name="Picture 1" descr="${description}"/><wp14:sizeRelH><wp14:pctWidth>0</wp14:pctWidth>` +
    `</wp14:sizeRelH><a:graphic><a:graphicData>${inner}</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>`;
  const textBox = (content: string) =>
    `<wps:wsp><wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx></wps:wsp>`;
  const either = (choice: string, fallback: string) =>
    `<mc:AlternateContent><mc:Choice Requires="wps">${choice}</mc:Choice>` +
    `<mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
  const vml = (content: string) =>
    `<w:pict><v:shape><v:textbox><w:txbxContent>${content}</w:txbxContent></v:textbox></v:shape></w:pict>`;

  it('have no numbers in the text, only the description of a picture', async () => {
    const body = paragraph(anchored('<pic:pic/>', 'A shed') + run('Ventilation keeps the shed dry.'));
    expect(await textOf(body)).toBe('Ventilation keeps the shed dry.\n\nA shed');
    const named = paragraph(anchored('<pic:pic/>', 'C:\\photos\\shed 1.jpg') + run('Lockers stand here.'));
    expect(await textOf(named)).toBe('Lockers stand here.');
  });

  it('have text boxes, which follow the paragraph around them, once', async () => {
    const box = paragraph(run('Mind the step.'));
    const body = paragraph(run('The cellar ') + either(anchored(textBox(box)), vml(box)) + run('is locked.'));
    expect(await textOf(body)).toBe('The cellar is locked.\n\nMind the step.');
    expect(await textOf(paragraph(run('a') + vml(box)))).toBe('a\n\nMind the step.');
    expect(await textOf(paragraph(either(anchored('<ink:ink/>'), vml(box))))).toBe('Mind the step.');
    const table = `<w:tbl>${row([cell('Oak'), cell('12')])}</w:tbl>`;
    const after = paragraph(run('a') + anchored(textBox(table + box)) + run('b'));
    expect(await textOf(after)).toBe('ab\n\nOak | 12\n\nMind the step.');
  });

  const point = (id: string, text: string) =>
    `<dgm:pt modelId="${id}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;

  it('have diagrams, whose text comes in the order of the diagram', async () => {
    const diagram =
      `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${point('2', 'Ask the ombudswoman')}` +
      `${point('1', 'Receive the complaint')}${point('3', 'within ten days')}` +
      '<dgm:pt modelId="4" type="pres"/></dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="2" srcOrd="1"/>' +
      '<dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="2" destId="3" srcOrd="0"/>' +
      '<dgm:cxn type="presOf" srcId="3" destId="4" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>';
    const part = { name: 'word/data1.xml', type: 'diagramData', content: diagram };
    expect(await textOf(paragraph(anchored('<dgm:relIds r:dm="word/data1.xml"/>')), part)).toBe(
      '- Receive the complaint\n- Ask the ombudswoman\n  - within ten days',
    );
  });

  it('have charts, whose values come with category and series', async () => {
    const points = (...values: string[]) =>
      values.map((value, i) => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`).join('');
    const series = (name: string, ...values: string[]) =>
      `<c:ser><c:tx><c:strRef><c:strCache>${points(name)}</c:strCache></c:strRef></c:tx>` +
      `<c:cat><c:strRef><c:strCache>${points('Spring', 'Summer')}</c:strCache></c:strRef></c:cat>` +
      `<c:val><c:numRef><c:numCache>${points(...values)}</c:numCache></c:numRef></c:val></c:ser>`;
    const chart =
      '<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Complaints by quarter</a:t></a:r></a:p>' +
      `</c:rich></c:tx></c:title><c:plotArea><c:barChart>${series('Noise', '318', '742')}` +
      `${series('Smell', '0.30000000000000004')}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
    const part = { name: 'word/chart1.xml', type: 'chart', content: chart };
    const { text, tables } = await read(paragraph(anchored('<c:chart r:id="word/chart1.xml"/>')), part);
    expect(text).toBe('Complaints by quarter\n\n| Noise | Smell\nSpring | 318 | 0.3\nSummer | 742');
    expect(tables.map(({ header }) => header)).toEqual([' | Noise | Smell']);
  });
});

describe('inserted documents', () => {
  const chunk = (name: string, content: string | Uint8Array): PartFile => ({
    ...{ name, content },
    type: 'aFChunk',
  });
  const body = (name: string) =>
    `${paragraph(run('Cover sheet'))}<w:altChunk r:id="${name}"/>${paragraph(run('End'))}`;

  it.each([
    ['word/a.html', '<html><body><h1>Warranty</h1><ul><li>Compressor: ten years</li></ul></body></html>'],
    [
      'word/a.rtf',
      '{\\rtf1{\\stylesheet{\\s1 heading 1;}}\\pard\\s1 Warranty\\par\\pard - Compressor: ten years\\par}',
    ],
    [
      'word/a.mht',
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="x"\r\n\r\n--x\r\n' +
        'Content-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n' +
        '<html><body><h1>Warranty</h1><ul><li>Compressor: ten=20years</li></ul></body></html>\r\n--x--\r\n',
    ],
    ['word/a.txt', '# Warranty\n\n- Compressor: ten years'],
    [
      'word/a.docx',
      wordFile(
        paragraph(run('Warranty'), '<w:outlineLvl w:val="0"/>') +
          paragraph(run('Compressor: ten years'), '<w:numPr/>'),
      ),
    ],
  ])('%s is read in its place', async (name, content) => {
    const { text, headings } = await read(body(name), chunk(name, content));
    expect(text.replace('# ', '')).toBe('Cover sheet\n\nWarranty\n\n- Compressor: ten years\n\nEnd');
    expect(headings.map((heading) => heading.text)).toEqual(['Warranty']);
  });

  it('pass their warnings on', async () => {
    const object = '<w:r><w:object><o:OLEObject ProgID="Package"/></w:object></w:r>';
    const inner = chunk('word/a.docx', wordFile(paragraph(run('Warranty') + object)));
    expect((await read(body('word/a.docx'), inner)).warnings).toEqual([
      '1 embedded object was not read: a file.',
    ]);
  });

  it('that cannot be read cause a warning', async () => {
    const { text, warnings } = await read(
      body('word/a.png'),
      chunk('word/a.png', Buffer.from('\x89PNG', 'latin1')),
    );
    expect(text).toBe('Cover sheet\n\nEnd');
    expect(warnings).toEqual(['1 inserted document was not read: word/a.png.']);
  });
});

describe('characters', () => {
  it('of symbol fonts are those that the reader sees', async () => {
    const symbol = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
    const body = paragraph(
      run('Keep the oven at 180') +
        symbol('Symbol', 'F0B0') +
        run('C and the ') +
        symbol('Symbol', 'F061') +
        run('-testers in the drawer; flow ') +
        symbol('Symbol', 'F0B3') +
        run(' 5 litres. ') +
        symbol('Wingdings', 'F0FE') +
        symbol('Times New Roman', '2713') +
        run('\uf0d7b', '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'),
    );
    expect(await textOf(body)).toBe(
      'Keep the oven at 180°C and the α-testers in the drawer; flow ≥ 5 litres. ☑✓⋅β',
    );
  });

  it('are hyphens and blanks by their elements', async () => {
    const body = paragraph(
      '<w:r><w:t>non</w:t><w:noBreakHyphen/><w:t>stop super</w:t><w:softHyphen/><w:t>market</w:t><w:ptab/>' +
        '<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>',
    );
    expect(await textOf(body)).toBe('non\u2011stop supermarket a b\nc');
  });

  it('that are hidden are left out with a warning', async () => {
    const styles = '<w:styles><w:style w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>';
    const part = { name: 'word/styles.xml', type: 'styles', content: styles };
    const body = paragraph(
      run('a') +
        run(' b', '<w:vanish/>') +
        run(' c', '<w:rStyle w:val="Secret"/>') +
        run(' d', '<w:vanish w:val="0"/>'),
    );
    expect(await read(body, part)).toMatchObject({ text: 'a d', warnings: ['Hidden text was left out.'] });
  });
});

describe('code', () => {
  it('keeps its white space, by the style of its paragraphs or one that this is based on', async () => {
    const styles =
      '<w:styles><w:style w:styleId="C"><w:name w:val="HTML Preformatted"/></w:style>' +
      '<w:style w:styleId="D"><w:name w:val="Ours"/><w:basedOn w:val="C"/></w:style></w:styles>';
    const line = (text: string, style: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
    const body = line('if  a:', 'C') + line('    return  b', 'D') + line('   As  ever', 'E');
    const part = { name: 'word/styles.xml', type: 'styles', content: styles };
    expect((await read(body, part)).text).toBe('if  a:\n\n    return  b\n\nAs ever');
  });
});

describe('superscripts', () => {
  const raised = '<w:vertAlign w:val="superscript"/>';

  it('stay apart from their words, also by a style and over several runs', async () => {
    const styles =
      '<w:styles><w:style w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>';
    const body = paragraph(
      run('The membership') +
        run('1', raised) +
        run('2', raised) +
        run(' costs forty euros') +
        run('a', '<w:rStyle w:val="Up"/>') +
        run(' for 40 m') +
        run('2', raised) +
        run(' or euros') +
        run('b', '<w:position w:val="8"/><w:sz w:val="19"/>') +
        run(' of H') +
        run('2', '<w:vertAlign w:val="subscript"/>') +
        run('O.'),
    );
    expect(await textOf(body, { name: 'word/styles.xml', type: 'styles', content: styles })).toBe(
      'The membership [12] costs forty euros [a] for 40 m² or euros [b] of H2O.',
    );
  });
});

describe('notes and comments', () => {
  const reference = (kind: string, id: number) =>
    `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:${kind}Reference w:id="${id}"/></w:r>`;
  const noteOf = (kind: string, id: number, text: string) =>
    `<w:${kind} w:id="${id}" w:author="Ulla" w:date="2024-05-01T10:00:00Z">` +
    `${paragraph(`<w:r><w:footnoteRef/></w:r>${run(text)}`)}</w:${kind}>`;
  const notes = (kind: string, ...texts: string[]): PartFile => ({
    name: `word/${kind}s.xml`,
    type: `${kind}s`,
    content:
      `<w:notes><w:${kind} w:type="separator" w:id="-1">${paragraph(run('---'))}</w:${kind}>` +
      `${texts.map((text, i) => noteOf(kind, i + 1, text)).join('')}</w:notes>`,
  });

  it('follow the paragraph that refers to them', async () => {
    const body =
      paragraph(run('Hives are inspected') + reference('footnote', 2) + run(' every week.')) +
      paragraph(
        run('Smoke') + reference('comment', 1) + run(' calms') + reference('endnote', 1) + run(' bees.'),
      );
    const parts = [
      notes('footnote', 'Unused.', 'Except in rain.'),
      notes('endnote', 'See page 4.'),
      notes('comment', 'Really?'),
    ];
    expect(await textOf(body, ...parts)).toBe(
      'Hives are inspected every week.\n\n1 Except in rain.\n\nSmoke calms bees.\n\nUlla, 2024-05-01: Really?\n\n' +
        'i See page 4.\n\nUlla, 2024-05-01: Unused.',
    );
  });
});

describe('fields and controls', () => {
  const mark = (type: string, inner = '') =>
    `<w:r><w:fldChar w:fldCharType="${type}">${inner}</w:fldChar></w:r>`;
  const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;

  it('show their results', async () => {
    const nested =
      mark('begin') +
      code('IF ') +
      mark('begin') +
      code('DOCPROPERTY x') +
      mark('separate') +
      run('hidden') +
      mark('end') +
      code(' = 1') +
      mark('separate') +
      run('shown') +
      mark('end');
    const check =
      mark('begin', '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>') +
      code('FORMCHECKBOX') +
      mark('end');
    const choice =
      mark(
        'begin',
        '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="tea"/>' +
          '<w:listEntry w:val="coffee"/></w:ddList></w:ffData>',
      ) +
      code('FORMDROPDOWN') +
      mark('end');
    const symbol = mark('begin') + code('SYMBOL 176 \\f "Symbol"') + mark('end');
    const control =
      '<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="red"/></w:dropDownList></w:sdtPr>' +
      `<w:sdtContent>${run(' blue')}</w:sdtContent></w:sdt>`;
    expect(
      await textOf(paragraph(nested + run(' ') + check + run(' ') + choice + run(' 20') + symbol + control)),
    ).toBe('shown ☒ coffee 20° blue');
    expect(await textOf(paragraph(mark('begin') + code('IF')) + paragraph(run('kept')))).toBe('kept');
  });

  it('in headers have no page numbers, and equal headers come once', async () => {
    const header = (name: string, type = 'header'): PartFile => ({
      name,
      type,
      content: `<w:hdr>${paragraph(
        [
          run('Page '),
          mark('begin'),
          code('PAGE'),
          mark('separate'),
          run('7'),
          mark('end'),
          run(' of the annex'),
        ].join(''),
      )}</w:hdr>`,
    });
    const body = paragraph(
      run('See page ') + mark('begin') + code('PAGE') + mark('separate') + run('4') + mark('end'),
    );
    expect(await textOf(body, header('word/h1.xml'), header('word/h2.xml'))).toBe(
      'See page 4\n\nPage of the annex',
    );
  });
});

test('embedded objects are named in a warning', async () => {
  const object = (program: string) => `<w:r><w:object><o:OLEObject ProgID="${program}"/></w:object></w:r>`;
  const { warnings } = await read(
    paragraph(run('a') + object('Excel.Sheet.12') + object('AcroExch.Document')),
  );
  expect(warnings).toEqual(['2 embedded objects were not read: an Excel workbook, a PDF file.']);
});

test('subdocuments are files of their own, of which a warning says that they are missing', async () => {
  const { warnings } = await read(`${paragraph(run('Part one'))}<w:subDoc r:id="a"/><w:subDoc r:id="b"/>`);
  expect(warnings).toEqual(['2 inserted documents were not read: a subdocument, a subdocument.']);
});

test('a large first letter is part of its word', async () => {
  const body = paragraph(run('T'), '<w:framePr w:dropCap="drop" w:lines="3"/>') + paragraph(run('he cellar'));
  expect((await read(body)).text).toBe('The cellar');
});

test('changes are shown as accepted', async () => {
  const body =
    paragraph(
      `${run('a')}<w:ins>${run(' new')}</w:ins><w:del><w:r><w:delText> old</w:delText></w:r></w:del>`,
    ) + paragraph(run('b'), '<w:numPr/><w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>');
  expect(await read(body)).toMatchObject({ text: 'a new\n\n- b', headings: [] });
});

describe('files that are one XML document', () => {
  const fileText = async (xml: string) => {
    const extraction = await extractFile({ fileName: 'a.xml', bytes: Buffer.from(xml) });
    return 'failure' in extraction
      ? extraction.failure.message
      : [extraction.type, extraction.extracted.text];
  };
  const prolog = (program: string) => `<?xml version="1.0"?><?mso-application progid="${program}"?>`;
  const part = (name: string, content: string) =>
    `<pkg:part pkg:name="${name}"><pkg:xmlData>${content}</pkg:xmlData></pkg:part>`;

  it('are read as packages', async () => {
    const body = `<w:document><w:body>${paragraph(run('The lake'))}<w:altChunk r:id="c"/></w:body></w:document>`;
    const relationships =
      '<Relationships><Relationship Id="c" Type="/aFChunk" Target="a.html"/></Relationships>';
    const html = Buffer.from('<html><body><p>is frozen.</p></body></html>').toString('base64');
    const flat =
      `${prolog('Word.Document')}<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">` +
      `${part('/word/document.xml', body)}${part('/word/_rels/document.xml.rels', relationships)}` +
      `<pkg:part pkg:name="/word/a.html"><pkg:binaryData>${html}</pkg:binaryData></pkg:part></pkg:package>`;
    expect(await fileText(flat)).toEqual(['docx', 'The lake\n\nis frozen.']);
  });

  it('are read as Word 2003 wrote them', async () => {
    const annotation = (type: string, content: string) =>
      `<aml:annotation w:type="Word.${type}" aml:author="Ulla">${content}</aml:annotation>`;
    const style = '<w:style w:styleId="a"><w:name w:val="heading 1"/></w:style>';
    const listed = '<w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="1"/><wx:t wx:val="2.1"/></w:listPr>';
    const comment = `<aml:content>${paragraph(run('Why?'))}</aml:content>`;
    const note = `<w:r><w:footnote>${paragraph(run('In March.'))}</w:footnote></w:r>`;
    const file =
      `${prolog('Word.Document')}<w:wordDocument xmlns:w="x"><o:Title>No</o:Title>` +
      `<w:styles>${style}</w:styles><w:body>` +
      `${paragraph(run('Ice'), '<w:pStyle w:val="a"/>')}` +
      `${paragraph(run('The lake') + note + run(' is frozen.'), listed)}` +
      paragraph(annotation('Deletion', run('old')) + run('new') + annotation('Comment', comment)) +
      `<w:sectPr><w:hdr>${paragraph(run('Lake club'))}</w:hdr></w:sectPr></w:body></w:wordDocument>`;
    expect(await fileText(file)).toEqual([
      'docx',
      'Ice\n\n2.1 The lake is frozen.\n\nIn March.\n\nnew\n\nUlla: Why?\n\nLake club',
    ]);
  });
});
