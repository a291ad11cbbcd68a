/** The vectors of a document's lexemes. Each is looked up once, and not once for each passage. */
import { classesOf, IN_RUN } from '../../analysis/characters.ts';
import type { Language } from '../../analysis/language.ts';
import type { VectorsIn, WordVector } from '../../meaning/passage-vectors.ts';
import type { TokenIds } from './token-ids.ts';

const isUnspaced = (text: string): boolean => (classesOf(text.charCodeAt(0)) & IN_RUN) !== 0;

/** The same as `LanguageVectors`, by lexeme. */
export type LexemeVectors = { vectorOf(lexeme: number): WordVector | undefined; mean: Float32Array };

/**
 * Returns a function for the vectors of a document's lexemes in a language; undefined where the language has none. Of
 * the lexemes, marked tokens and reserved lexemes are no words, and have no vectors. Neither have bigrams, whose words
 * are found otherwise (see unspaced-words.ts).
 */
export function createLexemeVectors(
  vectorsIn: VectorsIn,
  tokenIds: TokenIds,
): (language: Language) => LexemeVectors | undefined {
  const languages = new Map<Language, LexemeVectors | undefined>();
  const openLanguage = (language: Language): LexemeVectors | undefined => {
    const vectors = vectorsIn(language);
    if (vectors === undefined) return undefined;
    const known = new Map<number, WordVector | undefined>();
    const vectorOf = (lexeme: number): WordVector | undefined => {
      let vector = known.get(lexeme);
      if (vector === undefined && !known.has(lexeme)) {
        const text = tokenIds.textOf(lexeme);
        vector = isUnspaced(text) ? undefined : vectors.vectorOf(text);
        known.set(lexeme, vector);
      }
      return vector;
    };
    return { vectorOf, mean: vectors.mean };
  };
  return (language) => {
    if (!languages.has(language)) languages.set(language, openLanguage(language));
    return languages.get(language);
  };
}
