/** Passages in a terminal: what is marked, and where lines end. */
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { indent, markMatches } from './highlighted-text.ts';

const brackets = (match: string) => `[${match}]`;

test('ranges count code points, and the rest stays', () => {
  const ranges = [
    { start: 0, end: 1 },
    { start: 3, end: 5 },
  ];
  expect(markMatches('😀 a日本', ranges, brackets)).toBe('[😀] a[日本]');
  expect(markMatches('plain', [], brackets)).toBe('plain');
});

test('what would control the terminal becomes spaces, without moving the marks', () => {
  expect(markMatches('\u001b[31mred\u0007', [{ start: 5, end: 8 }], brackets)).toBe(' [31m[red] ');
  expect(markMatches('a\u202eb\u2066c', [{ start: 2, end: 3 }], brackets)).toBe('a[b]c');
});

test.each([
  ['English', 'The café opens at nine and closes at six, except on Sundays.'],
  ['Chinese', '绿茶怕烫,水烧开以后放到八十度左右再冲,茶汤才会清甜。红茶和普洱要用刚烧开的水。'],
  ['Arabic', 'تفتح المقهى أبوابها في التاسعة صباحا وتغلق في السادسة مساء ما عدا يوم الأحد'],
  ['a long word', 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'],
])('%s is wrapped to the columns of the terminal, and loses nothing', (_name, text) => {
  const lines = indent(text, '   ', 30).split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    expect(line).toMatch(/^ {3}/);
    expect(stringWidth(line)).toBeLessThanOrEqual(30);
  }
  const withoutSpaces = (value: string) => value.replaceAll(/\s/g, '');
  expect(withoutSpaces(lines.join(''))).toBe(withoutSpaces(text));
});

test('where standard output is no terminal, lines stay as they are', () => {
  const text = `${'word '.repeat(100)}\n\nend`;
  expect(indent(text, '  ', undefined)).toBe(`  ${'word '.repeat(100)}\n\n  end`);
});
