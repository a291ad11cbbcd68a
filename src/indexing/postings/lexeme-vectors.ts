/** The vectors of a document's lexemes. Each is looked up once, and not once for each passage. */
import type { Language } from '../../analysis/language.ts';
import type { VectorsIn, WordVector } from '../../meaning/passage-vectors.ts';
import type { TokenIds } from './token-ids.ts';

/** Finds the vector of a lexeme; undefined: it has none. */
export type LexemeVector = (lexeme: number) => WordVector | undefined;

/**
 * Returns a function for the vectors of a document's lexemes in a language; undefined where the language has none. Of the
 * lexemes, marked tokens and reserved lexemes are no words, and have no vectors.
 */
export function createLexemeVectors(
  vectorsIn: VectorsIn,
  tokenIds: TokenIds,
): (language: Language) => LexemeVector | undefined {
  const languages = new Map<Language, LexemeVector | undefined>();
  const openLanguage = (language: Language): LexemeVector | undefined => {
    const vectorOf = vectorsIn(language);
    if (vectorOf === undefined) return undefined;
    const known = new Map<number, WordVector | undefined>();
    return (lexeme) => {
      let vector = known.get(lexeme);
      if (vector === undefined && !known.has(lexeme)) {
        vector = vectorOf(tokenIds.textOf(lexeme));
        known.set(lexeme, vector);
      }
      return vector;
    };
  };
  return (language) => {
    if (!languages.has(language)) languages.set(language, openLanguage(language));
    return languages.get(language);
  };
}
