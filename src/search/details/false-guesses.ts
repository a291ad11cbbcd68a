/**
 * Finds the guesses that no text bears out. A guess is a stem one or two letters away, but a stem hides the word:
 * `expense` is near `extens`, which may stand for `Extension`.
 */
import { editDistance } from '../../analysis/edit-distance.ts';
import { foldAccents } from '../../analysis/normalise.ts';
import type { FoundPassage } from '../ranking/ranking.ts';
import type { WeightedTerm } from '../ranking/term-weights.ts';

/** A word and a compound that contains it share at least as many letters. */
const SHARED_FROM = 4;
/** Letters of the ending of a part that its compound may lack. */
const ENDING_MAX = 2;

/**
 * Letters that may differ between a word and the word that is taken for it: typing errors, and another ending. Mean of
 * the ratios to BM25 on xquad-en, -de, -ru and -ar, with one typing error in each query, and with two:
 *
 *   no guess is dropped            .9996   .9599
 *   these                          .9981   .9619
 *   one more for each word         .9989   .9609
 *   2 from 5 letters on, 3 from 10 .9965   .9619
 */
const errorsIn = ({ length }: string): number => (length < 5 ? 1 : length < 8 ? 2 : length < 10 ? 3 : 4);

const plain = (text: string): string => foldAccents(text.toLowerCase());

/** Letters before and after the part of a word that a stem has in common with it. */
const WORD_MAX = 40;

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const isLetter = (text: string, at: number): boolean => LETTER.test(text.charAt(at));

/** Whether one of two words is a part of the other, but for an ending. */
const isPartOf = (part: string, whole: string): boolean =>
  part.length >= SHARED_FROM &&
  whole.includes(part.slice(0, Math.max(SHARED_FROM, part.length - ENDING_MAX)));

/** Whether readers would take the word of a text for the word of a query. */
export function isLikely(queried: string, written: string): boolean {
  const [left, right] = [plain(queried), plain(written)];
  const errors = errorsIn(left);
  const isNear = Math.abs(left.length - right.length) <= errors && editDistance(left, right) <= errors;
  return isNear || isPartOf(left, right) || isPartOf(right, left);
}

/** A guess: the lexeme, and the word of the query that it was taken for. */
type Guess = { lexeme: string; word: string };

const guessesOf = (terms: WeightedTerm[]): Guess[] =>
  terms.flatMap(({ word, variants }) =>
    variants
      .filter(({ match }) => match === 'guess')
      .flatMap(({ phrase }) => phrase.map((lexeme) => ({ lexeme, word }))),
  );

/** The letters of a stem that its words begin with, or contain: its last one may differ (`happi` in `happy`). */
const commonPart = (lexeme: string): string => {
  const letters = plain(lexeme);
  return letters.length < SHARED_FROM ? letters : letters.slice(0, -1);
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
 * The lexemes that were guessed, and stand for other words in all of the found passages. A lexeme that none of them seems
 * to have is not judged.
 */
export function findFalseGuesses(found: FoundPassage[], terms: WeightedTerm[]): ReadonlySet<string> {
  const guesses = guessesOf(terms);
  if (guesses.length === 0 || found.length === 0) return new Set();
  const text = found.map(textOf).join('\n');
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
