/** Redraws lines in place on a terminal, as `top` does. */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { print } from '../../terminal/terminal.ts';

const ESC = '\u001b[';
const HOME = `${ESC}H`;
const CLEAR = `${ESC}2J`;
const TO_END_OF_LINE = `${ESC}K`;
const TO_END_OF_SCREEN = `${ESC}J`;
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;

/**
 * Cuts a line that would wrap, and ends it with `…`. A cut line loses its styles: half an escape sequence would change
 * the terminal.
 */
function cutToFit(line: string, columns: number): string {
  if (stringWidth(line) <= columns) return line;
  return `${[...stripVTControlCharacters(line)].slice(0, columns - 1).join('')}…`;
}

/** `draw` replaces the lines on the screen. `end` leaves the last ones there, with the cursor below them. */
export type Screen = { draw(lines: string[]): void; end(): void };

/** Takes over the terminal until `end`. The terminal may change its size meanwhile. */
export function openScreen(terminal: NodeJS.WriteStream): Screen {
  terminal.write(HIDE_CURSOR + CLEAR);
  return {
    draw(lines) {
      const { columns = 80, rows = 24 } = terminal;
      // The last row stays empty, since its line end would scroll the screen.
      const shown = lines.slice(0, rows - 1).map((line) => `${cutToFit(line, columns)}${TO_END_OF_LINE}\n`);
      terminal.write(HOME + shown.join('') + TO_END_OF_SCREEN);
    },
    end: () => void terminal.write(SHOW_CURSOR),
  };
}

/** The same for a pipe: each reading below the one before, with an empty line between. */
export function openPlainScreen(): Screen {
  let isFirst = true;
  return {
    draw(lines) {
      if (!isFirst) print('');
      isFirst = false;
      for (const line of lines) print(line);
    },
    end() {},
  };
}
