/** What the reader of an RTF document sees is its text: numbers, notes apart from sentences, cells in their columns. */
import { describe, expect, it, test } from 'vitest';
import { extractRtf } from './rtf.ts';

const FONTS = '{\\fonttbl{\\f0 Arial;}{\\f1\\ftech\\fcharset2 Symbol;}}';
const read = (body: string) =>
  extractRtf(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252\\deff0${FONTS}${body}}`, 'latin1'));
const textOf = (body: string): string => read(body).extracted.text;

test('comments and notes stand apart from words and sentences, numbers before their paragraphs', () => {
  const body =
    '\\pard Super{\\*\\atnid AB}{\\*\\atnauthor A B}\\chatn {\\*\\annotation\\pard\\plain A remark by the reviewer.}' +
    'structure is inspected{\\super\\chftn{\\footnote\\pard\\plain\\chftn Except in winter.}} weekly.\\par ' +
    '{\\listtext\\pard\\plain 1.\\tab}Close the valve.\\par {\\listtext\\pard\\plain 2.\\tab}Drain the tank.\\par ' +
    "Caf\\'e9 \\u8364? 12\\par";
  expect(textOf(body)).toBe(
    'Superstructure is inspected weekly.\n\nA B: A remark by the reviewer.\n\n1 Except in winter.\n\n' +
      '1. Close the valve.\n2. Drain the tank.\n\nCafé € 12',
  );
});

test.each([
  ['superscript', 'membership{\\super 3} costs', 'membership [3] costs'],
  ['superscript that ends', 'glaze\\super 12\\nosupersub  and', 'glaze [12] and'],
  ['superscript in two runs', 'glaze{\\super 1}{\\i\\super 2}.', 'glaze [12].'],
  ['raised text', '10{\\up6 3}, 40 m{\\up6\\fs16 2}, a\\up0 b', '10^3, 40 m², ab'],
  ['subscript', 'H{\\sub 2}O, x{\\dn6 1}', 'H2O, x1'],
  ['hidden text', 'a{\\v hidden}b\\v c\\v0 d{\\v e\\plain f}', 'abdf'],
  ['deleted text', 'a{\\deleted gone}b', 'ab'],
  ['fields', 'See {\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt the guide}} now', 'See the guide now'],
  ['index entries', 'a{\\xe {\\v entry}}b{\\tc other}', 'ab'],
  ['fallbacks of Unicode characters', "\\uc2\\u8364\\'80\\'80 5 \\uc1\\u-10179?\\u-8704?", '€ 5 😀'],
  ['binary data and pictures', 'a{\\pict\\wmetafile8 0123456789abcdef}{\\pict\\bin5 }{{}!}b', 'ab'],
  ['spaces of a certain width', 'a\\emspace b\\enspace c', 'a b c'],
  [
    'text boxes',
    'Venti{\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn x}{\\sv 7}}{\\shptxt \\pard ' +
      'Lockers\\par}}{\\shprslt old}}lation\\par',
    'Ventilation\n\nLockers',
  ],
  ['older text boxes', 'a{\\*\\do\\dobxcolumn\\dptxbx{\\dptxbxtext\\pard Box\\par}}b\\par', 'ab\n\nBox'],
  ['objects', 'a {\\object\\objemb{\\*\\objclass Word}{\\*\\objdata 0105}{\\result shown}} b', 'a shown b'],
  [
    'endnotes with marks',
    'rain{\\super *{\\footnote\\ftnalt {\\super *} Only in May.}} falls',
    'rain [*] falls\n\n* Only in May.',
  ],
  [
    'a comment in a word with a date',
    'su{\\*\\atnauthor Ann}{\\*\\annotation{\\*\\atndate 137501312}why?}per',
    'super\n\nAnn, 2031-02-03: why?',
  ],
])('%s', (_what, body, text) => expect(textOf(body)).toBe(text));

describe('numbers and bullets', () => {
  it.each([
    [
      'numbers of levels',
      '{\\listtext 2.1\\tab}\\pard\\ls1 Rent\\par{\\listtext (a)\\tab}\\pard Due\\par',
      '2.1 Rent\n(a) Due',
    ],
    ['older numbers', '{\\pntext\\f0 3)\\tab}Third\\par', '3) Third'],
    [
      'bullets of symbol fonts',
      "{\\listtext\\f1\\'b7\\tab}veil\\par{\\pntext\\f1\\'b7\\tab}gloves\\par",
      '- veil\n- gloves',
    ],
    ['bullets that are letters', '{\\listtext\\f2 o\\tab}veil\\par', '- veil'],
    [
      'paragraphs in the group of a label',
      '{\\listtext\\pard{\\tab Boarding}\\par}{\\listtext\\pard 2.\\tab}Leaving\\par',
      'Boarding\n\n2. Leaving',
    ],
    ['an entry without text', '{\\listtext 1.\\tab}\\par a\\par', 'a'],
  ])('%s', (_what, body, text) => expect(textOf(body)).toBe(text));

  it('stand in headings', () => {
    const { headings } = read(
      '{\\stylesheet{\\s2 heading 2;}}{\\listtext 1.2\\tab}\\pard\\s2 Duties\\par\\pard Text\\par',
    ).extracted;
    expect(headings).toMatchObject([{ level: 2, text: '1.2 Duties' }]);
  });
});

test('headers and footers follow the text once, without numbers of pages', () => {
  const header = (word: string) => `{\\${word}\\pard Member copy\\par}`;
  const body =
    `${header('header')}{\\footer\\pard Page {\\field{\\*\\fldinst PAGE }{\\fldrslt 7}}\\par}\\pard First\\par` +
    `\\sect\\sectd${header('headerl')}${header('headerr')}\\pard Second\\par`;
  expect(textOf(body)).toBe('First\n\nSecond\n\nMember copy\n\nPage');
});

describe('tables', () => {
  const row = (definition: string, ...cells: string[]) =>
    `\\trowd${definition}\\pard\\intbl ${cells.map((cell) => `${cell}\\cell `).join('')}\\row`;
  const HALVES = '\\cellx2000\\cellx4000';

  it.each([
    [
      'cells merged downwards',
      row(`\\clvmgf\\cellx1000\\cellx2000\\cellx3000`, 'Ground', 'Oak', '12') +
        row('\\clvmrg\\cellx1000\\cellx2000\\cellx3000', '', 'Elm', '8'),
      'Ground | Oak | 12\nGround | Elm | 8',
    ],
    [
      'cells merged across',
      row('\\clmgf\\cellx1000\\clmrg\\cellx2000\\cellx3000', 'Upper', '', '6') +
        row('\\cellx1000\\cellx2000\\cellx3000', 'a', 'b', 'c'),
      'Upper |  | 6\na | b | c',
    ],
    [
      'cells over the columns of other rows',
      row('\\cellx1005\\cellx3000', 'a', 'b') +
        row('\\cellx1000\\cellx2000\\cellx3000', 'c', 'd', 'e') +
        row('\\cellx2000\\cellx3000', 'f', 'g'),
      'a | b\nc | d | e\nf |  | g',
    ],
    ['text after a table', `${row(HALVES, 'a', 'b')}\\pard c\\par`, 'a | b\n\nc'],
    ['a row without marked paragraphs', `\\trowd${HALVES}\\pard a\\cell b\\cell\\row\\pard c`, 'a | b\n\nc'],
    [
      'a text box right after a table',
      `${row(HALVES, 'a', 'b')}\\pard\\plain {\\shp{\\*\\shpinst{\\shptxt Box\\par}}}c\\par`,
      'a | b\n\nBox\n\nc',
    ],
    ['a row without an end', `\\trowd${HALVES}\\pard\\intbl a\\cell b`, 'a | b'],
    ['an empty first cell', row(HALVES, '', 'b'), '| b'],
    [
      'a list in a cell',
      row(HALVES, '{\\listtext 1.\\tab}one\\par{\\listtext 2.\\tab}two', 'b'),
      '1. one 2. two | b',
    ],
    [
      'a note in a cell',
      `${row(HALVES, 'a{\\footnote n}', 'b')}${row(HALVES, 'c', 'd')}\\pard`,
      'a | b\nc | d\n\nn',
    ],
    [
      'a table in a cell',
      `\\trowd${HALVES}\\pard\\intbl a \\pard\\intbl\\itap2 b\\nestcell ` +
        `c\\nestcell{\\*\\nesttableprops\\trowd\\cellx500\\cellx900\\nestrow}` +
        `{\\nonesttables\\par}\\pard\\intbl d\\cell e\\cell\\row${row(HALVES, 'f', 'g')}`,
      'a\nb | c\nd | e\nf | g',
    ],
  ])('%s', (_what, body, text) => expect(textOf(body)).toBe(text));

  it('have a header of all their header rows, and end with a paragraph', () => {
    const header = (...cells: string[]) => row(`\\trhdr${HALVES}`, ...cells);
    const { tables } = read(
      `${header('Room', 'Seats')}${header('', 'in rows')}${row(HALVES, 'Oak', '12')}\\pard\\par` +
        `${header('Day', 'Hours')}${row(HALVES, 'Monday', '9')}`,
    ).extracted;
    expect(tables.map(({ header }) => header)).toEqual(['Room | Seats in rows', 'Day | Hours']);
  });
});

test('what is not read has a warning', () => {
  const body =
    'text{\\object\\objemb{\\*\\objclass Excel.Sheet.8}{\\*\\objdata 01}{\\result{\\pict 00}}}{\\v hidden}';
  expect(read(body).warnings.map(({ message }) => message)).toEqual([
    '1 embedded object was not read: an Excel workbook.',
    'Hidden text was left out.',
  ]);
  expect(extractRtf(Buffer.from('{\\rtf1 {\\b The begin'))).toMatchObject({
    extracted: { text: 'The begin' },
    warnings: [{ code: 'FILE_CUT_OFF' }],
  });
});

test('footnotes and endnotes are counted as the file says', () => {
  const note = (text: string, kind = '') =>
    `{\\super\\chftn{\\footnote${kind}\\pard\\plain{\\super\\chftn} ${text}}}`;
  const body = `\\ftnstart3\\aftnnrlc a${note('One')} b${note('End', '\\ftnalt')} c${note('Two')}\\par`;
  expect(textOf(body)).toBe('a b c\n\n3 One\n\ni End\n\n4 Two');
  expect(textOf(`\\ftnrstpg a${note('One')}\\par`)).toBe('a\n\nOne');
});

test('lists are counted where the file does not write their numbers', () => {
  const level = (format: number, text: string) =>
    `{\\listlevel\\levelnfc${format}\\levelstartat1{\\leveltext ${text};}{\\levelnumbers\\'01;}}`;
  const tables =
    `{\\*\\listtable{\\list${level(0, "\\'02\\'00.")}${level(4, "\\'05(\\'00.\\'01)")}` +
    `${level(23, "\\'01\\u8226 ?")}\\listid7}}` +
    '{\\*\\listoverridetable{\\listoverride\\listid7\\listoverridecount0\\ls1}}';
  const entry = (depth: number, text: string) => `{\\listtext }\\pard\\ls1\\ilvl${depth} ${text}\\par`;
  expect(
    textOf(
      `${tables}${entry(0, 'Term')}${entry(0, 'Rent')}${entry(1, 'due')}${entry(2, 'cash')}\\pard ` +
        `Text\\par${entry(0, 'End')}`,
    ),
  ).toBe('1. Term\n2. Rent\n(2.a) due\n- cash\n\nText\n\n3. End');
});

