/**
 * Turns a query's text into its terms and their document frequencies, nearly always in one round trip to the database.
 *
 * The lexemes to look up depend on the languages of the searched knowledge bases and on the stems of the query's words.
 * The first attempt assumes the languages of the last search. Its statement also returns the stems that are unknown. If
 * the result shows that other lexemes are needed, the statement runs again.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import type { Queryable } from '../../database/connection/database.ts';
import type { DocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { impactTierLexeme, TIERS } from '../../indexing/postings/impact-tiers.ts';
import { dictionaryOf, type StemMemory } from '../../indexing/stems.ts';
import type { VectorsIn } from '../../meaning/passage-vectors.ts';
import { type Phrase, tokensToLookUp, toPhrases } from '../phrases/phrases.ts';
import type { SynonymGroup } from '../synonyms/synonym-groups.ts';
import {
  affordable,
  findSpans,
  readGroups,
  type SynonymSpan,
  withinLexemes,
} from '../synonyms/synonym-spans.ts';
import { createStatistics, type QueryStatistics } from './collection-statistics.ts';
import { ownLanguage, type QueryMeaning, readMeaning, type SearchMode } from './query-meaning.ts';
import {
  analyseQuery,
  lexemesAsWritten,
  mostImportant,
  type QueryTerm,
  type QueryWords,
  readQuery,
  SCORED_TERMS_MAX,
} from './query-terms.ts';
import { withSynonyms } from './synonyms-of-terms.ts';

/**
 * A query over the account's knowledge bases with these distinct ids, or over all of them.
 * `skipsDeleted`: ids that the account lacks are no error. `restriction`: which documents exist for the caller;
 * undefined: all.
 */
export type ScopedQuery = {
  accountId: string;
  knowledgeBaseIds: string[] | undefined;
  skipsDeleted?: boolean;
  query: string;
  mode?: SearchMode | undefined;
  restriction?: DocumentFilter | undefined;
};

/**
 * A query's terms in the languages of the searched knowledge bases, and their document frequencies there.
 *
 * - `spans`: the parts of the query that have synonyms.
 * - `hasTiers`: the frequencies include the terms' impact tiers.
 * - `phrases`: the texts that the query has in quotes; of `excessPhrases` only the words count (see phrases.ts).
 */
export type QueryAnalysis = {
  /** All tokens of the query in order, without the stacked ones. */
  tokens: string[];
  /** undefined where the query has none, or is to be by words. */
  meaning: QueryMeaning | undefined;
  terms: QueryTerm[];
  spans: SynonymSpan[];
  statistics: QueryStatistics;
  hasTiers: boolean;
  phrases: Phrase[];
  excessPhrases: string[];
};

/** Sets of knowledge bases whose languages and number are remembered: a few megabytes. */
const REMEMBERED_SETS = 10_000;
/**
 * The most attempts: one each for the languages, the stems, the document frequencies, and the stems and frequencies of
 * synonyms, and one more. Changes by imports after the last attempt are ignored.
 */
const ATTEMPTS = 6;
/**
 * With more unknown words than this, an attempt reads only their stems. The next one reads the document frequencies of
 * the most important of them.
 */
const COUNTED_STEMS_MAX = 128;
/** A lexeme is looked up by itself and in each of its impact tiers. */
const PREFIXES = ['', ...TIERS.map((_, tier) => impactTierLexeme('', tier))];
/**
 * A query of more terms than this reads the document frequencies of impact tiers in a second statement, when the terms
 * to score are known. To look up four times as many lexemes at once takes longer than a second round trip.
 */
const TIERED_AT_ONCE_MAX = SCORED_TERMS_MAX;
/**
 * Terms in more passages than this are also queried by impact tier. The time of a query is flat from 300 to 3,000.
 * Where a search covers no more passages, it looks up no tiers.
 */
export const TIERED_FROM = 1_000;
/**
 * Document frequencies that a query may read, one for each lexeme in each knowledge base: they take a fifth of a second
 * on a slow core. A query of many lexemes over many knowledge bases loses its least important terms.
 */
const FREQUENCIES_MAX = 96_000;

/**
 * The languages and the number of the searched knowledge bases. `mayHaveTiers`: they have enough passages for terms
 * that are queried by impact tier.
 */
