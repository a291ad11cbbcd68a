/** Presentations are read as their reader sees them. */
import { expect, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import { line, type PartFile, presentationFile, shape, slideOf, words } from '../../testing/office-files.ts';

async function read(shapes: string, related: PartFile[] = [], others: PartFile[] = []) {
  const extraction = await extractFile({
    fileName: 'a.pptx',
    bytes: presentationFile(shapes, related, others),
  });
  if ('failure' in extraction) throw new Error(extraction.failure.message);
  return { ...extraction.extracted, warnings: extraction.warnings.map(({ message }) => message) };
}
const textOf = async (...from: Parameters<typeof read>) => (await read(...from)).text;

const frame = (content: string, description = '') =>
  `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="x" descr="${description}"/></p:nvGraphicFramePr>` +
  `<a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`;
const either = (choice: string, fallback: string) =>
  `<mc:AlternateContent><mc:Choice>${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

const points = (...values: string[]) =>
  values.map((value, i) => `<c:pt idx="${i}"><c:v>${value}</c:v></c:pt>`).join('');
const series = (name: string, categories: string, values: string) =>
  `<c:ser><c:tx><c:strRef><c:strCache>${points(name)}</c:strCache></c:strRef></c:tx>` +
  `<c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser>`;
const numbers = (format: string, ...values: string[]) =>
  `<c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${points(...values)}</c:numCache></c:numRef>`;
const chart = (plot: string): PartFile => ({
  name: 'ppt/charts/chart1.xml',
  type: 'chart',
  content: `<c:chartSpace><c:chart><c:plotArea>${plot}</c:plotArea></c:chart></c:chartSpace>`,
});
const axis = (kind: string, title: string) =>
  `<c:${kind}><c:title><c:tx><c:rich>${line(words(title))}</c:rich></c:tx></c:title></c:${kind}>`;

test('charts have their values with category and series', async () => {
  const years = numbers('General', '2021', '2022', '2023');
  const part = chart(
    `<c:lineChart>${series('Adults', years, numbers('General', '18250', '20410', '23975'))}` +
      `${series('Children', years, numbers('General', '9100', '11870', '13660'))}</c:lineChart>` +
      `${axis('catAx', 'Year')}${axis('valAx', 'Visitors')}`,
  );
  const { text, tables } = await read(frame('<c:chart r:id="ppt/charts/chart1.xml"/>'), [part]);
  expect(text).toBe(
    'Visitors\n\nYear | Adults | Children\n2021 | 18250 | 9100\n2022 | 20410 | 11870\n2023 | 23975 | 13660',
  );
  expect(tables.map(({ header }) => header)).toEqual(['Year | Adults | Children']);
});

test('numbers of charts are written by their formats, levels of categories together', async () => {
  const level = (...entries: [index: number, name: string][]) =>
    `<c:lvl>${entries.map(([index, name]) => `<c:pt idx="${index}"><c:v>${name}</c:v></c:pt>`).join('')}</c:lvl>`;
  const quarters =
    '<c:multiLvlStrRef><c:multiLvlStrCache>' +
    `${level([0, 'Q3'], [1, 'Q4'], [2, 'Q1'])}${level([0, '2030'], [2, '2031'])}</c:multiLvlStrCache>` +
    `</c:multiLvlStrRef>`;
  const part = chart(
    `${series('Share', quarters, numbers('0.0%', '0.125', '0.25', '0.5'))}` +
      `${series('Rate', numbers('dd.mm.yyyy', '47914'), numbers('General', '0.30000000000000004'))}`,
  );
  expect(await textOf(frame('<c:chart r:id="ppt/charts/chart1.xml"/>'), [part])).toBe(
    '| Share\n2030 Q3 | 12.5%\n2030 Q4 | 25.0%\n2031 Q1 | 50.0%\n\n| Rate\n07.03.2031 | 0.3',
  );
});

test('charts of points have their pairs of numbers', async () => {
  const part = chart(
    `<c:scatterChart><c:ser><c:tx><c:v>Kiln</c:v></c:tx><c:xVal>${numbers('General', '900', '1040')}</c:xVal>` +
      `<c:yVal>${numbers('General', '7', '12')}</c:yVal></c:ser></c:scatterChart>${axis('valAx', 'Degrees')}`,
  );
  expect(await textOf(frame('<c:chart r:id="ppt/charts/chart1.xml"/>'), [part])).toBe(
    'Degrees | Kiln\n900 | 7\n1040 | 12',
  );
});

test('charts of newer kinds are read too', async () => {
  const content =
    '<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">007</cx:pt>' +
    '<cx:pt idx="1">Rent</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl formatCode="#,##0">' +
    '<cx:pt idx="0">5000</cx:pt><cx:pt idx="1">-1200</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>' +
    '<cx:title><cx:tx><cx:txData><cx:v>Budget</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>' +
    '<cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Euros</cx:v></cx:txData></cx:tx><cx:dataId val="0"/>' +
    '</cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>';
  const part = { name: 'ppt/charts/chartEx1.xml', type: 'chartEx', content };
  const newer = frame('<cx:chart r:id="ppt/charts/chartEx1.xml"/>');
  expect(await textOf(either(newer, shape(line(words('This chart is not available.')))), [part])).toBe(
    'Budget\n\n| Euros\n007 | 5,000\nRent | -1,200',
  );
});

test('the title comes first, then the boxes from top to bottom and from left to right', async () => {
  const shapes =
    shape(line(words('lower')), [0, 900]) +
    shape(line(words('right')), [500, 310]) +
    shape(line(words('left')), [0, 300]) +
    shape(line(words('Pumps')), [0, 2000], 'title');
  expect(await textOf(shapes)).toBe('Pumps\n\nleft\n\nright\n\nlower');
});

test('placeholders stand where their layout puts them', async () => {
  const layout = {
    name: 'ppt/slideLayouts/slideLayout1.xml',
    type: 'slideLayout',
    content: slideOf(
      shape(line(words('Click to edit')), [0, 700], 'body') +
        shape(line(`${words('Valley Club ')}<a:fld type="slidenum"><a:t>‹#›</a:t></a:fld>`), [0, 0]),
    ),
  };
  const shapes = shape(line(words('below')), undefined, 'body') + shape(line(words('above')), [0, 100]);
  expect(await textOf(shapes, [layout])).toBe('above\n\nbelow\n\nValley Club');
});

