/** Word documents are read as their reader sees them. */
import { describe, expect, it, test } from 'vitest';
import { splitPassages } from '../../../indexing/split/passages.ts';
import { extractFile } from '../../extract.ts';
import { cell, type PartFile, paragraph, row, run, wordFile } from '../../testing/office-files.ts';

async function read(body: string, ...parts: PartFile[]) {
  const extraction = await extractFile({ fileName: 'a.docx', bytes: wordFile(body, ...parts) });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return { ...extraction.extracted, warnings: extraction.warnings.map(({ message }) => message) };
}
const textOf = async (body: string, ...parts: PartFile[]) => (await read(body, ...parts)).text;

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
        run(' of H') +
        run('2', '<w:vertAlign w:val="subscript"/>') +
        run('O.'),
    );
    expect(await textOf(body, { name: 'word/styles.xml', type: 'styles', content: styles })).toBe(
      'The membership [12] costs forty euros [a] for 40 m² of H2O.',
    );
  });
});

describe('notes and comments', () => {
  const reference = (kind: string, id: number) =>
    `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:${kind}Reference w:id="${id}"/></w:r>`;
  const notes = (kind: string, ...texts: string[]): PartFile => ({
    name: `word/${kind}s.xml`,
    type: `${kind}s`,
    content:
      `<w:notes><w:${kind} w:type="separator" w:id="-1">${paragraph(run('---'))}</w:${kind}>` +
      `${texts.map((text, i) => `<w:${kind} w:id="${i + 1}" w:author="Ulla" w:date="2024-05-01T10:00:00Z">${paragraph(`<w:r><w:footnoteRef/></w:r>${run(text)}`)}</w:${kind}>`).join('')}</w:notes>`,
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

describe('equations', () => {
  const m = (name: string, ...children: string[]) => `<m:${name}>${children.join('')}</m:${name}>`;
  const r = (text: string) => m('r', m('t', text));
  const property = (name: string, ...values: string[]) =>
    `<m:${name}Pr>${values.map((value) => `<m:${value}/>`).join('')}</m:${name}Pr>`;
  const e = (...children: string[]) => m('e', ...children);
  const fraction = (above: string, below: string) => m('f', m('num', above), m('den', below));
  const power = (base: string, exponent: string) => m('sSup', e(base), m('sup', exponent));
  const index = (base: string, sub: string) => m('sSub', e(base), m('sub', sub));

  it.each([
    [
      'a fraction',
      r('u=') + fraction(r('hours worked'), r('hours available')),
      'u=(hours worked)/(hours available)',
    ],
    [
      'powers and indices',
      r('K=') + index(r('K'), r('0')) + power(m('d', e(r('1+') + fraction(r('p'), r('100')))), r('n')),
      'K=K_0(1+p/100)^n',
    ],
    ['numbers apart', r('2') + fraction(r('1'), r('2')) + r('h'), '2 1/2 h'],
    ['letters as typed', r('𝐸=𝑚') + power(r('𝑐'), r('2')), 'E=mc^2'],
    [
      'scripts of several parts',
      index(r('x'), r('i+1')) + r('y') + power(r('e'), r('-kt')),
      'x_(i+1)ye^(-kt)',
    ],
    [
      'roots',
      m('rad', property('rad', 'degHide m:val="1"'), m('deg'), e(r('x+1'))) +
        m('rad', m('deg', r('3')), e(r('y'))),
      '√(x+1)√[3]y',
    ],
    [
      'sums and integrals',
      m(
        'nary',
        property('nary', 'chr m:val="∑"'),
        m('sub', r('i=1')),
        m('sup', r('n')),
        e(index(r('x'), r('i'))),
      ) +
        r('+') +
        m('nary', m('sub', r('0')), m('sup', r('∞')), e(r('f'))),
      '∑_(i=1)^n x_i+∫_0^∞ f',
    ],
    [
      'matrices',
      m(
        'd',
        property('d', 'begChr m:val="["', 'endChr m:val="]"'),
        e(m('m', m('mr', e(r('a')), e(r('b'))), m('mr', e(r('c')), e(r('d'))))),
      ),
      '[a, b; c, d]',
    ],
    [
      'functions and limits',
      m('func', m('fName', m('limLow', e(r('lim')), m('lim', r('n→∞')))), e(r('x'))) +
        m('func', m('fName', r('sin')), e(r('x'))),
      'lim_(n→∞) x sin x',
    ],
    ['accents', m('acc', property('acc', 'chr m:val="\u0303"'), e(r('n'))), 'n\u0303'],
    [
      'binomials',
      m('d', e(m('f', property('f', 'type m:val="noBar"'), m('num', r('n')), m('den', r('k'))))),
      '(n¦k)',
    ],
    ['degrees', power(r('45'), r('∘')), '45°'],
    ['lines', m('eqArr', e(r('a&amp;=b')), e(r('c&amp;=d'))), 'a=b; c=d'],
  ])('%s', async (_, equation, text) => {
    expect((await textOf(paragraph(m('oMath', equation)))).normalize('NFC')).toBe(text.normalize('NFC'));
  });

  it('of one paragraph stand below each other', async () => {
    const body = paragraph(m('oMathPara', m('oMath', r('a=b')), m('oMath', r('c=d'))));
    expect(await textOf(body)).toBe('a=b\nc=d');
  });
});

describe('automatic numbers', () => {
  const level = (at: number, format: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const CLAUSES =
    level(0, 'decimal', '%1.', '<w:pStyle w:val="Clause"/>') +
    level(1, 'decimal', '%1.%2') +
    level(2, 'lowerLetter', '(%3)') +
    level(3, 'upperRoman', 'Annex %4');
  const numbering = (levels: string, nums = '', abstract = ''): PartFile => ({
    name: 'word/numbering.xml',
    type: 'numbering',
    content:
      `<w:numbering><w:abstractNum w:abstractNumId="7">${levels}</w:abstractNum>${abstract}` +
      `<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>${nums}</w:numbering>`,
  });
  const styles: PartFile = {
    name: 'word/styles.xml',
    type: 'styles',
    content:
      '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>' +
      '<w:style w:styleId="Clause"><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
      '<w:style w:styleId="Sub"><w:basedOn w:val="Clause"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>' +
      '<w:style w:styleId="Linked" w:type="numbering"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>',
  };
  const item = (text: string, at: number, list = 1) =>
    paragraph(run(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`);
  const clause = (text: string) => paragraph(run(text), '<w:pStyle w:val="Clause"/>');

  it('stand before headings, clauses and items', async () => {
    const body = [
      clause('Term'),
      item('The lease begins.', 1),
      clause('Rent'),
      item('The rent is due.', 1),
      item('These reduce it:', 1),
      item('rain,', 2),
      item('closure.', 2),
      item('Heating', 3),
    ].join('');
    const { text, headings } = await read(body, numbering(CLAUSES), styles);
    expect(text).toBe(
      '1. Term\n\n1.1 The lease begins.\n\n2. Rent\n\n2.1 The rent is due.\n2.2 These reduce it:\n(a) rain,\n(b) closure.\nAnnex I Heating',
    );
    expect(headings.map((heading) => heading.text)).toEqual(['1. Term', '2. Rent']);
  });

  it('restart where a list says so, and count on where not', async () => {
    const nums =
      '<w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num>' +
      '<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>';
    const body = item('a', 0) + item('b', 0, 2) + item('c', 0, 3) + item('d', 0, 3) + item('e', 0);
    expect(await textOf(body, numbering(CLAUSES, nums))).toBe('1. a\n2. b\n5. c\n6. d\n7. e');
  });

  it('begin again after the level that they name', async () => {
    const levels =
      level(0, 'decimal', '%1') +
      level(1, 'decimal', '%1.%2') +
      level(2, 'decimal', '%3)', '<w:lvlRestart w:val="1"/>');
    const body = [0, 1, 2, 1, 2, 0, 2].map((at) => item('x', at)).join('');
    expect(await textOf(body, numbering(levels))).toBe('1 x\n1.1 x\n1) x\n1.2 x\n2) x\n2 x\n1) x');
  });

  it('are decimal in legal labels, bullets where they are bullets, and none where they are taken away', async () => {
    const levels =
      level(0, 'upperRoman', 'Article %1') +
      level(1, 'decimal', '%1.%2', '<w:isLgl/>') +
      level(2, 'bullet', '\uf0b7');
    const body =
      item('a', 0) +
      item('b', 1) +
      item('c', 2) +
      paragraph(run('d'), '<w:pStyle w:val="Clause"/><w:numPr><w:numId w:val="0"/></w:numPr>');
    expect(await textOf(body, numbering(levels), styles)).toBe('Article I a\n1.1 b\n- c\n\nd');
  });

  it('come from linked numbering styles', async () => {
    const nums = '<w:num w:numId="4"><w:abstractNumId w:val="8"/></w:num>';
    const abstract = '<w:abstractNum w:abstractNumId="8"><w:numStyleLink w:val="Linked"/></w:abstractNum>';
    expect(await textOf(item('a', 2, 4), numbering(CLAUSES, nums, abstract), styles)).toBe('(a) a');
  });
});

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
    const structured = await read(body);
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
    const body =
      `<w:tbl>${row([cell('Room', '<w:vMerge w:val="restart"/>'), cell('Equipment', '<w:gridSpan w:val="2"/>'), cell('Key')], header)}` +
      `${row([cell('', '<w:vMerge/>'), cell('Projector'), cell('Board'), cell('')], header)}` +
      `${row([cell('Oak'), cell('yes'), cell('no'), cell('Ida')])}${row([cell('late')], '<w:gridBefore w:val="2"/>')}</w:tbl>`;
    const { text, tables } = await read(body);
    expect(tables[0]?.header).toBe('Room | Equipment Projector | Equipment Board | Key');
    expect(text).toMatch(/\nOak \| yes \| no \| Ida\n\| {1,2}\| late$/);
  });

  it('keep tables inside cells, and leave deleted rows out', async () => {
    const inner = `<w:tc>${paragraph(run('Oak'))}<w:tbl>${row([cell('a'), cell('b')])}${row([cell('c')])}</w:tbl>${paragraph('')}</w:tc>`;
    const body = `<w:tbl>${row([inner, cell('12')])}${row([cell('gone')], '<w:del/>')}</w:tbl>`;
    expect(await textOf(body)).toBe('Oak a / b ; c | 12');
  });
});

test('a table of one column is a box, in which tables keep their rows', async () => {
  const inner = `<w:tbl>${row([cell('a'), cell('b')])}${row([cell('c'), cell('d')])}</w:tbl>`;
  const box = `<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid>${row([`<w:tc>${paragraph(run('Note'))}${inner}</w:tc>`])}</w:tbl>`;
  const { text, tables } = await read(box);
  expect(text).toBe('Note\n\na | b\nc | d');
  expect(tables.length).toBe(1);
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
        '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="tea"/><w:listEntry w:val="coffee"/></w:ddList></w:ffData>',
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
      content: `<w:hdr>${paragraph(run('Page ') + mark('begin') + code('PAGE') + mark('separate') + run('7') + mark('end') + run(' of the annex'))}</w:hdr>`,
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

test('changes are shown as accepted', async () => {
  const body =
    paragraph(
      `${run('a')}<w:ins>${run(' new')}</w:ins><w:del><w:r><w:delText> old</w:delText></w:r></w:del>`,
    ) + paragraph(run('b'), '<w:numPr/><w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>');
  expect(await read(body)).toMatchObject({ text: 'a new\n\n- b', headings: [] });
});
