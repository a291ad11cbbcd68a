/** Reads how the text of a passage writes the lexemes that a query has found in it. */
import { spanReader } from '../../analysis/token-spans.ts';
import type { Matches } from './matches.ts';

/** Code points of a word, which may be a whole address. */
const WORD_MAX = 200;

/** The words that stand for a lexeme in a passage, as its content writes them: each once, the first ones first. */
export type ReadWords = (lexeme: string) => string[];

export function wordReader(content: string, { tokens }: Pick<Matches, 'tokens'>): ReadWords {
  const characters = [...content];
  const spanOf = spanReader(content);
  const wordAt = (token: number, lexeme: string): string[] => {
    const span = spanOf(token, lexeme);
    return span === undefined ? [] : [characters.slice(span.start, span.end).slice(0, WORD_MAX).join('')];
  };
  return (lexeme) => [...new Set((tokens.get(lexeme) ?? []).flatMap((token) => wordAt(token, lexeme)))];
}
