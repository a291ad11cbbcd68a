/** The lines of a page, in whatever order their cells are drawn. */
import { describe, expect, it } from 'vitest';
import { drawnPdf, textAt } from '../../../testing/drawn-pdf.ts';
import { extractPdf } from '../pdf.ts';

const textOf = async (operators: string): Promise<string> =>
  (await extractPdf(drawnPdf([operators]))).extracted.text;

describe('the cells of a line', () => {
  it('stand apart and from left to right, in whatever order they are drawn', async () => {
    const row = (y: number, name: string, work: string, sum: string) =>
      textAt(265, y, sum) + textAt(170, y, work) + textAt(60, y, name);
    expect(
      await textOf(
        row(770, 'BERGER, H', 'Site manager', '1,240.50') + row(758, 'CASTRO, L', 'Surveyor', '980.00'),
      ),
    ).toBe('BERGER, H Site manager 1,240.50\nCASTRO, L Surveyor 980.00');
  });

  it('stand in that order too where a page is turned', async () => {
    const turned = (x: number, y: number, text: string) =>
      `BT /F1 10 Tf 0 1 -1 0 ${x} ${y} Tm (${text}) Tj ET\n`;
    expect(
      await textOf(turned(300, 400, '980.00') + turned(300, 100, 'Surveyor') + turned(312, 100, 'Sum')),
    ).toBe('Surveyor 980.00\nSum');
  });

  it('are not mixed with those of the next column of prose', async () => {
    const column = (x: number, words: string[]) =>
      words.map((text, i) => textAt(x, 700 - 12 * i, text)).join('');
    expect(await textOf(column(320, ['Right one', 'right two']) + column(60, ['Left one', 'left two']))).toBe(
      'Right one\nright two\n\nLeft one\nleft two',
    );
  });
});

describe('columns of figures and dates', () => {
  const column = (x: number, texts: string[]) =>
    texts.map((text, i) => textAt(x, 700 - 13 * i, text)).join('');
  const dates = ['Notice', '06/22/2031', '06/30/2031', '07/01/2031', '07/02/2031'];
  const names = [
    'Company City',
    'Ferrow Tools Lund',
    'Adler Mills Graz',
    'Quay Foods Cork',
    'Brandt Lamps Bergen',
  ];
  const rows = dates.map((date, i) => `${date} ${names[i]}`).join('\n');

  it.each([
    ['before their rows', column(30, dates) + column(130, names)],
    ['after them', column(130, names) + column(30, dates)],
    [
      'and their rows from below',
      column(30, dates) +
        [...names.keys()]
          .reverse()
          .map((i) => textAt(130, 700 - 13 * i, names[i] ?? ''))
          .join(''),
    ],
  ])('that are drawn %s stand in these', async (_, operators) => {
    expect(await textOf(operators)).toBe(rows);
  });

  it('may stand between cells that are drawn at once', async () => {
    const wide = (i: number, name: string, unit: string) =>
      `BT /F1 10 Tf 60 ${700 - 13 * i} Td (${name}) Tj 300 0 Td (${unit}) Tj ET\n`;
    const labels = ['Oak', 'Beech', 'Spruce'].map((name, i) => wide(i, name, 'cubic metres')).join('');
    expect(await textOf(labels + column(200, ['1,240', '980', '3,115']))).toBe(
      'Oak 1,240 cubic metres\nBeech 980 cubic metres\nSpruce 3,115 cubic metres',
    );
  });

  it('are no numbers of lines beside prose', async () => {
    const prose = [
      'The hall opens at nine',
      'and closes when the',
      'last guest has left it,',
      'at ten at the latest.',
    ];
    expect(await textOf(column(30, ['1', '2', '3', '4']) + column(60, prose))).toBe(
      `1\n2\n3\n4\n\n${prose.join('\n')}`,
    );
  });
});

describe('tables whose figures are apart', () => {
  it('have other figures in their rows, too', async () => {
    const names = ['Oak', 'Beech', 'Spruce'];
    const labels = names.map((name, i) => textAt(60, 700 - 13 * i, name)).join('');
    const sums = ['1,240', '980', '3,115'].map((sum, i) => textAt(200, 700 - 13 * i, sum)).join('');
    expect(await textOf(sums + labels + textAt(300, 687, '7'))).toBe('Oak 1,240\nBeech 980 7\nSpruce 3,115');
  });

  it('keep figures apart between which the file sets the spacing of letters', async () => {
    const row = 'BT /F1 10 Tf 60 700 Td (Kent 1,24) Tj 9 Tc (0) Tj (0) Tj (0) Tj 0 Tc (375) Tj ET';
    expect(await textOf(row)).toBe('Kent 1,240 0 0 375');
  });

  it('and words too, where it is set for one gap', async () => {
    expect(
      await textOf('BT /F1 10 Tf 60 700 Td (and whoeve) Tj 3.3 Tc (r) Tj 0 Tc (brings a dog) Tj ET'),
    ).toBe('and whoever brings a dog');
  });
});

describe('marks of lists', () => {
  it.each([
    ['after the text', true],
    ['before it', false],
  ])('that are drawn %s stand at their entries', async (_, isLast) => {
    const marks = textAt(60, 700, '1.') + textAt(60, 674, '2.') + textAt(64, 661, '\\225');
    const entries = ['first step, which', 'goes on here', 'second step', 'pears']
      .map((text, i) => textAt(76, 700 - 13 * i, text))
      .join('');
    expect(await textOf(isLast ? entries + marks : marks + entries)).toBe(
      '1. first step, which\ngoes on here\n2. second step\n• pears',
    );
  });
});

describe('accents over letters', () => {
  it('are parts of these, whichever is drawn first', async () => {
    const accent = (x: number, code: string, letter: string, y = 700) =>
      textAt(x, y, `\\${code}`) + textAt(60, 700, letter);
    expect(await textOf(accent(61, '250', 'a'))).toBe('ä');
    expect(await textOf(accent(61.5, '264', 'E', 702))).toBe('É');
    expect(await textOf(textAt(60, 700, 'c') + textAt(60.7, 700, '\\270'))).toBe('ç');
    expect(await textOf(textAt(60, 700, 'a\\264b'))).toBe('a´b');
  });
});

describe('two texts that are drawn by turns', () => {
  it('are two lines, where one is much larger and reaches over the other', async () => {
    const operators =
      textAt(60, 500, 'Big', '/F1 100 Tf') +
      textAt(60, 455, 'Small') +
      textAt(230, 500, 'Text', '/F1 100 Tf') +
      textAt(88, 455, 'text');
    expect(await textOf(operators)).toBe('Big Text\n\nSmall text');
  });
});
