/** The stems of a query's words, as far as they are known without the database. */
import { dictionaryOf, type StemMemory } from '../../indexing/stems.ts';

/** The known stems of a query's words by language; a language without a stemmer has none. */
export type StemsByLanguage = Map<string, Map<string, string>>;

/** The stems in `memory`, and those `known` besides. */
export function recallStems(
  words: string[],
  languages: string[],
  memory: StemMemory,
  known: StemsByLanguage = new Map(),
): StemsByLanguage {
  const stemsIn = (language: string) => {
    const stems = new Map(known.get(language));
    for (const word of dictionaryOf(language) === undefined ? [] : words) {
      const stem = stems.get(word) ?? memory.recall(language, word);
      if (stem !== undefined) stems.set(word, stem);
    }
    return stems;
  };
  return new Map(languages.map((language) => [language, stemsIn(language)]));
}

/** The words of one language whose stems are unknown; `dictionary` is PostgreSQL's name for its stemmer. */
export type UnknownWords = { language: string; dictionary: string; words: string[] };

/** The words whose stems are unknown, by language. */
export function findUnknown(words: string[], stems: StemsByLanguage): UnknownWords[] {
  return [...stems].flatMap(([language, known]) => {
    const dictionary = dictionaryOf(language);
    const unknown = dictionary === undefined ? [] : words.filter((word) => !known.has(word));
    return dictionary === undefined || unknown.length === 0 ? [] : [{ language, dictionary, words: unknown }];
  });
}

/** Remembers the stems that a statement has read. Returns their lexemes. */
export function rememberStems(
  toStem: UnknownWords[],
  read: string[][],
  { stems, memory }: { stems: StemsByLanguage; memory: StemMemory },
): string[] {
  return toStem.flatMap(({ language, words }, i) =>
    words.map((word, k) => {
      const stem = read[i]?.[k] ?? '';
      memory.remember(language, word, stem);
      stems.get(language)?.set(word, stem);
      return stem || word;
    }),
  );
}
