/** Reads how the text of a passage writes the lexemes that a query has found in it. */
import { spanReader } from '../../analysis/token-spans.ts';
import { type Matches, placesOfPhrase } from './matches.ts';

/** Code points of a word, which may be a whole address. */
const WORD_MAX = 200;

/** The words that stand for lexemes side by side in a passage, as its content writes them: each once, the first ones first. */
export type ReadWords = (phrase: string[]) => string[];

export function wordReader(content: string, { tokens }: Pick<Matches, 'tokens'>): ReadWords {
  const characters = [...content];
  const spanOf = spanReader(content);
  const wordsFrom = (token: number, phrase: string[]): string[] => {
    const [first, last] = [spanOf(token, phrase[0]), spanOf(token + phrase.length - 1, phrase.at(-1))];
    if (first === undefined || last === undefined) return [];
    return [characters.slice(first.start, last.end).slice(0, WORD_MAX).join('')];
  };
  return (phrase) => [
    ...new Set(placesOfPhrase(phrase, tokens).flatMap((token) => wordsFrom(token, phrase))),
  ];
}
