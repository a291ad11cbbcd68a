/**
 * Shortens a reading to the rows of a terminal: what matters least goes first, and a last line says what is missing.
 */
import { enumerate, pluralise } from '../../terminal/formats.ts';

/** How early a line is left out, from the first to the last. Essential ones only where not even they have room. */
const ORDER = ['furtherOperation', 'space', 'detail', 'past', 'operation', 'essential'] as const;

export type Line = { text: string; kind: (typeof ORDER)[number] };

const isOperation = ({ kind }: Line): boolean => kind === 'operation' || kind === 'furtherOperation';

function describeMissing(missing: Line[]): string {
  const operations = missing.filter(isOperation).length;
  const others = missing.filter((line) => !isOperation(line) && line.kind !== 'space').length;
  const parts = [
    operations > 0 ? [pluralise(operations, 'operation')] : [],
    others > 0 ? [pluralise(others, 'other line')] : [],
  ].flat();
  return `Left out on this screen: ${enumerate(parts)}; --json has all.`;
}

/** The lines that have room in `rows`; undefined: all have. Of one kind, the last is left out first. */
export function fitRows(lines: Line[], rows: number | undefined): string[] {
  const textsOf = (shown: Line[]) => shown.map(({ text }) => text);
  if (rows === undefined || lines.length <= rows) return textsOf(lines);
  const room = Math.max(0, rows - 1);
  const rankOf = ({ kind }: Line) => ORDER.indexOf(kind);
  const byWorth = lines.map((line, index) => ({ line, index })).toReversed();
  const leftOut = byWorth
    .toSorted((one, other) => rankOf(one.line) - rankOf(other.line))
    .slice(0, lines.length - room)
    .map(({ line }) => line);
  const missing = new Set(leftOut);
  const shown = lines.filter((line) => !missing.has(line));
  const isMissed = leftOut.some(({ kind }) => kind !== 'space');
  return isMissed ? [...textsOf(shown), describeMissing(leftOut)] : textsOf(shown);
}
