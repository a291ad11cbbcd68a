/** Tokens → lexemes: the forms of words that the index stores. */
import { foldAccents, unifyLetters } from './normalise.ts';
import { isStemmable } from './tokens.ts';

/**
 * Stems distinct tokens in a language of `LANGUAGES` other than `simple`. Returns the stems in the tokens' order, ''
 * for a stop word. (`ts_lexize('english_stem', token)`: an empty array is a stop word.)
 */
export type Stem = (language: string, tokens: string[]) => Promise<string[]>;

/** A language's known stems by token; '' for a stop word. */
export type Stems = ReadonlyMap<string, string>;

/** The distinct words whose stems `lexemesOf` needs: the plain words among the tokens, with and without accents. */
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
 * A token → its lexemes. A passage is indexed under all lexemes of its tokens, and a query looks up all lexemes of its
 * own. `stems` is empty for the language `simple`. A stop word is its own lexeme.
 *
 * - `asWritten`: the stem with its accents, if the stemmer leaves any.
 * - `unaccented`: the stem of the word without accents, where that is another lexeme. So words with and without accents
 *   find each other.
 *
 *   token          language   asWritten   unaccented
 *   información    spanish    inform      informacion
 *   informacion    spanish    informacion
 *   bán            simple     bán         ban
 *   yardım         turkish    yar         yardi
 *   yardim         turkish    yardı       yardi
 *
 * Variants of one letter (see `unifyLetters`) are not accents: both lexemes are `asWritten` then.
 */
export function lexemesOf(token: string, stems: Stems): LexemeVariants {
  const asWritten = unifyLetters(stems.get(token) || token);
  const plain = foldAccents(token);
  const other = foldAccents(stems.get(plain) || plain);
  if (other === asWritten) return { asWritten: [asWritten], unaccented: [] };
  return plain !== token && plain === unifyLetters(token)
    ? { asWritten: [asWritten, other], unaccented: [] }
    : { asWritten: [asWritten], unaccented: [other] };
}

/** One or two lexemes in all. */
export type LexemeVariants = { asWritten: string[]; unaccented: string[] };

/** A lexeme as tsquery text, in quotes so that nothing in it is an operator (PostgreSQL manual, 8.11.2). */
export const quoteLexeme = (lexeme: string): string =>
  `'${/['\\]/.test(lexeme) ? lexeme.replace(/['\\]/g, '$&$&') : lexeme}'`;
