/** Passages for a terminal: matches in bold, lines of its width. */
import wrapAnsi from 'wrap-ansi';
import type { Highlight } from '../../generated/types.gen.ts';
import { toVisible } from './terminal.ts';

/** Marks the ranges of a text, which are in its order and count code points. */
export function markMatches(text: string, ranges: Highlight[], mark: (match: string) => string): string {
  const points = Array.from(text);
  const slice = (start: number, end?: number) => toVisible(points.slice(start, end).join(''));
  const marked = ranges.map(({ start, end }, index) => {
    const before = slice(ranges[index - 1]?.end ?? 0, start);
    return before + mark(slice(start, end));
  });
  return marked.join('') + slice(ranges.at(-1)?.end ?? 0);
}

/** The fewest columns in which text is wrapped. In fewer, lines run on. */
const COLUMNS_MIN = 20;

/** Wraps a text to lines of so many columns, and indents them. `columns` undefined: lines may have any length. */
export function indent(text: string, by: string, columns: number | undefined): string {
  const width = columns === undefined ? undefined : Math.max(COLUMNS_MIN, columns - by.length);
  const wrapped = width === undefined ? text : wrapAnsi(text, width, { hard: true, trim: false });
  return wrapped.replaceAll(/^(?=.)/gm, by);
}
