/** Puts the values of form fields at their place among the lines of a page. */
import type { FormValue } from '../annotations.ts';
import type { Glyph } from '../glyphs/glyph.ts';
import type { GlyphLine } from './group-lines.ts';

/** Values of a page that are compared with its lines; the others come last. */
const PLACED_MAX = 2_000;
/** A field stands on the line whose baseline is inside of it, or this far below, in points. */
const BELOW_POINTS = 4;
/** A label above a field is at most this far from it, one below too. */
const NEAR_POINTS = 16;
/** Letters of a value, where it stands on a line of its own. */
const VALUE_SIZE = 10;

/**
 * The lines with the values: after the label on their left, else after the label above or below, else at the end.
 */
export function placeValues(lines: GlyphLine[], values: FormValue[]): GlyphLine[] {
  const placed = lines.map((line) => [...line]);
  const below = new Map<GlyphLine, GlyphLine[]>();
  const last: GlyphLine[] = [];
  for (const [i, value] of values.entries()) {
    const beside = i < PLACED_MAX ? placed.find((line) => isBeside(line, value)) : undefined;
    if (beside) {
      insert(beside, value);
      continue;
    }
    const label = i < PLACED_MAX ? nearest(placed, value) : undefined;
    const own = [glyphOf(value)];
    if (label) below.set(label, [...(below.get(label) ?? []), own]);
    else last.push(own);
  }
  return [...placed.flatMap((line) => [line, ...(below.get(line) ?? [])]), ...last];
}

const isLevel = (glyph: Glyph | undefined): glyph is Glyph => glyph?.direction === '0';

/** Whether the line runs through the field, with something on its left. */
function isBeside(line: GlyphLine, { box: [left, bottom, , top] }: FormValue): boolean {
  const [first] = line;
  return (
    isLevel(first) && first.across >= bottom - BELOW_POINTS && first.across <= top && first.start <= left
  );
}

function insert(line: GlyphLine, value: FormValue): void {
  const next = line.findIndex(({ start }) => start >= value.box[0]);
  const at = next < 0 ? line.length : next;
  line.splice(at, 0, glyphOf(value, line[at - 1] ?? line[at]));
}

/** The nearest line above the field, or else below it. */
function nearest(lines: GlyphLine[], { box: [left, bottom, right, top] }: FormValue): GlyphLine | undefined {
  let found: GlyphLine | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const [first, end] = [line[0], line.at(-1)];
    if (!isLevel(first) || !end || first.start > right || end.end < left) continue;
    const above = first.across - top;
    const below = bottom - first.across;
    // Any line above is nearer than those below.
    const distance = above >= 0 ? above : below + NEAR_POINTS;
    const isNear = above >= 0 ? above <= NEAR_POINTS : below >= 0 && below <= NEAR_POINTS;
    if (!isNear || distance >= least) continue;
    least = distance;
    found = line;
  }
  return found;
}

/** A value is one glyph with blanks around it. `beside`: it has the size and the baseline of that one. */
function glyphOf({ text, box: [left, bottom, right] }: FormValue, beside?: Glyph): Glyph {
  const { across = bottom, size = VALUE_SIZE, em = VALUE_SIZE, order = 0 } = beside ?? {};
  return {
    ...{ text: ` ${text} `, start: left, end: Math.max(left, right), across, em, size, direction: '0' },
    ...{ isVertical: false, font: '', style: '', spacing: 0, code: 0, isCode: false, order },
    isAfterBlank: true,
  };
}
