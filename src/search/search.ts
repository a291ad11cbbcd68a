/** Finds and scores the passages that answer a query: the way of a query through all steps. README.md explains them. */

import type { QueryWarning } from '../../generated/types.gen.ts';
import type { Queryable } from '../database/connection/database.ts';
import { isDistributed } from '../database/distribution/distribution.ts';
import { bothFilters } from '../database/rows/documents/document-filter.ts';
import { noVectorIndexes, type VectorIndexes } from '../database/vector-indexes/usable-indexes.ts';
import type { StemMemory } from '../indexing/stems.ts';
import type { VectorsIn } from '../meaning/passage-vectors.ts';
import { ServiceError, serviceUnavailable } from '../terms/errors.ts';
import { addDetails, type DetailedPassage, type Details } from './details/details.ts';
import { findFalseGuesses, limitToJudge } from './details/false-guesses.ts';
import { type ExpandedAnalysis, expandTerms, withoutGuesses } from './expansion/expansion.ts';
import { rankWithPhrases } from './phrases/held-phrases.ts';
import { phraseConditions } from './phrases/phrase-conditions.ts';
import type { Phrase } from './phrases/phrases.ts';
import type { SearchedKnowledgeBases } from './query/collection-statistics.ts';
import { createQueryAnalysis, type QueryAnalysis, type ScopedQuery } from './query/query-analysis.ts';
import { isByMeaning, meaningOfModel, type QueryEmbedding } from './query/query-meaning.ts';
import { languageWarning, meaningWarnings } from './query/query-warnings.ts';
import { rankAcrossServers } from './rank-across-servers.ts';
import { type RankedSearch, rankCandidates } from './ranking/candidate-sets.ts';
import { findNearest } from './ranking/nearest.ts';
import { createRanking, type RankPassages } from './ranking/ranking.ts';
import type { SearchScope } from './ranking/search-scope.ts';
import type { FoundPassage } from './ranking/statement/found-passages.ts';
import { type WeightedScoring, weighTerms } from './ranking/term-weights.ts';
import { type Rerank, rerankBest } from './rerank-best.ts';

/**
 * `prefix`: the last word of the query may be the beginning of one. `admit`: called when the knowledge bases are known
 * to exist, with the database that ranks if it is known; it refuses the search by throwing. `embed`: asks a model for
 * the query's vector, once for all calls; it is called when the search is not refused. `rerank`: false where no model
 * is to order the passages; `reranking`: that model. `scope`: what restricts the results. `minScore`: the lowest score
 * of a result. `view`: what tells keys that see a part of the account apart.
 */
export type SearchRequest = ScopedQuery & {
  limit: number;
  prefix?: boolean;
  admit?: ((database?: Queryable) => Promise<void>) | undefined;
  embed?: (() => Promise<QueryEmbedding | undefined>) | undefined;
  rerank?: boolean | undefined;
  reranking?: Rerank | undefined;
  scope?: SearchScope | undefined;
  minScore?: number | undefined;
  view?: string | undefined;
  details?: Details;
};

/**
 * - `passages`: the `limit` passages that fit best: score descending, then document createdAt descending, then position
 *   in the document, then id. Empty when no passage has a word of the query or a word near it.
 * - `phrasesAsWords`: the texts in quotes of which only the words count. All passages have the other phrases.
 * - `warnings`: the parts of the search that did not run, and why it found nothing.
 */
export type SearchAnswer = {
  passages: DetailedPassage[];
  phrasesAsWords: string[];
  warnings: QueryWarning[];
};

/**
 * Finds the answer to a query.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids, and what `admit` throws
 */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>;

/**
 * The passages that a search has ranked: as many as it returns at most, or as a model is to order. `detail` adds what
 * the request asks for besides them, which only the shown ones need.
 */
export type RankedAnswer = {
  found: FoundPassage[];
  detail(database: Queryable, found: FoundPassage[]): Promise<DetailedPassage[]>;
  phrasesAsWords: string[];
  warnings: QueryWarning[];
};

