/** What the glyphs of each font of a file look like as text, to tell letters from numbers of glyphs. */
import type { Glyph } from '../glyphs/glyph.ts';
import { contradictsLetters, letterNumber } from './letter-widths.ts';

/**
 * Counts of one font. `widths`: in ems, by the number of a Latin letter. `pairs`: neighbours inside a word that are
 * letters, and of these `mixed`, whose scripts differ. `running`: unknown characters right after another glyph.
 * `shaped`: letters of scripts whose letters change their forms or order beside others.
 * `latin`: Latin letters, of these `frequent` ones and those `inWords`, right after another glyph. `blanks`: widths.
 */
export type FontSample = {
  glyphs: number;
  unknown: number;
  running: number;
  shaped: number;
  kinds: Set<string>;
  pairs: number;
  mixed: number;
  latin: number;
  frequent: number;
  inWords: number;
  widths: Map<number, number>;
  blanks: Set<number>;
  last: Glyph | undefined;
};

export const emptySample = (): FontSample => ({
  ...{ glyphs: 0, unknown: 0, running: 0, shaped: 0, kinds: new Set<string>(), pairs: 0, mixed: 0 },
  ...{ latin: 0, frequent: 0, inWords: 0, widths: new Map<number, number>(), last: undefined },
  blanks: new Set(),
});

/**
 * Controls, private and unassigned characters, and U+FFFD. Adobe's small capitals, figures and parts of brackets are
 * known.
 */
const UNKNOWN =
  /^[[\p{Cc}\p{Co}\p{Cn}\ufffd]--[\uf001\uf002\uf730-\uf739\uf761-\uf77a\uf7e0-\uf7fe\uf8e5-\uf8fe]]/v;

/** These make up 51 % (Polish) to 65 % (Finnish) of the letters of any language in Latin script. */
const FREQUENT = /[eainorst]/i;

/** Adds a glyph, which must be drawn after those before. */
export function addToSample(sample: FontSample, glyph: Glyph): void {
  const { text, start, end, em, isAfterBlank } = glyph;
  const { last } = sample;
  sample.glyphs++;
  sample.last = glyph;
  const isNext = last !== undefined && !isAfterBlank && isBeside(last, glyph);
  const letter = letterNumber(text);
  if (letter !== undefined) {
    sample.latin++;
    if (FREQUENT.test(text)) sample.frequent++;
    if (isNext) sample.inWords++;
    if (!sample.widths.has(letter)) sample.widths.set(letter, (end - start) / em);
  }
  if (text >= '\u007f' || text < ' ') countUnknown(sample, text, isNext);
  if (text >= SHAPED_FIRST && isShaped(text)) sample.shaped++;
  if (isNext) countPair(sample, last.text, text);
}

/** Whether the next glyph of a page continues a word. */
const isBeside = (left: Glyph, { start, across, em, order }: Glyph): boolean =>
  left.order === order - 1 && Math.abs(start - left.end) < em && Math.abs(across - left.across) < em;

function countUnknown(sample: FontSample, text: string, isNext: boolean): void {
  if (!UNKNOWN.test(text)) return;
  sample.unknown++;
  sample.kinds.add(text);
  if (isNext) sample.running++;
}

function countPair(sample: FontSample, left: string, right: string): void {
  // Most pairs are Latin letters, of which none are mixed.
  if (left < '\u0370' && right < '\u0370') return;
  const [a, b] = [scriptOf(left), scriptOf(right)];
  if (a === undefined || b === undefined) return;
  sample.pairs++;
  if (a !== b) sample.mixed++;
}

