/** The text of a PDF as its reader sees it, whatever the order and the manner in which it is drawn. */
import { describe, expect, it } from 'vitest';
import { drawnPdf, streamOf, textAt } from '../../testing/drawn-pdf.ts';
import { extractPdf } from './pdf.ts';

const textOf = async (operators: string, letters: Record<string, string> = {}): Promise<string> =>
  (await extractPdf(drawnPdf([operators], letters))).extracted.text;

describe('double strike', () => {
  it.each([
    ['strings', textAt(60, 700, 'Evacuation point') + textAt(60.35, 700, 'Evacuation point')],
    ['a shadow', textAt(61, 699, 'Evacuation point') + textAt(60, 700, 'Evacuation point')],
    [
      'words',
      `${textAt(60, 700, 'Evacuation')}${textAt(60.35, 700, 'Evacuation point')}${textAt(112.2, 700, 'point')}`,
    ],
    [
      'letters',
      [...'Evacuation point']
        .map(
          (letter, i) =>
            textAt(60 + 6 * i, 700, letter, '/F2 10 Tf') + textAt(60.4 + 6 * i, 700, letter, '/F2 10 Tf'),
        )
        .join(''),
    ],
  ])('of %s counts once', async (_, operators) => {
    expect(await textOf(operators)).toBe('Evacuation point');
  });

  it('is not what two equal letters are', async () => {
    expect(await textOf(textAt(60, 700, 'All bill: 1.11 ... iiii'))).toBe('All bill: 1.11 ... iiii');
  });
});

describe('letters that are spaced out', () => {
  const spaced = (spacing: number, text: string) => `BT /F1 10 Tf ${spacing} Tc 60 700 Td (${text}) Tj ET`;

  it.each([0.5, 1.2, 2.5, 4, 7])('by %s points are words', async (spacing) => {
    expect(await textOf(spaced(spacing, 'Hinweis zur Abgabe'))).toBe('Hinweis zur Abgabe');
  });

  it('are words where each letter is placed, and words are wider apart', async () => {
    const letters = [...'COMPLAINTS DESK']
      .map((letter, i) => (letter === ' ' ? '' : textAt(60 + 9 * i, 700, letter, '/F2 10 Tf')))
      .join('');
    expect(await textOf(letters)).toBe('COMPLAINTS DESK');
  });

  it('are words where blanks space them out', async () => {
    expect(await textOf(textAt(60, 700, 'C O M P L A I N T S   D e s k'))).toBe('COMPLAINTS Desk');
  });

  it('are words where they stand at one distance, whatever their widths', async () => {
    const letters = [...'Smallest moss']
      .map((letter, i) => (letter === ' ' ? '' : textAt(60 + 7 * i, 700, letter)))
      .join('');
    expect(await textOf(letters)).toBe('Smallest moss');
  });

  it.each(['1 2 3 4 5 6', 'x x x x x', 'a A b B c C', 'a, b, c, d, e'])('do not include %s', async (list) => {
    expect(await textOf(textAt(60, 700, list))).toBe(list);
  });
});

describe('superscripts', () => {
  const raised = (text: string, mark: string, after: string) =>
    `BT /F1 11 Tf 60 700 Td (${text}) Tj /F1 7 Tf 3.5 Ts (${mark}) Tj /F1 11 Tf 0 Ts (${after}) Tj ET`;

  it.each([
    [raised('The membership', '3', ' costs more.'), 'The membership [3] costs more.'],
    [raised('forty euros', 'a', '.'), 'forty euros [a].'],
    [raised('40 m', '2', ''), '40 m²'],
    [raised('the room holds 10', '3', ' bowls'), 'the room holds 10^3 bowls'],
    [raised('the 1', 'st', ' of May'), 'the 1st of May'],
    [
      raised('The membership', '3', ' costs more.').replace('/F1 7 Tf', '/F1 10.6 Tf'),
      'The membership [3] costs more.',
    ],
  ])('stay apart from their words', async (operators, text) => {
    expect(await textOf(operators)).toBe(text);
  });

  it('may be raised by the height of their line', async () => {
    expect(await textOf(raised('E = mc', '2', ' is energy.').replace('3.5 Ts', '11 Ts'))).toBe(
      'E = mc² is energy.',
    );
  });

  it.each([
    [raised('The membership', '3', ' costs more.'), 'The membership [3] costs more.'],
    [raised('40 m', '2', ' of floor'), '40 m² of floor'],
  ])('may have the size of their line: %#', async (operators, text) => {
    expect(await textOf(operators.replace('/F1 7 Tf 3.5 Ts', '/F1 11 Tf 5 Ts'))).toBe(text);
  });

  it('are not letters on an arc, or a word that is set higher', async () => {
    const arc = Array.from('arc', (letter, i) => `${4 * i} Ts (${letter}) Tj`).join(' ');
    expect(await textOf(`BT /F1 11 Tf 60 700 Td ${arc} ET`)).toBe('arc');
    expect(await textOf('BT /F1 11 Tf 60 700 Td (low) Tj 5 Ts (higher) Tj 0 Ts (low again) Tj ET')).toBe(
      'lowhigherlow again',
    );
  });

  it('are not subscripts, which stay in their words', async () => {
    const water = 'BT /F1 11 Tf 60 700 Td (H) Tj /F1 7 Tf -2 Ts (2) Tj /F1 11 Tf 0 Ts (O) Tj ET';
    expect(await textOf(water)).toBe('H2O');
  });
});

