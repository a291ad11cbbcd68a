/** Finds the gaps of a line that separate words. */
import type { Glyph } from '../glyphs/glyphs.ts';
import type { GlyphLine } from './group-lines.ts';

/** A gap this many ems wider than the usual one between letters separates words. The narrowest blanks have 0.15. */
const WORD_GAP_EMS = 0.102;
/** Letters that are spaced out are spaced less evenly: a word gap exceeds their gap by this part of it, too. */
const WORD_GAP_SHARE = 0.35;
/** Letters spaced out by blanks have one between them, and two or three between words. */
const WIDER_BLANK = 1.6;
/** What begins this far before the end of the last piece is another text over it; an accent is less far. */
const OVERPRINT_EMS = 0.8;
/** A blank that leaves less than this was taken back by the next movement. */
const BLANK_MIN_EMS = 0.03;
/** Chinese and Japanese have no blanks, but lines are stretched to full width: only a third of a letter is a gap. */
const IDEOGRAPH_GAP_EMS = 0.33;
const isIdeograph = (text: string): boolean => text >= '\u2e80' && IDEOGRAPH.test(text);
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Wider gaps stand between cells, and do not count for the usual gap. */
const LETTER_GAP_MAX_EMS = 1;
/** Fewer gaps do not show whether letters are spaced out. */
const SPACED_GAPS_MIN = 3;
/** This share of the gaps is nearly the same where letters are spaced out. */
const SPACED_EVENLY = 0.6;
const EVEN_EMS = 0.05;
/** Unless the file sets the spacing of its letters, this share must be letters: figures may be a row of numbers. */
const SPACED_LETTERS = 0.8;

/** A gap of a line, in ems. `isBlank`: white space was drawn there. `font`: that of both sides, '' where they differ. */
type Gap = { ems: number; isBlank: boolean; font: string; left: Glyph; right: Glyph };

/** For each glyph of the line whether white space stands before it. */
export function findWordGaps(line: GlyphLine): boolean[] {
  const gaps = line.slice(1).map((glyph, i): Gap => gapBetween(line[i] ?? glyph, glyph));
  const spacings = new Map<string, LetterSpacing>();
  for (const [font, own] of Map.groupBy(gaps, ({ font }) => font)) spacings.set(font, letterSpacing(own));
  return [false, ...gaps.map((gap) => isWordGap(gap, spacings.get(gap.font) ?? NO_SPACING))];
}

function gapBetween(left: Glyph, right: Glyph): Gap {
  const em = Math.max(left.em, right.em);
  const ems = em > 0 ? (right.start - left.end) / em : 0;
  const isAlike = left.font === right.font && left.size === right.size;
  return {
    ems,
    isBlank: right.isAfterBlank || (left.isAfterBlank && left.order > right.order),
    font: isAlike ? left.font : '',
    left,
    right,
  };
}

/** The usual gap between letters, in ems. `byBlanks`: blanks make it, one after each letter. */
type LetterSpacing = { ems: number; byBlanks: boolean };
const NO_SPACING: LetterSpacing = { ems: 0, byBlanks: false };

function letterSpacing(gaps: Gap[]): LetterSpacing {
  const near = gaps.filter(({ ems }) => ems < LETTER_GAP_MAX_EMS);
  const [first] = near;
  if (!first || first.font === '') return NO_SPACING;
  const set = first.left.em > 0 ? first.left.spacing / first.left.em : 0;
  if (near.length < SPACED_GAPS_MIN) return { ems: Math.max(0, set), byBlanks: false };
  const usual = Float64Array.from(near, ({ ems }) => ems).sort()[near.length >> 1] ?? 0;
  if (usual <= WORD_GAP_EMS) return { ems: Math.max(0, usual), byBlanks: false };
  const byBlanks = near.filter(({ isBlank }) => isBlank).length > near.length / 2;
  const isSpaced = isEven(near, usual) && (Math.abs(usual - set) < EVEN_EMS || isText(near, usual));
  return isSpaced ? { ems: usual, byBlanks } : NO_SPACING;
}

function isEven(gaps: Gap[], usual: number): boolean {
  const same = gaps.filter(({ ems }) => Math.abs(ems - usual) <= Math.max(EVEN_EMS, 0.2 * usual));
  return same.length >= SPACED_EVENLY * gaps.length;
}

/** Whether enough of the glyphs are letters, and follow each other as in words: a row of marks is a list. */
function isText(gaps: Gap[], usual: number): boolean {
  const text = gaps
    .map(({ ems, right: { text } }) => `${ems > WIDER_BLANK * usual ? '  ' : ' '}${text}`)
    .join('');
  const letters = text.match(/\p{L}(?!\S)/gu) ?? [];
  return letters.length >= SPACED_LETTERS * gaps.length && !LISTED_LETTERS.test(text);
}

/** Three equal letters ("X X X"), or a capital after a small letter ("a A b B"). */
const LISTED_LETTERS = /(?<!\S)(\p{L}) \1 \1(?!\S)|\p{Ll} \p{Lu} (?!\p{Lu})/u;

function isWordGap({ ems, isBlank, left, right }: Gap, spacing: LetterSpacing): boolean {
  if (ems < -OVERPRINT_EMS) return true;
  if (spacing.byBlanks) return ems > WIDER_BLANK * spacing.ems;
  if (isBlank && ems > BLANK_MIN_EMS) return true;
  if (isIdeograph(left.text) && isIdeograph(right.text)) return ems > spacing.ems + IDEOGRAPH_GAP_EMS;
  return ems > spacing.ems + Math.max(WORD_GAP_EMS, WORD_GAP_SHARE * spacing.ems);
}
