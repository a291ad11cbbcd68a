/** Finds vertical lines of Chinese and Japanese that are drawn letter by letter in a font for horizontal lines. */
import type { Glyph } from './glyph.ts';

const EAST_ASIAN =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\ufe10-\ufe4f\uff00-\uffef]/u;

/** Letters of a line stand this far below each other, in ems. Rows of a table are further apart. */
const STEP_MIN_EMS = 0.4;
const STEP_MAX_EMS = 1.35;
/** Their centres differ by less, in ems. */
const CENTRE_EMS = 0.35;
/** Fewer are no line. */
const STACKED_MIN = 3;
/** The part of the letters of these scripts that stands above the baseline, in ems. */
const ASCENT_EMS = 0.88;

/** The glyphs in the same order. Glyphs of such lines become glyphs of vertical lines. */
export function turnStacked(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(isEastAsian)) return glyphs;
  const turned: Glyph[] = [];
  for (let i = 0; i < glyphs.length; ) {
    const end = endOfStack(glyphs, i);
    const stack = glyphs.slice(i, end);
    for (const glyph of stack) turned.push(stack.length < STACKED_MIN ? glyph : asVertical(glyph));
    i = end;
  }
  return turned;
}

function endOfStack(glyphs: Glyph[], start: number): number {
  let end = start + 1;
  for (
    let above = glyphs[start], next = glyphs[end];
    above && next && isBelow(above, next);
    next = glyphs[end]
  ) {
    above = next;
    end++;
  }
  return end;
}

function isBelow(above: Glyph, glyph: Glyph): boolean {
  if (!isEastAsian(above) || !isEastAsian(glyph)) return false;
  const [a, b] = [asVertical(above), asVertical(glyph)];
  const step = b.start - a.start;
  return (
    Math.abs(a.across - b.across) < CENTRE_EMS * a.em &&
    step > STEP_MIN_EMS * a.em &&
    step < STEP_MAX_EMS * a.em
  );
}

const isEastAsian = ({ text, direction, isVertical }: Glyph): boolean =>
  text >= '\u1100' && (isVertical || direction === '0') && EAST_ASIAN.test(text);

/** The same place, counted down the line. */
function asVertical(glyph: Glyph): Glyph {
  const { start, end, across, em, size, isVertical } = glyph;
  if (isVertical) return glyph;
  const top = -(across + ASCENT_EMS * size);
  return {
    ...glyph,
    start: top,
    end: top + em,
    across: (start + end) / 2,
    direction: '-90 vertical',
    isVertical: true,
  };
}