describe('text from right to left', () => {
  /** Bytes for Arabic letters. */
  const ARABIC = { a: 'ا', l: 'ل', m: 'م', t: 'ط', b: 'ب', s: 'س', n: 'ن', h: 'ة' };
  const line = (visual: string) => textAt(60, 700, visual, '/F3 12 Tf');

  it.each([
    ['in reading order', 'لا'],
    ['in the order of the page', 'ال'],
    ['as one character', 'ﻻ'],
  ])('has lam-alef ligatures whose map has their letters %s', async (_, ligature) => {
    expect(await textOf(line('h m L s l a'), { ...ARABIC, L: ligature })).toBe('السلامة');
  });

  it('has the letters of another ligature in the order of its font', async () => {
    const letters = { ...ARABIC, L: 'ال', M: 'حم' };
    expect(await textOf(line('LM'), letters)).toBe('محلا');
    expect(await textOf(line('LM'), { ...letters, L: 'لا' })).toBe('حملا');
  });

  it('has numbers and Latin words at their place in the sentence', async () => {
    const words =
      line('nab') + textAt(100, 700, 'Plan B 12.5', '/F2 12 Tf') + textAt(200, 700, 'bal', '/F3 12 Tf');
    expect(await textOf(words, ARABIC)).toBe('لاب Plan B 12.5 بان');
  });

  it('has words in brackets apart from a number', async () => {
    const words =
      textAt(60, 700, '\\(Plan B\\)', '/F2 12 Tf') +
      textAt(130, 700, '12', '/F2 12 Tf') +
      textAt(160, 700, 'balnab', '/F3 12 Tf');
    expect(await textOf(words, ARABIC)).toBe('بانلاب 12 (Plan B)');
  });

  it('may be a word in a line from left to right', async () => {
    const words =
      textAt(60, 700, 'The word', '/F2 12 Tf') +
      textAt(130, 700, 'bal', '/F3 12 Tf') +
      textAt(170, 700, 'is here.', '/F2 12 Tf');
    expect(await textOf(words, ARABIC)).toBe('The word لاب is here.');
  });
});

describe('what is not read', () => {
  const messages = async (bytes: Buffer) =>
    (await extractPdf(bytes)).warnings.map(({ code, message }) => `${code}: ${message}`);

  it('has a warning: attached files', async () => {
    const catalog =
      '/Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (figures.xlsx) /EF << /F 7 0 R >> >>] >> >>';
    const objects = [streamOf('1,2', '/Type /EmbeddedFile')];
    expect(await messages(drawnPdf([textAt(60, 700, 'See the figures.')], {}, { catalog, objects }))).toEqual(
      ['PARTS_NOT_READ: Attached files were not read: figures.xlsx.'],
    );
  });

  it('has a warning: the rest of a file that ends early', async () => {
    const whole = drawnPdf([textAt(60, 700, 'First.'), textAt(60, 700, 'Second.')]);
    expect(await messages(whole)).toEqual([]);
    expect(await messages(whole.subarray(0, whole.lastIndexOf('xref\n0')))).toEqual([
      'FILE_CUT_OFF: The file ends early: what is there was read, and the rest is missing.',
    ]);
  });

  it('has a warning: damaged pages', async () => {
    const damaged = drawnPdf([textAt(60, 700, 'First.')], {}, { objects: ['(no page)'] });
    const file = Buffer.from(
      damaged.toString('latin1').replace('/Kids [8 0 R] /Count 1', '/Kids [8 0 R 7 0 R] /Count 2'),
      'latin1',
    );
    expect(await messages(file)).toEqual(['PAGES_NOT_READ: Page 2: damaged and not read.']);
  });
});

describe('a form', () => {
  const field = (entries: string) => `<< /Type /Annot /Subtype /Widget ${entries} >>`;

  it('has its values beside their labels, or below them', async () => {
    const labels =
      textAt(60, 700, 'Name:') +
      textAt(300, 700, 'Town:') +
      textAt(60, 650, 'Remarks') +
      textAt(60, 560, 'Signed');
    const objects = [
      field('/FT /Tx /T (town) /V (Lviv) /Rect [340 696 500 712]'),
      field('/FT /Tx /T (name) /V (Ada Berg) /Rect [95 696 280 712]'),
      field('/FT /Tx /T (remarks) /V (None so far) /Rect [60 600 500 640]'),
      field(
        '/FT /Ch /Ff 131072 /T (place) /V (k) /Opt [[(k) (Kyiv)] [(l) (London)]] /Rect [110 556 200 572]',
      ),
      field('/FT /Tx /Ff 8192 /T (secret) /V (swordfish) /Rect [300 556 400 572]'),
    ];
    const page = '/Annots [7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]';
    const { extracted } = await extractPdf(drawnPdf([labels], {}, { page, objects }));
    expect(extracted.text).toBe('Name: Ada Berg Town: Lviv\n\nRemarks\n\nNone so far\n\nSigned Kyiv');
  });

  it('may have its labels below, and descriptions of links, which are not shown', async () => {
    const labels = textAt(60, 580, 'Name in letters') + textAt(60, 300, 'Page 1');
    const objects = [
      field('/FT /Tx /T (name) /V (Ada Berg) /Rect [60 590 280 606]'),
      '<< /Type /Annot /Subtype /Link /Contents (to the first page) /Rect [60 590 280 606] >>',
    ];
    const { extracted } = await extractPdf(
      drawnPdf([labels], {}, { page: '/Annots [7 0 R 8 0 R]', objects }),
    );
    expect(extracted.text).toBe('Name in letters\n\nAda Berg\n\nPage 1');
  });
});

describe('vertical lines', () => {
  it('are lines, also where each letter is placed in a font for horizontal ones', async () => {
    const letters = { a: '第', b: '二', c: '条', d: '項' };
    const column = (x: number, text: string) =>
      [...text].map((letter, i) => textAt(x, 700 - 10 * i, letter, '/F3 10 Tf')).join('');
    expect(await textOf(column(300, 'abc') + column(284, 'dcb'), letters)).toBe('第二条\n項条二');
  });
});
