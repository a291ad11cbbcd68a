/**
 * From a query's text to its terms and how often they occur, nearly always in one way to the database. Which lexemes
 * to ask for depends on the languages that the searched knowledge bases hold, and on the words' stems: the languages
 * are taken from the last time, stems are asked for along with the rest, and where the answer shows that something
 * else should have been asked for, it is asked again.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../storage/database.ts';
import { type QueryStatistics, readQueryStatistics } from '../storage/query-statistics.ts';
import { TIERS, tierMark } from './marks.ts';
import { analyseQuery, type QueryTerm, readQuery } from './query-terms.ts';
import { dictionaryOf, type StemMemory } from './stems.ts';

/** What is asked, of the account's knowledge bases with these distinct ids or of all. */
export type Asked = { accountId: string; knowledgeBaseIds: string[] | undefined; query: string };

/** A query's terms in the languages of the searched knowledge bases, and how often they occur there. */
export type Understanding = { terms: QueryTerm[]; statistics: QueryStatistics };

/** Sets of knowledge bases whose languages are remembered: a few megabytes. */
const REMEMBERED_SETS = 10_000;
/** So often may an import in yet another language come between; what is unknown even then is not searched for. */
const ATTEMPTS = 3;
/** A lexeme counts by itself and by the marks of its density. */
const PREFIXES = ['', ...TIERS.map((_, tier) => tierMark('', tier))];

/** The stems of a query's words by language, as far as they are known; none in a language without stemmer. */
type StemsByLanguage = Map<string, Map<string, string>>;

function recallStems(words: string[], languages: string[], memory: StemMemory): StemsByLanguage {
  const stemsIn = (language: string) => {
    const stems = new Map<string, string>();
    for (const word of dictionaryOf(language) === undefined ? [] : words) {
      const stem = memory.recall(language, word);
      if (stem !== undefined) stems.set(word, stem);
    }
    return stems;
  };
  return new Map(languages.map((language) => [language, stemsIn(language)]));
}

/** The words whose stems are not known, by language. */
function findUnknown(words: string[], stems: StemsByLanguage) {
  return [...stems].flatMap(([language, known]) => {
    const dictionary = dictionaryOf(language);
    const unknown = dictionary === undefined ? [] : words.filter((word) => !known.has(word));
    return dictionary === undefined || unknown.length === 0 ? [] : [{ language, dictionary, words: unknown }];
  });
}

const lexemesOf = (terms: QueryTerm[]): string[] =>
  terms.flatMap(({ lexemes, unaccented }) => [...lexemes, ...unaccented]);

/**
 * Makes the function that understands queries over `database`; `memory` has the stems of words met before.
 * It throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids.
 */
export function createUnderstanding(database: Database, memory: StemMemory) {
  const languagesOf = new LRUCache<string, string[]>({ max: REMEMBERED_SETS });

  return async ({ accountId, knowledgeBaseIds: ids, query }: Asked): Promise<Understanding> => {
    const words = readQuery(query);
    const searchedSet = createHash('sha256')
      .update([accountId, ...(ids ?? [])].join(' '))
      .digest('base64');
    let stems = recallStems(words.toStem, languagesOf.get(searchedSet) ?? [], memory);
    for (let attempt = 1; ; attempt++) {
      const toStem = findUnknown(words.toStem, stems);
      const lexemes = lexemesOf(analyseQuery(words, stems));
      const asked = { lexemes, prefixes: PREFIXES, toStem };
      const statistics = await readQueryStatistics(database, { accountId, ids }, asked);
      const { languages } = statistics.searched;
      languagesOf.set(searchedSet, languages);

      const counted = new Set(lexemes);
      toStem.forEach(({ language, words: unknown }, i) => {
        unknown.forEach((word, place) => {
          const stem = statistics.stems[i]?.[place] ?? '';
          memory.remember(language, word, stem);
          stems.get(language)?.set(word, stem);
          counted.add(stem || word);
        });
      });
      stems = new Map([...recallStems(words.toStem, languages, memory), ...stems]);
      for (const language of stems.keys()) if (!languages.includes(language)) stems.delete(language);

      const terms = analyseQuery(words, stems);
      const isAnswered =
        findUnknown(words.toStem, stems).length === 0 &&
        lexemesOf(terms).every((lexeme) => counted.has(lexeme));
      if (isAnswered || attempt === ATTEMPTS) return { terms, statistics };
    }
  };
}
