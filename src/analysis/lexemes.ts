/** Turns tokens into lexemes. */
import { foldAccents, unifyLetters } from './normalise.ts';
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
 * The lexemes under which a passage is found by one of its tokens; `stems` is empty for the language `simple`. A stop
 * word is its own lexeme. `asWritten` is the stem with its accents, if the stemmer leaves any. `unaccented` is what
 * the stem would be for a writer without accents, where that is another lexeme: by it each spelling finds the others.
 *
 *   token          language   asWritten   unaccented
 *   información    spanish    inform      informacion
 *   informacion    spanish    informacion
 *   bán            simple     bán         ban
 *   yardım         turkish    yar         yardi
 *   yardim         turkish    yardı       yardi
 *
 * Letters that are the same to everybody (see `unifyLetters`) are no accents: both lexemes are `asWritten` then.
 */
export function lexemesOf(token: string, stems: Stems): TokenLexemes {
  const asWritten = unifyLetters(stems.get(token) || token);
  const plain = foldAccents(token);
  const other = foldAccents(stems.get(plain) || plain);
  if (other === asWritten) return { asWritten: [asWritten], unaccented: [] };
  return plain !== token && plain === unifyLetters(token)
    ? { asWritten: [asWritten, other], unaccented: [] }
    : { asWritten: [asWritten], unaccented: [other] };
}

/** Together one or two. */
export type TokenLexemes = { asWritten: string[]; unaccented: string[] };

/** A lexeme as tsquery text; quoted by us, so that nothing in it is an operator (PostgreSQL manual, 8.11.2). */
export const quoteLexeme = (lexeme: string): string => `'${lexeme.replace(/['\\]/g, '$&$&')}'`;