/** Ranks in the database, or the transaction, that each call names. `finish` makes the answer of it. */
export type SearchIn = (database: Queryable, request: SearchRequest) => Promise<RankedAnswer>;

/** Rankings without the guesses that the texts found do not bear out; after these, no guess counts. */
const CORRECTIONS_MAX = 2;

/** What a search has found, and how. */
type Ranking = { found: FoundPassage[]; scoring: WeightedScoring; searched: SearchedKnowledgeBases };

type Ranked = { found: FoundPassage[]; held: Phrase[] };

/** Ranks the passages that have the phrases of the query, or if there are none, those that have its words. */
async function rankPhrases(
  rankPassages: RankPassages,
  database: Queryable,
  { phrases, frequencies, ...ranked }: Omit<RankedSearch, 'phrases'> & Phrases,
): Promise<Ranked> {
  const conditionsOn = (given: Phrase[]) => phraseConditions(given, frequencies);
  return await rankWithPhrases(phrases, {
    passagesMax: (phrase) => conditionsOn([phrase]).passagesMax,
    rank: async (given, { findsAny }) =>
      await rankCandidates(rankPassages, database, {
        ...ranked,
        findsAny,
        request: findsAny ? { ...ranked.request, limit: 1 } : ranked.request,
        phrases: given.length === 0 ? undefined : conditionsOn(given),
      }),
  });
}

/** The phrases of a query, and the document frequencies of their lexemes. */
type Phrases = { phrases: Phrase[]; frequencies: ReadonlyMap<string, number> };

/** Ranks, and again without false guesses, which is rarely needed and costs nothing more. */
async function rankExpanded(
  rankPassages: RankPassages,
  database: Queryable,
  { request, expanded }: { request: SearchRequest; expanded: ExpandedAnalysis },
): Promise<Ranked & { scoring: WeightedScoring }> {
  const { searched, frequencies } = expanded.statistics;
  const { phrases, meaning } = expanded;
  let analysis = expanded;
  for (let corrections = 0; ; corrections++) {
    const scoring = await weighTerms(database, request, analysis);
    const judged = { ...request, limit: limitToJudge(request.limit, scoring.terms) };
    const search = { scoring, searched, request: judged, phrases, frequencies, meaning };
    const { found, held } = await rankPhrases(rankPassages, database, search);
    const wrong = findFalseGuesses(found, scoring.terms);
    if (wrong.size === 0) return { found: found.slice(0, request.limit), held, scoring };
    analysis = withoutGuesses(
      analysis,
      corrections < CORRECTIONS_MAX ? (lexeme) => wrong.has(lexeme) : () => true,
    );
  }
}

/**
 * The answer that a ranking makes. A model orders the passages first, while no connection is held. `detail`: adds the
 * details to the passages that are shown.
 */
export async function finish(
  { minScore = 0, limit, reranking }: SearchRequest,
  { found, phrasesAsWords, warnings }: RankedAnswer,
  detail: (shown: FoundPassage[]) => Promise<DetailedPassage[]>,
): Promise<SearchAnswer> {
  const ordered = reranking ? await rerankBest(found, reranking) : { found, warnings: [] };
  const shown = ordered.found.filter(({ score }) => score >= minScore).slice(0, limit);
  return { passages: await detail(shown), phrasesAsWords, warnings: [...warnings, ...ordered.warnings] };
}

/** The analysis of a query by its words, with its meaning where a model is asked for it: both at the same time. */
async function expandWithMeaning(
  database: Queryable,
  request: SearchRequest,
  { analysed, indexes, memory }: { analysed: QueryAnalysis; indexes: VectorIndexes; memory: StemMemory },
): Promise<ExpandedAnalysis> {
  const { searched } = analysed.statistics;
  const asks = searched.passageCount > 0 ? request.embed : undefined;
  const [embedding, expanded] = await Promise.all([
    asks?.(),
    expandTerms(database, request, analysed, memory),
  ]);
  if (embedding === undefined) return expanded;
  const meaning = meaningOfModel(embedding, request.mode);
  // How an index finds the nearest depends on all that is in it.
  if (request.restriction) return { ...expanded, meaning };
  const nearest = await findNearest(database, { meaning, searched, scope: request.scope }, indexes);
  return { ...expanded, meaning: { ...meaning, nearest } };
}

