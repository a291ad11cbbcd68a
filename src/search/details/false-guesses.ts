/**
 * Finds the guesses that no text bears out. A guess is a stem one or two letters away, but a stem hides the word:
 * `expense` is near `extens`, which may stand for `Extension`.
 */
import { isLikely, plain } from '../expansion/likely-words.ts';
import type { FoundPassage } from '../ranking/statement/found-passages.ts';
import type { WeightedTerm } from '../ranking/term-weights.ts';

/**
 * The passages whose texts judge guesses, whatever the limit of a search: otherwise a smaller limit would not return
 * the first results of a larger one. As many as a search returns that names no limit, so that it reads no further text.
 */
const JUDGED_PASSAGES = 10;

/** Letters before and after the part of a word that a stem has in common with it. */
const WORD_MAX = 40;

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const isLetter = (text: string, at: number): boolean => LETTER.test(text.charAt(at));

/** A guess: the lexeme, and the word of the query that it was taken for. */
type Guess = { lexeme: string; word: string };

const guessesOf = (terms: WeightedTerm[]): Guess[] =>
  terms.flatMap(({ word, variants }) =>
    variants
      .filter(({ match }) => match === 'guess')
      .flatMap(({ sequence }) => sequence.map((lexeme) => ({ lexeme, word }))),
  );

/** The passages to rank for a search of this limit: enough of them to judge its guesses, if it has any. */
export const limitToJudge = (limit: number, terms: WeightedTerm[]): number =>
  guessesOf(terms).length === 0 ? limit : Math.max(limit, JUDGED_PASSAGES);

/** Letters of the shortest stem whose last one may differ. */
const CUT_FROM = 4;

/** The letters of a stem that its words begin with, or contain: its last one may differ (`happi` in `happy`). */
const commonPart = (lexeme: string): string => {
  const letters = plain(lexeme);
  return letters.length < CUT_FROM ? letters : letters.slice(0, -1);
};

/** The words of a text that contain some letters, each once. */
function* wordsWith(letters: string, text: string): Generator<string> {
  const words = new Set<string>();
  for (let at = text.indexOf(letters); at !== -1; ) {
    let [start, end] = [at, at + letters.length];
    while (start > 0 && at - start < WORD_MAX && isLetter(text, start - 1)) start--;
    while (end < text.length && end - at < WORD_MAX && isLetter(text, end)) end++;
    const word = text.slice(start, end);
    if (!words.has(word)) yield word;
    words.add(word);
    at = text.indexOf(letters, end);
  }
}

/** A passage with its title and headings, folded as the words of guesses are. */
const textOf = ({ title, headings, content }: FoundPassage): string =>
  plain([title, ...(headings ?? []), content].join('\n'));

/**
 * The lexemes that were guessed, and stand for other words in all of the best found passages. A lexeme that none of
 * them seems to have is not judged.
 */
export function findFalseGuesses(found: FoundPassage[], terms: WeightedTerm[]): ReadonlySet<string> {
  const guesses = guessesOf(terms);
  if (guesses.length === 0 || found.length === 0) return new Set();
  const text = found.slice(0, JUDGED_PASSAGES).map(textOf).join('\n');
  const isFalse = ({ lexeme, word }: Guess): boolean => {
    let isFound = false;
    for (const written of wordsWith(commonPart(lexeme), text)) {
      if (isLikely(word, written)) return false;
      isFound = true;
    }
    return isFound;
  };
  return new Set(guesses.filter(isFalse).map(({ lexeme }) => lexeme));
}
