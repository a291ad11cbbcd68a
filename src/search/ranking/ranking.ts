/**
 * Ranks candidates in one statement. BM25 selects the best. Then neighbouring passages and pseudo-relevance feedback
 * rerank them (see rerank.ts). All of it happens in PostgreSQL, because a round trip costs as much as the reranking.
 * The statement has a few forms of fixed text (see statement/), because planning a statement for each query would cost
 * more.
 */
import type { Queryable } from '../../database/connection/database.ts';
import type { PhraseConditions } from '../phrases/phrase-conditions.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import { isByMeaning, type QueryMeaning } from '../query/query-meaning.ts';
import { bm25Values } from './best-by-bm25.ts';
import { fullMatchValues, NO_FULL_MATCHES } from './full-matches/full-match-values.ts';
import { meaningValues } from './meaning.ts';
import { RERANK_DEPTH } from './rerank.ts';
import { type SearchScope, scopeValues } from './search-scope.ts';
import type { FoundPassage } from './statement/found-passages.ts';
import { passagesIn, prepareScoped } from './statement/in-scope.ts';
import { prepareWhole, type WholeValues } from './statement/without-scope.ts';
import { areFew } from './term-scores.ts';
import type { WeightedScoring, WeightedTerm } from './term-weights.ts';
import { sequenceQuery } from './variants.ts';

/**
 * The passages to rank: those that match any of the tsqueries `queries`, and some of those that match any of `further`
 * (see candidates.ts). In a scope: all of both that are in the scope. `limit` of them are wanted. `comparesAll`: few
 * documents fit the filter of the scope (see search-scope.ts). `phrases`: those that each of them must have.
 */
export type Candidates = {
  searched: SearchedKnowledgeBases;
  queries: string[];
  further: string[];
  limit: number;
  scope?: SearchScope | undefined;
  comparesAll: boolean;
  phrases: PhraseConditions | undefined;
  /** As its user has typed it. */
  query: string;
  /** undefined where the query has none, or is by words only. */
  meaning: QueryMeaning | undefined;
};

/**
 * Returns the `limit` best candidates.
 *
 * - `isEnough`: there were enough candidates, or the call says `isLast` and there were `least`.
 * - `matched`: the number of candidates in the scope; undefined without a scope.
 */
export type RankPassages = (
  database: Queryable,
  scoring: WeightedScoring,
  candidates: Candidates,
  ending: { isLast: boolean; least: number },
) => Promise<{ found: FoundPassage[]; isEnough: boolean; matched?: number | undefined }>;

/** tsquery text for the passages with any of the terms that are not weak. */
const anyOf = (terms: WeightedTerm[]): string =>
  terms
    .filter(({ isWeak }) => !isWeak)
    .flatMap(({ variants }) => variants.map(({ sequence }) => sequenceQuery(sequence)))
    .join('|');

/** What the statements of both kinds know of a query, as one object: copies of its hundred values take time. */
function valuesOf(
  scoring: WeightedScoring,
  { query, phrases, meaning, limit, searched, queries, further }: Candidates,
) {
  const { terms, upperBound, unknownShare } = scoring;
  const byMeaning = isByMeaning(meaning, scoring);
  return Object.assign(
    bm25Values(scoring, { searched, queries, further, phrases: phrases?.phrases }),
    byMeaning ? NO_FULL_MATCHES : fullMatchValues(query, scoring),
    meaningValues(meaning, { isByMeaning: byMeaning, unknownShare, searched }),
    {
      lexemes: terms.flatMap(({ variants }) => variants.flatMap(({ sequence }) => sequence)),
      upperBound,
      limit,
    },
  );
}

/** `rankAcross`: ranks several knowledge bases by words instead, without a scope (see rank-across-servers.ts). */
export function createRanking(
  rankAcross?: (
    database: Queryable,
    values: WholeValues,
  ) => Promise<{ found: FoundPassage[]; bestCount: number }>,
): RankPassages {
  const { rankByFewTerms, rankByWords, rankWithMeaning } = prepareWhole();
  const statementFor = prepareScoped();

  return async (database, scoring, candidates, ending) => {
    const { scope, comparesAll, phrases, meaning, searched } = candidates;
    const values = Object.assign(valuesOf(scoring, candidates), ending);
    if (scope === undefined && rankAcross && searched.ids.length > 1) {
      const { found, bestCount } = await rankAcross(database, values);
      return { found, isEnough: bestCount >= (ending.isLast ? ending.least : RERANK_DEPTH) };
    }
    if (scope === undefined) {
      const rankWords = phrases === undefined && areFew(scoring.terms) ? rankByFewTerms : rankByWords;
      const rank = meaning === undefined ? rankWords : rankWithMeaning;
      const rows = await rank(database, values);
      const isEnough = rows.length === 0 ? ending.isLast : rows.some((row) => row.isEnough);
      return { found: rows, isEnough };
    }
    const rows = await statementFor(scope)(database, {
      ...values,
      ...scopeValues(scope, comparesAll),
      anyTerm: phrases?.index ?? anyOf(scoring.terms),
    });
    const [first] = rows;
    if (first === undefined) throw new Error('a search in a scope returned no row');
    return { found: passagesIn(rows), isEnough: first.isEnough, matched: first.matched };
  };
}
