/**
 * From a query's text to its terms and how often they occur, nearly always in one way to the database. Which lexemes
 * to ask for depends on the languages that the searched knowledge bases hold, and on the words' stems: the languages
 * are taken from the last time, stems are asked for along with the rest, and where the answer shows that something
 * else should have been asked for, it is asked again.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { impactTierLexeme, TIERS } from '../analysis/marks.ts';
import type { Database } from '../database/database.ts';
import { type QueryStatistics, readQueryStatistics } from './collection-statistics.ts';
import {
  analyseQuery,
  mostImportant,
  type QueryTerm,
  type QueryWords,
  readQuery,
  SCORED_TERMS_MAX,
} from './query-terms.ts';
import { dictionaryOf, type StemMemory } from './stems.ts';

/** What is asked, of the account's knowledge bases with these distinct ids or of all. */
export type Asked = { accountId: string; knowledgeBaseIds: string[] | undefined; query: string };

/**
 * A query's terms in the languages of the searched knowledge bases, and how often they occur there. `hasTiers`: the
 * frequencies of their tiers are among those.
 */
export type QueryAnalysis = { terms: QueryTerm[]; statistics: QueryStatistics; hasTiers: boolean };

/** Sets of knowledge bases whose languages and number are remembered: a few megabytes. */
const REMEMBERED_SETS = 10_000;
/** One for the languages, one for the stems, one for the numbers; what an import changes even then is not searched for. */
const ATTEMPTS = 4;
/** Stems of more words are asked for first, and counted only where they are among the terms that are looked up. */
const COUNTED_STEMS_MAX = 128;
/** A lexeme counts by itself and by the marks of its density. */
const PREFIXES = ['', ...TIERS.map((_, tier) => impactTierLexeme('', tier))];
/**
 * The tiers of a query of more terms than are scored are asked for once it is known which are: looking up four times as
 * much takes longer than a second way to the database.
 */
const TIERED_AT_ONCE_MAX = SCORED_TERMS_MAX;
/**
 * Counters that a query may have to read, a lexeme's in each knowledge base: a fifth of a second on a slow core. Where
 * there are many of both, lexemes are left out.
 */
const COUNTERS_MAX = 96_000;

/** The languages and the number of the knowledge bases that are searched. */
type SearchedSet = { languages: string[]; size: number };

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

/** A query's terms in these languages, as many as can be looked up in so many knowledge bases. */
function analyse(words: QueryWords, stems: StemsByLanguage, knowledgeBases: number): QueryTerm[] {
  const lexemesMax = COUNTERS_MAX / Math.max(1, knowledgeBases);
  return mostImportant(analyseQuery(words, stems), { lexemesMax, termsMin: SCORED_TERMS_MAX });
}

const lexemesOf = (terms: QueryTerm[]): string[] =>
  terms.flatMap(({ lexemes, unaccented }) => [...lexemes, ...unaccented]);

/**
 * Makes the function that understands queries over `database`; `memory` has the stems of words met before.
 * It throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids.
 */
export function createQueryAnalysis(database: Database, memory: StemMemory) {
  const sets = new LRUCache<string, SearchedSet>({ max: REMEMBERED_SETS });

  return async ({ accountId, knowledgeBaseIds: ids, query }: Asked): Promise<QueryAnalysis> => {
    const words = readQuery(query);
    const searchedSet = createHash('sha256')
      .update([accountId, ...(ids ?? [])].join(' '))
      .digest('base64');
    let { languages, size } = sets.get(searchedSet) ?? { languages: [], size: ids?.length ?? 1 };
    let stems = recallStems(words.toStem, languages, memory);
    for (let attempt = 1; ; attempt++) {
      const toStem = findUnknown(words.toStem, stems);
      const expected = analyse(words, stems, size);
      const lexemes = lexemesOf(expected);
      const hasTiers = expected.length <= TIERED_AT_ONCE_MAX;
      const isCountingStems = toStem.reduce((sum, { words }) => sum + words.length, 0) <= COUNTED_STEMS_MAX;
      const asked = { lexemes, prefixes: hasTiers ? PREFIXES : [''], toStem, isCountingStems };
      const statistics = await readQueryStatistics(database, { accountId, ids }, asked);
      const searched = { languages: statistics.searched.languages, size: statistics.searched.ids.length };
      // The terms of a long query take milliseconds: where nothing was learnt, they are those that were counted.
      const isAsExpected = toStem.length === 0 && isDeepStrictEqual(searched, { languages, size });
      if (isAsExpected) return { terms: expected, statistics, hasTiers };
      ({ languages, size } = searched);
      sets.set(searchedSet, searched);

      const counted = new Set(lexemes);
      toStem.forEach(({ language, words: unknown }, i) => {
        unknown.forEach((word, place) => {
          const stem = statistics.stems[i]?.[place] ?? '';
          memory.remember(language, word, stem);
          stems.get(language)?.set(word, stem);
          if (isCountingStems) counted.add(stem || word);
        });
      });
      stems = new Map([...recallStems(words.toStem, languages, memory), ...stems]);
      for (const language of stems.keys()) if (!languages.includes(language)) stems.delete(language);

      const terms = analyse(words, stems, size);
      const isAnswered =
        findUnknown(words.toStem, stems).length === 0 &&
        lexemesOf(terms).every((lexeme) => counted.has(lexeme));
      if (isAnswered || attempt === ATTEMPTS) return { terms, statistics, hasTiers };
    }
  };
}
