/**
 * Finds the guesses that no text bears out. A guess is a stem one or two letters away, but a stem hides the word:
 * `expense` is near `extens`, which may stand for `Extension`.
 */
import { editDistance } from '../../analysis/edit-distance.ts';
import { foldAccents } from '../../analysis/normalise.ts';
import { tokenise } from '../../analysis/tokens.ts';
import type { Queryable } from '../../database/connection/database.ts';
import type { FoundPassage } from '../ranking/ranking.ts';
import type { WeightedTerm } from '../ranking/term-weights.ts';
import { wordReader } from './matched-words.ts';
import { type Matches, readMatches } from './matches.ts';

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

/** Whether one of two words is a part of the other, but for an ending. */
const isPartOf = (part: string, whole: string): boolean =>
  part.length >= SHARED_FROM &&
  whole.includes(part.slice(0, Math.max(SHARED_FROM, part.length - ENDING_MAX)));

/** Whether readers would take the word of a text for the word of a query. */
export function isLikely(queried: string, written: string): boolean {
  const [left, right] = [foldAccents(queried.toLowerCase()), foldAccents(written.toLowerCase())];
  return editDistance(left, right) <= errorsIn(left) || isPartOf(left, right) || isPartOf(right, left);
}

/** A guess: the lexeme, and the word of the query that it was taken for. */
type Guess = { lexeme: string; word: string };

const guessesOf = (terms: WeightedTerm[]): Guess[] =>
  terms.flatMap(({ word, variants }) =>
    variants
      .filter(({ match }) => match === 'guess')
      .flatMap(({ phrase }) => phrase.map((lexeme) => ({ lexeme, word }))),
  );

/** The words of a passage that may stand for a lexeme found in it. The places of titles and headings are unknown. */
function candidateWords(
  { title, headings, content }: FoundPassage,
  matches: Matches,
  lexeme: string,
): string[] {
  const inTitles = [title, ...(headings ?? [])].flatMap((text) => tokenise(text).tokens);
  return [...wordReader(content, matches)([lexeme]), ...inTitles];
}

/**
 * The lexemes that were guessed, and stand for other words in all of the found passages. Nothing is read without guesses;
 * with them, texts up to the first one that bears the guess out.
 */
export async function findFalseGuesses(
  database: Queryable,
  found: FoundPassage[],
  terms: WeightedTerm[],
): Promise<ReadonlySet<string>> {
  const guesses = guessesOf(terms);
  if (guesses.length === 0 || found.length === 0) return new Set();
  const guessed = terms.filter(({ variants }) => variants.some(({ match }) => match === 'guess'));
  const matches = await readMatches(database, found, { terms: guessed, phrases: [] });
  const having = ({ lexeme }: Guess) =>
    found.flatMap((passage, i) => {
      const own = matches[i];
      return own?.frequencies.has(lexeme) ? [{ passage, own }] : [];
    });
  const isFalse = (guess: Guess): boolean => {
    const passages = having(guess);
    return (
      passages.length > 0 &&
      !passages.some(({ passage, own }) =>
        candidateWords(passage, own, guess.lexeme).some((written) => isLikely(guess.word, written)),
      )
    );
  };
  return new Set(guesses.filter(isFalse).map(({ lexeme }) => lexeme));
}
