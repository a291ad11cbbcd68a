/**
 * Spellings that a query may have meant by a word: those one letter away, and transcriptions of umlauts and their like.
 */
import { foldAccents } from './normalise.ts';

/**
 * The letters that may replace one of a misspelt word, by script: Latin (without accents, see `foldAccents`), Greek,
 * Cyrillic, Armenian, Hebrew, Arabic, Devanagari, Tamil, Georgian.
 */
const ALPHABETS = (
  [
    ['az'],
    ['αω'],
    ['ая', 'єє', 'ії', 'ґґ'],
    ['աֆ'],
    ['את'],
    ['ءغ', 'في'],
    ['अह', 'ा्'],
    ['அஹ', 'ா்'],
    ['აჰ'],
  ] as const
).map((ranges) => ranges.flatMap(lettersIn));

/** A range's first and last letter → its letters and marks, without unassigned code points. */
function lettersIn(range: string): string[] {
  const [first = 0, last = first] = Array.from(range, (letter) => letter.codePointAt(0));
  const all = Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i));
  return all.filter((letter) => /[\p{L}\p{M}]/u.test(letter));
}

/** The alphabet of a word; the word's own letters for a script without one here. */
const alphabetOf = (letters: string[]): string[] =>
  ALPHABETS.find((alphabet) => letters.some((letter) => alphabet.includes(letter))) ?? letters;

/** Spellings near a word, by whether they begin with its first letter. None has accents. */
export type Respellings = { sameStart: string[]; otherStart: string[] };

/**
 * The words without accents that are one edit away from a word: a letter too few, too many, another or two neighbours
 * exchanged (Damerau, 1964). About 54 for each letter of a Latin word.
 */
export function respellings(word: string): Respellings {
  const plain = foldAccents(word);
  const letters = Array.from(plain);
  const alphabet = alphabetOf(letters);
  const spellings = new Set<string>();
  for (let i = 0; i <= letters.length; i++) {
    const before = letters.slice(0, i).join('');
    const after = letters.slice(i + 1).join('');
    const [at = '', next = ''] = letters.slice(i);
    for (const letter of alphabet) {
      spellings.add(before + letter + at + after);
      if (at !== '') spellings.add(before + letter + after);
    }
    if (at !== '') spellings.add(before + after);
    if (next !== '') spellings.add(before + next + at + letters.slice(i + 2).join(''));
  }
  spellings.delete(plain);
  const { sameStart = [], otherStart = [] } = Object.groupBy(spellings, (spelling) =>
    spelling.startsWith(letters[0] ?? '') ? 'sameStart' : 'otherStart',
  );
  return { sameStart, otherStart };
}

/** Letter → its transcription, a pair. The first letter of a pair is that letter without its accent. */
const TRANSCRIBED = new Map([
  ['ä', 'ae'],
  ['æ', 'ae'],
  ['ö', 'oe'],
  ['ø', 'oe'],
  ['ü', 'ue'],
  ['å', 'aa'],
]);
const TRANSCRIBED_LETTERS = new RegExp(`[${[...TRANSCRIBED.keys()].join('')}]`, 'g');
const TRANSCRIPTIONS = new RegExp([...new Set(TRANSCRIBED.values())].join('|'), 'g');
/** In a word of more pairs than this, only the first ones are tried: each pair doubles the spellings. */
const PAIRS_MAX = 4;

/**
 * The spellings without accents of a word whose umlauts are transcribed, or the other way round.
 *
 *   mueller   muller
 *   müller    mueller
 *   neubauer  neubaur (not all pairs are transcriptions: the index knows)
 */
export function transcriptions(word: string): string[] {
  const spellings = new Set([
    foldAccents(word.replace(TRANSCRIBED_LETTERS, (letter) => TRANSCRIBED.get(letter) ?? letter)),
  ]);
  const plain = foldAccents(word);
  const pairs = [...plain.matchAll(TRANSCRIPTIONS)].slice(0, PAIRS_MAX);
  let spelled = [plain];
  // From the end, so that the earlier pairs keep their positions.
  for (const { index } of pairs.reverse()) {
    spelled = spelled.flatMap((text) => [text, text.slice(0, index + 1) + text.slice(index + 2)]);
  }
  for (const spelling of spelled) spellings.add(spelling);
  spellings.delete(plain);
  return [...spellings];
}
