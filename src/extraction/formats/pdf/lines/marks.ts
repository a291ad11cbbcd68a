/** Joins vowel signs and other marks to the letters that they are drawn over. */
import type { Glyph } from '../glyphs/glyph.ts';
import { mayRunLeft } from './logical-order.ts';

/** Marks that combine with the letter before, and in Khmer letters that a mark puts under it. */
const MARKS = /^[\p{Mn}\p{Me}]+$/u;
const UNDER = /^\p{Mn}/u;
/** A letter with marks, or with the Thai and Lao vowel am, of which a part is one. */
const SYLLABLE = /^\p{L}.*[\p{M}\u0e33\u0eb3]/su;
/** The first mark of Hebrew. Those of Latin letters before it stand on their baseline, or are operators (U+0338). */
const FIRST = '\u0591';

/** A mark stands at most this far beside its letter, in ems, and this far from its baseline, in sizes of it. */
const BESIDE_EMS = 0.5;
const RAISED_MAX = 1;
/** Baselines that differ by less, in ems, are the same. */
const SAME_BASELINE_EMS = 0.03;
/** A glyph this narrow, in ems, takes no room. */
const NARROW_EMS = 0.02;

/**
 * The glyphs in the order of drawing, a letter and its marks as one. Fonts draw marks at places of their own, which are
 * no gaps between words. Some files name the whole syllable for the letter and again for each mark: once is enough.
 */
export function joinMarks(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(isOver)) return glyphs;
  const joined: Glyph[] = [];
  /** Marks that are drawn before their letter, as in text that runs to the left. */
  let early: Glyph[] = [];
  for (const [i, glyph] of glyphs.entries()) {
    const last = early.length === 0 ? joined.at(-1) : undefined;
    if (!isOver(glyph)) {
      if (last && isNamedAgain(last, glyph)) joined.splice(-1, 1, { ...last, end: glyph.end });
      else joined.push(early.reduceRight(withMark, glyph));
      early = [];
      continue;
    }
    if (isBeforeLetter(glyph, last, glyphs.slice(i + 1, i + 1 + MARKS_MAX))) early.push(glyph);
    else if (last && touches(last, glyph)) joined.splice(-1, 1, withMark(last, glyph));
    else joined.push(glyph);
  }
  return [...joined, ...early];
}

/** A letter has fewer marks, and a syllable fewer characters. */
const MARKS_MAX = 5;
const SYLLABLE_MAX = 50;

/** Whether a glyph is drawn over a letter: a mark, or a syllable that takes no room. */
const isOver = ({ text, start, end, em }: Glyph): boolean =>
  text >= FIRST &&
  (MARKS.test(text) || (end - start < NARROW_EMS * em && (UNDER.test(text) || SYLLABLE.test(text))));

/** Whether a glyph is another part of the same syllable, for which the file names all of it again. */
const isNamedAgain = (last: Glyph, { text, code, start, em, across }: Glyph): boolean =>
  text >= FIRST &&
  last.text === text &&
  last.code !== code &&
  Math.abs(last.across - across) < SAME_BASELINE_EMS * em &&
  Math.abs(start - last.end) < BESIDE_EMS * em &&
  SYLLABLE.test(text);

/** Whether a mark is drawn over a letter, or right beside it. */
function touches(letter: Glyph, { start, end, across, direction, text }: Glyph): boolean {
  if (letter.text.length > SYLLABLE_MAX || (!UNDER.test(text) && !letter.text.startsWith(text))) return false;
  const centre = (start + end) / 2;
  const reach = BESIDE_EMS * letter.em;
  return (
    letter.direction === direction &&
    Math.abs(letter.across - across) < RAISED_MAX * letter.size &&
    centre > letter.start - reach &&
    centre < letter.end + reach
  );
}

/** Whether a mark belongs to the letter after it: in text that runs to the left, but is drawn from left to right. */
function isBeforeLetter(mark: Glyph, last: Glyph | undefined, following: Glyph[]): boolean {
  if (!mayRunLeft(mark.text)) return false;
  const next = following.find((glyph) => !isOver(glyph));
  return next !== undefined && touches(next, mark) && !(last && next.start < last.start);
}

/** `mark`: drawn after the letter, or before it. */
function withMark(letter: Glyph, mark: Glyph): Glyph {
  const { text, start, end } = mark;
  const isAfterBlank = letter.isAfterBlank || (mark.isAfterBlank && mark.order < letter.order);
  if (letter.text.startsWith(text)) return { ...letter, isAfterBlank };
  const hasRoom = end - start >= NARROW_EMS * letter.em;
  return {
    ...letter,
    isAfterBlank,
    text: `${letter.text}${text}`,
    start: hasRoom ? Math.min(letter.start, start) : letter.start,
    end: hasRoom ? Math.max(letter.end, end) : letter.end,
  };
}