/** What a search by words alone has to say. A model that was asked and did not answer has its own warnings. */
function warningsOfWords(
  { query, mode, embed }: SearchRequest,
  { found, scoring, searched }: Ranking,
): QueryWarning[] {
  const { tokens, hasKnownWord } = scoring;
  const ofLanguage =
    found.length === 0 && !hasKnownWord
      ? languageWarning({ query, tokens, searched: searched.languages })
      : undefined;
  const ofMeaning = embed === undefined ? meaningWarnings(mode) : [];
  return ofLanguage === undefined ? ofMeaning : [ofLanguage, ...ofMeaning];
}

/** What restricts the results: by the request, and by what its caller sees. */
const scopeOf = ({ scope, restriction }: SearchRequest): SearchScope | undefined =>
  restriction
    ? { ...scope, filter: bothFilters(restriction, scope?.filter) ?? restriction, isRestricted: true }
    : scope;

/** `vectorsIn`: without it, words have no vectors. `indexes`: those by which the nearest vectors are found. */
export type MeaningSources = { vectorsIn?: VectorsIn | undefined; indexes?: VectorIndexes | undefined };

/** Creates the search. `memory` remembers stems, so that they are not read again. */
export function createSearchIn(
  memory: StemMemory,
  { vectorsIn, indexes = noVectorIndexes }: MeaningSources = {},
  rankPassages = createRanking(),
): SearchIn {
  const analyse = createQueryAnalysis(memory, vectorsIn);
  return async (database, asked) => {
    const limit = Math.max(asked.limit, asked.reranking?.depth ?? 0);
    const request = { ...asked, limit, scope: scopeOf(asked) };
    const analysed = await analyse(database, request);
    const { searched } = analysed.statistics;
    await request.admit?.(database);
    const expanded = await expandWithMeaning(database, request, { analysed, indexes, memory });
    const { found, held, scoring } = await rankExpanded(rankPassages, database, { request, expanded });
    const { details, query } = request;
    const { meaning, phrases, excessPhrases } = expanded;
    const by = { searched, scoring, query, phrases: held, meaning, vectorsIn };
    const byMeaning = isByMeaning(meaning, scoring);
    const asWords = phrases.filter((phrase) => !held.includes(phrase)).map(({ text }) => text);
    return {
      found,
      detail: async (database, shown) =>
        details === undefined
          ? shown
          : await addDetails(database, shown, { ...by, details, isByMeaning: byMeaning }),
      phrasesAsWords: [...asWords, ...excessPhrases],
      warnings: meaning === undefined ? warningsOfWords(request, { found, scoring, searched }) : [],
    };
  };
}

/** Creates the search in `database`. */
export function createSearch(database: Queryable, memory: StemMemory, sources?: MeaningSources): Search {
  const search = createSearchIn(memory, sources);
  // On Citus by words: its statements with vectors have not shown the results of one server yet.
  const searchDistributed = createSearchIn(memory, {}, createRanking(rankAcrossServers));
  return async (request) => {
    const answerBy = async (searchIn: SearchIn) => {
      const ranked = await searchIn(database, request);
      return await finish(request, ranked, (shown) => ranked.detail(database, shown));
    };
    if (await isDistributed(database)) return await answerBy(searchDistributed);
    return await answerBy(search).catch(async (error) => {
      if (error instanceof ServiceError || !(await isDistributed(database))) throw error;
      throw serviceUnavailable(error); // distributed in the midst of the search
    });
  };
}
