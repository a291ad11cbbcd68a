/** Turns tokens into lexemes. */
import { foldAccents } from './normalise.ts';
import { isStemmable } from './tokens.ts';

/**
 * Stems distinct tokens in a language of `LANGUAGES` other than `simple`: the stems in the tokens' order, ''
 * for a stop word. (`ts_lexize('english_stem', token)`: an empty array is a stop word.)
 */
export type Stem = (language: string, tokens: string[]) => Promise<string[]>;

/** A language's stems by token, as far as they were asked for; '' for a stop word. */
export type Stems = ReadonlyMap<string, string>;

/** The distinct words for which `lexemesOf` needs stems: the plain words among the tokens, with and without accents. */
export function wordsToStem(tokens: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const token of new Set(tokens)) {
    if (!isStemmable(token)) continue;
    words.add(token);
    words.add(foldAccents(token));
  }
  return [...words];
}

/**
 * The lexemes of a token: its stem without accents, and where it differs the stem of the token without accents
 * (Spanish `información` gives inform, `informacion` itself), so that either spelling finds the other. They are
 * alternatives for one word. A stop word is its own lexeme. `stems` is empty for the language `simple`.
 */
export function lexemesOf(token: string, stems: Stems): string[] {
  const plain = foldAccents(token);
  const lexeme = foldAccents(stems.get(token) || token);
  if (plain === token) return [lexeme];
  const alternative = foldAccents(stems.get(plain) || plain);
  return alternative === lexeme ? [lexeme] : [lexeme, alternative];
}

/** A lexeme as tsquery text; quoted by us, so that nothing in it is an operator (PostgreSQL manual, 8.11.2). */
export const quoteLexeme = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