test('equations are linear text', () => {
  const body =
    'u is {\\mmath{\\*\\moMath{\\mr\\mscr0 u}{\\mr =}{\\mf{\\mfPr{\\mctrlPr\\f34}}{\\mnum{\\mr ' +
    'hours}{\\mr worked}}{\\mden{\\mr b+c}}}' +
    '{\\mr +}{\\mrad{\\mradPr{\\mdegHide on}}{\\mdeg}{\\me{\\mr d}}}}{\\mmathPict{\\pict 00}}} here.';
  expect(read(body)).toMatchObject({
    extracted: { text: 'u is u=(hours worked)/(b+c)+√d here.' },
    warnings: [],
  });
});

test.each([
  ['bytes', "180{\\f1\\'b0}C and {\\f1 a}-testers", '180°C and α-testers'],
  ['Unicode characters', '5 {\\f1\\u-3917?} 3', '5 ≥ 3'],
  ['words that a program has given the font of a symbol', "180{\\f1\\'b3C and the}", '180≥C and the'],
  ['a field', '{\\field{\\*\\fldinst SYMBOL 97 \\\\f "Symbol" \\\\s 12}{\\fldrslt }}-rays', 'α-rays'],
])('symbols: %s', (_what, body, text) => expect(textOf(body)).toBe(text));

test('the description of a picture follows its paragraph', () => {
  const picture = (description: string) =>
    `{\\*\\shppict{\\pict{\\*\\picprop{\\sp{\\sn wzName}{\\sv Picture 1}}{\\sp{\\sn ` +
    `wzDescription}{\\sv ${description}}}}\\pngblip 89504e47}}`;
  expect(textOf(`The sh${picture('A map')}ed${picture('')}\\par`)).toBe('The shed\n\nA map');
});