/** Greek letters are symbols among Latin ones; Chinese and Japanese words join letters of several scripts. */
const JOINING = ['Latin', 'Greek', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'];
const SHAPED = [
  ...[
    'Arabic',
    'Syriac',
    'Thaana',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
    'Tamil',
    'Telugu',
  ],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan', 'Myanmar', 'Khmer', 'Mongolian'],
];
/** The first letter of these scripts. */
const SHAPED_FIRST = '\u0600';
const OTHERS = [...SHAPED, 'Cyrillic', 'Armenian', 'Hebrew', 'Georgian', 'Ethiopic', 'Cherokee'];
const scriptClass = (names: string[]) =>
  new RegExp(`^[${names.map((name) => `\\p{Script=${name}}`).join('')}]`, 'u');
const SCRIPTS = [scriptClass(JOINING), ...OTHERS.map((name) => scriptClass([name]))];

const known = new Map<string, number | undefined>();

/** A number for the script of a letter or mark; undefined for other characters. */
function scriptOf(text: string): number | undefined {
  const [character = ''] = text;
  if (!known.has(character)) {
    const script = /^[\p{L}\p{M}]/u.test(character)
      ? SCRIPTS.findIndex((letters) => letters.test(character))
      : -1;
    known.set(character, script < 0 ? undefined : script);
  }
  return known.get(character);
}

function isShaped(text: string): boolean {
  const script = scriptOf(text) ?? 0;
  return script > 0 && script <= SHAPED.length;
}

/** A font with this share of unknown characters has no usable map: text has a few signs at most. */
const UNKNOWN_SHARE = 0.3;
const UNKNOWN_MIN = 5;
/**
 * Where this share of the known characters are letters of a shaped script, unknown ones are parts of syllables, which
 * the file names for the first glyph of the syllable, or nowhere.
 */
const SHAPED_SHARE = 0.5;
/** Fewer unknown characters are signs. */
const SYLLABLES_SHARE = 0.03;
/** Where numbers are taken for letters, scripts differ in half of the pairs. */
const MIXED_SHARE = 0.15;
const MIXED_MIN = 5;
/** The share of frequent letters below which Latin letters are no language. */
const FREQUENT_SHARE = 0.45;
/** So many unknown characters, one after another as letters are, are no signs such as bullets. */
const RUNNING_MIN = 10;
const KINDS_MIN = 10;
/** Letters that stand alone, each before text of another font, are initials, which may have any form. */
const IN_WORDS_MIN = 0.5;

/** A font has one blank. So many are letters that its map has no other name for. */
const BLANKS_MIN = 3;

/**
 * What a font's text is: `letters`, `signs` that have no letters (bullets, icons), `noise`, or `doubtful`, where its
 * letters have the widths of others, but may be a language, or where some are missing; `incomplete`, where parts of
 * syllables are missing.
 */
export type FontKind = 'letters' | 'signs' | 'noise' | 'doubtful' | 'incomplete';

export function kindOf(sample: FontSample): FontKind {
  const { glyphs, unknown, running, kinds, pairs, mixed, latin, frequent, inWords, widths, blanks } = sample;
  if (unknown === glyphs) return running >= RUNNING_MIN && kinds.size >= KINDS_MIN ? 'noise' : 'signs';
  const isMixed = mixed >= MIXED_MIN && mixed >= MIXED_SHARE * pairs;
  if (!isMixed && lacksSyllables(sample)) return 'incomplete';
  if (unknown >= UNKNOWN_MIN && unknown >= UNKNOWN_SHARE * glyphs)
    return running >= RUNNING_MIN ? 'noise' : 'signs';
  if (isMixed) return 'noise';
  if (inWords >= IN_WORDS_MIN * latin && contradictsLetters(widths))
    return frequent < FREQUENT_SHARE * latin ? 'noise' : 'doubtful';
  return blanks.size >= BLANKS_MIN ? 'doubtful' : 'letters';
}

const lacksSyllables = ({ glyphs, unknown, kinds, shaped }: FontSample): boolean =>
  (unknown >= SYLLABLES_SHARE * glyphs || kinds.has('\0')) &&
  shaped > 0 &&
  shaped >= SHAPED_SHARE * (glyphs - unknown);
