/**
 * Turns a query's text into its terms and their document frequencies, nearly always in one round trip to the database.
 *
 * The lexemes to look up depend on the languages of the searched knowledge bases and on the stems of the query's words.
 * The first attempt assumes the languages of the last search. Its statement also returns the stems that are unknown. If
 * the result shows that other lexemes are needed, the statement runs again.
 */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SearchMode } from '../../../generated/types.gen.ts';
import type { Language } from '../../analysis/language.ts';
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import type { Queryable } from '../../database/connection/database.ts';
import type { DocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { impactTierLexeme, TIERS } from '../../indexing/postings/impact-tiers.ts';
import type { StemMemory } from '../../indexing/stems.ts';
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
import {
  findUnknown,
  recallStems,
  rememberStems,
  type StemsByLanguage,
  type UnknownWords,
} from './known-stems.ts';
import { ownLanguage, type QueryMeaning, readMeaning } from './query-meaning.ts';
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
import type { WordsToLookUp } from './words-to-look-up.ts';

/**
 * A query over the account's knowledge bases with these distinct ids, or over all of them.
 * `skipsDeleted`: ids that the account lacks are no error. `mode`: whether words or meaning find passages; undefined:
 * both. `restriction`: which documents exist for the caller; undefined: all.
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

/** The terms of a query, and the lexemes of each token of its phrases. */
type AnalysedWords = { terms: QueryTerm[]; phraseLexemes: Map<string, string[]> };

/** Spellings of phrases take at most this share of the lexemes that may be looked up. */
const SPELLINGS_SHARE = 0.25;

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

/** A query as it was read. `own`: its language. `vectorsIn` is undefined where its meaning does not count. */
type ReadQuery = Pick<ScopedQuery, 'query' | 'mode'> & {
  words: QueryWords;
  own: Language[];
  vectorsIn: VectorsIn | undefined;
};

function readScoped({ query, mode }: ScopedQuery, vectorsIn: VectorsIn | undefined): ReadQuery {
  const words = readQuery(query);
  // What is in quotes is searched as it is written.
  const readsMeaning = vectorsIn !== undefined && mode !== 'words' && words.phrases.spelt.length === 0;
  return readsMeaning
    ? { query, mode, words, own: ownLanguage(words.language), vectorsIn }
    : { query, mode, words, own: [], vectorsIn: undefined };
}

/** What an attempt assumes of the searched set and of the stems, and the terms and synonyms that follow from it. */
type Assumption = SearchedSet & {
  stems: StemsByLanguage;
  analysed: AnalysedWords;
  synonyms: QuerySynonyms;
};

const keyOf = ({ accountId, knowledgeBaseIds: ids, restriction }: ScopedQuery): string =>
  hash('sha256', [accountId, ...(ids ?? []), ...(restriction ? [restriction.path] : [])].join(' '), 'base64');

function assume(words: QueryWords, set: SearchedSet, memory: StemMemory): Assumption {
  const stems = recallStems(words.toStem, set.languages, memory);
  return { ...set, stems, analysed: analyse(words, stems, set.size), synonyms: UNKNOWN_SYNONYMS };
}

/** What one attempt looks up; `toStem` names the languages too. */
type LookedUp = Required<WordsToLookUp> & { toStem: UnknownWords[] };

function toLookUp({ words, own }: ReadQuery, assumed: Assumption, memory: StemMemory): LookedUp {
  const { stems, analysed, synonyms, mayHaveTiers } = assumed;
  const ofMeaning = findUnknown(words.toStem, recallStems(words.toStem, own, memory));
  const toStem = [
    ...findUnknown([...words.toStem, ...synonyms.toStem], stems),
    ...ofMeaning.filter(({ language }) => !stems.has(language)),
  ];
  return {
    lexemes: [...lexemesOf(analysed), ...synonyms.lexemes],
    prefixes: mayHaveTiers && analysed.terms.length <= TIERED_AT_ONCE_MAX ? PREFIXES : [''],
    toStem,
    isCountingStems: toStem.reduce((sum, { words }) => sum + words.length, 0) <= COUNTED_STEMS_MAX,
    isFindingSynonyms: synonyms.groups === undefined,
  };
}

const setOf = ({ searched: { languages, ids, passageCount } }: QueryStatistics): SearchedSet => ({
  languages,
  size: ids.length,
  mayHaveTiers: passageCount > TIERED_FROM,
});

/**
 * Without new languages, stems or synonyms the terms are the same. To analyse a long query again would take
 * milliseconds.
 */
const isAsAssumed = ({ languages, size }: Assumption, lookedUp: LookedUp, found: QueryStatistics): boolean =>
  lookedUp.toStem.length === 0 &&
  isDeepStrictEqual([languages, size], [found.searched.languages, found.searched.ids.length]) &&
  (!lookedUp.isFindingSynonyms || found.synonyms.length === 0);

/** What follows from the statistics of an attempt. `isComplete`: all that it needs was looked up. */
function learn(
  { query, words }: ReadQuery,
  assumed: Assumption,
  { lookedUp, found, memory }: { lookedUp: LookedUp; found: QueryStatistics; memory: StemMemory },
): Assumption & { isComplete: boolean } {
  const set = setOf(found);
  const groups = assumed.synonyms.groups ?? found.synonyms;
  const read = rememberStems(lookedUp.toStem, found.stems, { stems: assumed.stems, memory });
  const counted = new Set([...lookedUp.lexemes, ...(lookedUp.isCountingStems ? read : [])]);
  const toStem = [...words.toStem, ...readGroups(groups).toStem];
  const stems = recallStems(toStem, set.languages, memory, assumed.stems);
  const analysed = analyse(words, stems, set.size);
  const areCounted = (toStem: string[], lexemes: string[]): boolean =>
    findUnknown(toStem, stems).length === 0 && lexemes.every((lexeme) => counted.has(lexeme));
  const areFound = areCounted(words.toStem, lexemesOf(analysed));
  const synonyms = areFound ? readSynonyms(query, groups, stems, set.size) : UNKNOWN_SYNONYMS;
  return {
    ...set,
    stems,
    analysed,
    synonyms,
    isComplete: areFound && areCounted(synonyms.toStem, synonyms.lexemes),
  };
}

/** `memory` has the stems in the query's own language, which no searched passage may have. */
function toAnalysis(
  { query, mode, words, own, vectorsIn }: ReadQuery,
  { stems, analysed: { terms, phraseLexemes }, synonyms: { spans } }: Assumption,
  { lookedUp, found, memory }: { lookedUp: LookedUp; found: QueryStatistics; memory: StemMemory },
): QueryAnalysis {
  const { tokens, phrases } = words;
  const { frequencies, searched } = found;
  // The stems in the language of the query come first, then the stems in the languages of the passages.
  const meaningStems = () => new Map([...recallStems(words.toStem, own, memory), ...stems]);
  return {
    tokens,
    statistics: found,
    hasTiers: lookedUp.prefixes === PREFIXES,
    ...withSynonyms(query, terms, affordable(spans, frequencies)),
    meaning:
      vectorsIn &&
      readMeaning({ query, mode, tokens, own, searched: searched.languages }, meaningStems(), vectorsIn),
    phrases: toPhrases(phrases, phraseLexemes, frequencies),
    excessPhrases: phrases.excess,
  };
}

/**
 * Creates the function that analyses queries over a database. `memory` has the stems of earlier words. The function
 * throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids.
 */
export function createQueryAnalysis(memory: StemMemory, vectorsIn?: VectorsIn) {
  const sets = createBoundedCache<SearchedSet>(REMEMBERED_SETS);
  const readStatistics = createStatistics();

  return async (database: Queryable, scoped: ScopedQuery): Promise<QueryAnalysis> => {
    const { accountId, knowledgeBaseIds: ids, skipsDeleted, restriction } = scoped;
    const query = readScoped(scoped, vectorsIn);
    const key = keyOf(scoped);
    const unknownSet: SearchedSet = { languages: [], size: ids?.length ?? 1, mayHaveTiers: true };
    let assumed = assume(query.words, sets.get(key) ?? unknownSet, memory);
    for (let attempt = 1; ; attempt++) {
      const lookedUp = toLookUp(query, assumed, memory);
      const found = await readStatistics(database, { accountId, ids, skipsDeleted, restriction }, lookedUp);
      sets.set(key, setOf(found));
      if (isAsAssumed(assumed, lookedUp, found))
        return toAnalysis(query, assumed, { lookedUp, found, memory });
      const learnt = learn(query, assumed, { lookedUp, found, memory });
      if (learnt.isComplete || attempt === ATTEMPTS)
        return toAnalysis(query, learnt, { lookedUp, found, memory });
      assumed = learnt;
    }
  };
}