type SearchedSet = { languages: string[]; size: number; mayHaveTiers: boolean };

/** The known stems of a query's words by language; a language without a stemmer has none. */
type StemsByLanguage = Map<string, Map<string, string>>;

/** The stems in `memory`, and those `known` besides. */
function recallStems(
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

/** The words whose stems are unknown, by language. */
function findUnknown(words: string[], stems: StemsByLanguage) {
  return [...stems].flatMap(([language, known]) => {
    const dictionary = dictionaryOf(language);
    const unknown = dictionary === undefined ? [] : words.filter((word) => !known.has(word));
    return dictionary === undefined || unknown.length === 0 ? [] : [{ language, dictionary, words: unknown }];
  });
}

/** The terms of a query, and the lexemes of each token of its phrases. */
type AnalysedWords = { terms: QueryTerm[]; phraseLexemes: Map<string, string[]> };

/** Spellings of phrases take at most this share of the lexemes that may be looked up. */
const SPELLINGS_SHARE = 0.25;
/** Remembers the stems that a statement has read. Returns their lexemes. */
function rememberStems(
  toStem: ReturnType<typeof findUnknown>,
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

/**
 * The synonyms of a query as far as its stems are known.
 *
 * - `groups`: those that may be about its words; undefined before they are found.
 * - `toStem`: words of the groups that need stems.
 * - `lexemes`: of the synonyms in `spans`.
 */
type QuerySynonyms = {
  groups: SynonymGroup[] | undefined;
  toStem: string[];
  spans: SynonymSpan[];
  lexemes: string[];
};

const UNKNOWN_SYNONYMS: QuerySynonyms = { groups: undefined, toStem: [], spans: [], lexemes: [] };

/** Lexemes of the synonyms of one query, if it covers one knowledge base: five times as many as its words have. */
const SYNONYM_LEXEMES_MAX = 1_000;

function readSynonyms(
  query: string,
  found: SynonymGroup[],
  stems: StemsByLanguage,
  knowledgeBases: number,
): QuerySynonyms {
  const { groups, toStem } = readGroups(found);
  const lexemesMax = Math.min(SYNONYM_LEXEMES_MAX, FREQUENCIES_MAX / Math.max(1, knowledgeBases));
  return { groups, toStem, ...withinLexemes(findSpans(query, groups, stems), lexemesMax) };
}

/** A query's terms in these languages: as many as may be looked up in this number of knowledge bases. */
function analyse(words: QueryWords, stems: StemsByLanguage, knowledgeBases: number): AnalysedWords {
  const lexemesMax = FREQUENCIES_MAX / Math.max(1, knowledgeBases);
  const phraseTokens = tokensToLookUp(
    words.phrases,
    (SPELLINGS_SHARE * lexemesMax) / Math.max(1, stems.size),
  );
  return {
    terms: mostImportant(analyseQuery(words, stems), { lexemesMax, termsMin: SCORED_TERMS_MAX }),
    phraseLexemes: lexemesAsWritten(phraseTokens, stems),
  };
}

/** The distinct lexemes of the terms and the phrases. */
const lexemesOf = ({ terms, phraseLexemes }: AnalysedWords): string[] => {
  const variants = terms.flatMap(({ lexemes, unaccented }) => [...lexemes, ...unaccented]);
  return phraseLexemes.size === 0
    ? variants
    : [...new Set([...variants, ...[...phraseLexemes.values()].flat()])];
};

/**
 * Creates the function that analyses queries over a database. `memory` has the stems of earlier words. The function
 * throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids.
 */
export function createQueryAnalysis(memory: StemMemory, vectorsIn?: VectorsIn) {
  const sets = createBoundedCache<SearchedSet>(REMEMBERED_SETS);

  const readStatistics = createStatistics();

  return async (
    database: Queryable,
    { accountId, knowledgeBaseIds: ids, skipsDeleted, query, mode = 'both', restriction }: ScopedQuery,
  ): Promise<QueryAnalysis> => {
    const words = readQuery(query);
    // What is in quotes is searched as it is written.
    const hasMeaning = vectorsIn !== undefined && mode !== 'words' && words.phrases.spelt.length === 0;
    const own = hasMeaning ? ownLanguage(query) : undefined;
    /** The stems in the language of the query first, then in the languages of the passages. */
    const meaningStems = () => new Map([...recallStems(words.toStem, own ?? [], memory), ...stems]);
    const toAnalysis = (
      { terms, phraseLexemes }: AnalysedWords,
      { spans, ...read }: Pick<QueryAnalysis, 'spans' | 'statistics' | 'hasTiers'>,
    ): QueryAnalysis => ({
      ...read,
      tokens: words.tokens,
      ...withSynonyms(query, terms, affordable(spans, read.statistics.frequencies)),
      meaning: hasMeaning
        ? readMeaning(
            { query, tokens: words.tokens, own: own ?? [], searched: read.statistics.searched.languages },
            meaningStems(),
            vectorsIn,
          )
        : undefined,
      phrases: toPhrases(words.phrases, phraseLexemes, read.statistics.frequencies),
      excessPhrases: words.phrases.excess,
    });
    const searchedSet = createHash('sha256')
      .update([accountId, ...(ids ?? []), ...(restriction ? [restriction.path] : [])].join(' '))
      .digest('base64');
    const unknownSet: SearchedSet = { languages: [], size: ids?.length ?? 1, mayHaveTiers: true };
    let { languages, size, mayHaveTiers } = sets.get(searchedSet) ?? unknownSet;
    let stems = recallStems(words.toStem, languages, memory);
    let expected = analyse(words, stems, size);
    let synonyms = UNKNOWN_SYNONYMS;
    for (let attempt = 1; ; attempt++) {
      const toStem = [
        ...findUnknown([...words.toStem, ...synonyms.toStem], stems),
        ...findUnknown(words.toStem, recallStems(words.toStem, own ?? [], memory)).filter(
          ({ language }) => !stems.has(language),
        ),
      ];
      const lexemes = [...lexemesOf(expected), ...synonyms.lexemes];
      const hasTiers = mayHaveTiers && expected.terms.length <= TIERED_AT_ONCE_MAX;
      const isCountingStems = toStem.reduce((sum, { words }) => sum + words.length, 0) <= COUNTED_STEMS_MAX;
      const isFindingSynonyms = synonyms.groups === undefined;
      const prefixes = hasTiers ? PREFIXES : [''];
      const toLookUp = { lexemes, prefixes, toStem, isCountingStems, isFindingSynonyms };
      const statistics = await readStatistics(
        database,
        { accountId, ids, skipsDeleted, restriction },
        toLookUp,
      );
      const searched = { languages: statistics.searched.languages, size: statistics.searched.ids.length };
      const areMany = statistics.searched.passageCount > TIERED_FROM;
      if (areMany !== mayHaveTiers) sets.set(searchedSet, { ...searched, mayHaveTiers: areMany });
      const groups = synonyms.groups ?? statistics.synonyms;
      const areSynonymsRead = !isFindingSynonyms || groups.length === 0;
      // To analyse a long query again takes milliseconds. Without new languages or stems the terms are the same.
      const isAsExpected = toStem.length === 0 && isDeepStrictEqual(searched, { languages, size });
      if (isAsExpected && areSynonymsRead)
        return toAnalysis(expected, { spans: synonyms.spans, statistics, hasTiers });
      ({ languages, size } = searched);
      mayHaveTiers = areMany;
      sets.set(searchedSet, { languages, size, mayHaveTiers });

      const counted = new Set(lexemes);
      for (const stem of rememberStems(toStem, statistics.stems, { stems, memory }))
        if (isCountingStems) counted.add(stem);
      stems = recallStems([...words.toStem, ...readGroups(groups).toStem], languages, memory, stems);

      const analysed = analyse(words, stems, size);
      const areFound =
        findUnknown(words.toStem, stems).length === 0 &&
        lexemesOf(analysed).every((lexeme) => counted.has(lexeme));
      synonyms = areFound ? readSynonyms(query, groups, stems, size) : UNKNOWN_SYNONYMS;
      const areCounted =
        findUnknown(synonyms.toStem, stems).length === 0 &&
        synonyms.lexemes.every((lexeme) => counted.has(lexeme));
      if ((areFound && areCounted) || attempt === ATTEMPTS)
        return toAnalysis(analysed, { spans: synonyms.spans, statistics, hasTiers });
      expected = analysed;
    }
  };
}
