/**
 * Words that are common in a language, though no stop words of PostgreSQL: `much`, `get`, `need`. The package
 * stopwords-iso has such lists for 57 languages, most of them of 100 to 800 words.
 */
import lists from 'stopwords-iso' with { type: 'json' };
import { languageOfCode } from './language.ts';

/** The lists also have digits and signs, which are no words of a language. */
const WORD = /^[\p{L}\p{M}']+$/u;

const wordsByLanguage = new Map<string, ReadonlySet<string>>();
for (const [language, ofCodes] of Map.groupBy(Object.entries(lists), ([code]) => languageOfCode(code)))
  wordsByLanguage.set(
    language,
    new Set(ofCodes.flatMap(([, words]) => words.filter((word) => WORD.test(word)))),
  );

/** Whether a word in lower case is common in any of these languages. `simple` stands for all without a stemmer. */
export const isCommonWord = (word: string, languages: Iterable<string>): boolean =>
  Array.from(languages).some((language) => wordsByLanguage.get(language)?.has(word));
