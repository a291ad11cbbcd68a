/**
 * Joins Persian affixes to their words. Persian writes an affix in three ways: after a space, after a zero-width
 * non-joiner (see `normaliseText`), or directly. So می شود and می‌شود are both found by میشود.
 */
import { unifyLetters } from './normalise.ts';

/** The imperfective and its negation. */
const PREFIXES = new Set(['می', 'نمی'].map(unifyLetters));
/** Plural, comparison, possession and the copula. */
const SUFFIXES = new Set(
  [
    'ها',
    'های',
    'هایی',
    'هایم',
    'هایت',
    'هایش',
    'هایمان',
    'هایتان',
    'هایشان',
    'تر',
    'ترین',
    'ای',
    'ام',
    'ات',
    'اش',
    'اند',
  ].map(unifyLetters),
);

/** Two words of Arabic letters, with a space or a zero-width non-joiner between them. */
const PAIR =
  /^(?<first>[\p{Script=Arabic}\p{M}]+)(?<between>[ \u200c])(?<second>[\p{Script=Arabic}\p{M}]+)$/u;
const PAIR_MAX_LENGTH = 50;

/**
 * Two words → one, if a zero-width non-joiner stands between them, or a space and one is an affix; otherwise undefined.
 */
export function joinWords(words: string): string | undefined {
  if (words.charCodeAt(0) < FIRST_ARABIC || words.length > PAIR_MAX_LENGTH) return undefined;
  const { first = '', between, second = '' } = PAIR.exec(words)?.groups ?? {};
  const areOne =
    between === '\u200c' || PREFIXES.has(unifyLetters(first)) || SUFFIXES.has(unifyLetters(second));
  return areOne ? first + second : undefined;
}

const FIRST_ARABIC = 0x600;