test('cells that are merged keep their columns and name their rows', async () => {
  const cell = (text: string, attributes = '') =>
    `<a:tc ${attributes}><a:txBody>${line(words(text))}</a:txBody></a:tc>`;
  const table =
    `<a:tbl><a:tblPr firstRow="1"/>` +
    `<a:tr>${cell('Floor')}${cell('Rooms', 'gridSpan="2"')}${cell('', 'hMerge="1"')}</a:tr>` +
    `<a:tr>${cell('Ground', 'rowSpan="2"')}${cell('Oak')}${cell('12')}</a:tr>` +
    `<a:tr>${cell('', 'vMerge="1"')}${cell('Elm')}${cell('8')}</a:tr></a:tbl>`;
  expect(await textOf(frame(table))).toBe('Floor | Rooms\nGround | Oak | 12\nGround | Elm | 8');
});

test('superscripts stay apart, numbers are counted, equations keep their structure', async () => {
  const numbered = (level: number, type: string, text: string, start = '') =>
    line(words(text), `<a:pPr lvl="${level}"><a:buAutoNum type="${type}" ${start}/></a:pPr>`);
  const equation =
    '<a14:m><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den>' +
    '</m:f></m:oMath></a14:m>';
  const body =
    line(
      words('membership') +
        words('1', 'baseline="30000"') +
        words('2', 'baseline="30000"') +
        words(' of H') +
        words('2', 'baseline="-25000"') +
        words('O'),
    ) +
    numbered(0, 'arabicPeriod', 'Stop', 'startAt="3"') +
    numbered(1, 'alphaLcParenR', 'the pump') +
    numbered(1, 'alphaLcParenR', 'the valve') +
    numbered(0, 'arabicPeriod', 'Rinse') +
    line(words('x=') + equation);
  expect(await textOf(either(shape(body), shape(line(words(' ')))))).toBe(
    'membership [12] of H2O\n\n3. Stop\na) the pump\nb) the valve\n4. Rinse\n\nx=a/b',
  );
});

test('diagrams, descriptions, groups, notes and comments are read, footers once, and objects named', async () => {
  const diagram = {
    name: 'ppt/diagrams/data1.xml',
    type: 'diagramData',
    content:
      `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1"><dgm:t>${line(words('Receive'))}</dgm:t></dgm:pt>` +
      `</dgm:ptLst></dgm:dataModel>`,
  };
  const notes = {
    name: 'ppt/notesSlides/notesSlide1.xml',
    type: 'notesSlide',
    content: slideOf(
      shape(line(words('7')), undefined, 'sldNum') + shape(line(words('Say hello')), undefined, 'body'),
    ),
  };
  const comments = {
    name: 'ppt/comments/comment1.xml',
    type: 'comments',
    content:
      '<p188:cmLst><p188:cm authorId="{A}" created="2024-05-01T10:00:00"><p188:replyLst><p188:reply authorId="{B}">' +
      `<p188:txBody>${line(words('Yes'))}</p188:txBody></p188:reply></p188:replyLst>` +
      `<p188:txBody>${line(words('Really?'))}</p188:txBody></p188:cm></p188:cmLst>`,
  };
  const authors = {
    name: 'ppt/authors.xml',
    type: 'authors',
    content:
      '<p188:authorLst><p188:author id="{A}" name="Ulla"/><p188:author id="{B}" name="Ida"/></p188:authorLst>',
  };
  const object = (inner: string) => `<p:oleObj progId="Excel.Sheet.12">${inner}</p:oleObj>`;
  const shapes =
    shape(line(words('Club')), undefined, 'ftr') +
    `<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>${shape(line(words('grouped')))}</p:grpSp>` +
    frame('<dgm:relIds r:dm="ppt/diagrams/data1.xml"/>') +
    '<p:pic><p:nvPicPr><p:cNvPr id="3" descr="A pond in spring"/></p:nvPicPr></p:pic>' +
    frame(either(object('<p:embed/>'), object('<p:pic/>')));
  expect(await read(shapes, [diagram, notes, comments], [authors])).toMatchObject({
    text: 'grouped\n\n- Receive\n\nA pond in spring\n\nSay hello\n\nUlla, 2024-05-01: Really?\n\nIda: Yes\n\nClub',
    warnings: ['1 embedded object was not read: slide 1 (an Excel workbook).'],
  });
});
