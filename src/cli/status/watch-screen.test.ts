/** A watch redraws in place on a terminal of any size, and gives the cursor back. */
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openScreen } from './watch-screen.ts';

/** A terminal that keeps what was written to it. */
function openTerminal(size: { columns: number; rows: number }) {
  const written: string[] = [];
  const terminal = { ...size, write: (text: string) => void written.push(text) };
  return { terminal: terminal as unknown as NodeJS.WriteStream, size: terminal, written };
}

test('lines that do not fit are cut, in both directions, also after the terminal has become smaller', () => {
  const { terminal, size, written } = openTerminal({ columns: 6, rows: 4 });
  const screen = openScreen(terminal);
  screen.draw(['fits', '\u001b[1mtoo long\u001b[22m', 'third', 'fourth']);
  expect(stripVTControlCharacters(written.at(-1) ?? '')).toBe('fits\ntoo l…\nthird\n');
  Object.assign(size, { columns: 2, rows: 2 });
  screen.draw(['fits', 'no']);
  expect(stripVTControlCharacters(written.at(-1) ?? '')).toBe('f…\n');
});

test('each drawing begins at the top and erases what is left of the one before; the end shows the cursor', () => {
  const { terminal, written } = openTerminal({ columns: 80, rows: 24 });
  const screen = openScreen(terminal);
  screen.draw(['one']);
  screen.end();
  expect(written).toEqual(['\u001b[?25l\u001b[2J', '\u001b[Hone\u001b[K\n\u001b[J', '\u001b[?25h']);
});
