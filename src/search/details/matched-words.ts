/** Reads how the text of a passage writes the lexemes that a query has found in it. */
import { spanReader } from '../../analysis/token-spans.ts';
import { type Matches, placesOfSequence } from './matches.ts';

/** Code points of a word, which may be a whole address. */
const WORD_MAX = 200;

/**
 * The words that stand for lexemes side by side in a passage, as its content writes them: each once, the first ones
 * first.
 */
export type ReadWords = (sequence: string[]) => string[];

export function wordReader(content: string, { tokens }: Pick<Matches, 'tokens'>): ReadWords {
  const characters = [...content];
  const spanOf = spanReader(content);
  const wordsFrom = (token: number, sequence: string[]): string[] => {
    const [first, last] = [spanOf(token, sequence[0]), spanOf(token + sequence.length - 1, sequence.at(-1))];
    if (first === undefined || last === undefined) return [];
    return [characters.slice(first.start, last.end).slice(0, WORD_MAX).join('')];
  };
  return (sequence) => [
    ...new Set(placesOfSequence(sequence, tokens).flatMap((token) => wordsFrom(token, sequence))),
  ];
}
