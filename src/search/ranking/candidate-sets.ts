/** The sets of candidates that a search ranks: larger and larger ones, until one has enough. */
import type { Queryable } from '../../database/connection/database.ts';
import { type CandidateQueries, chooseCandidates, FURTHER_MAX } from '../candidates/candidates.ts';
import type { PhraseConditions } from '../phrases/phrase-conditions.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import type { ScopedQuery } from '../query/query-analysis.ts';
import { isByMeaning, type QueryMeaning } from '../query/query-meaning.ts';
import { comparesAllMeanings } from './meaning.ts';
import type { RankPassages } from './ranking.ts';
import { estimateShare, isRareShare, type SearchScope } from './search-scope.ts';
import type { FoundPassage } from './statement/found-passages.ts';
import type { WeightedScoring, WeightedTerm } from './term-weights.ts';

/**
 * The number of candidates, by the number of a query's terms: the best passages of a long query contain many of its
 * words, in any combination. With 250 and 20 a term, nDCG@10 of seven open collections is the same to the fourth digit,
 * and so are the ten best of 99 queries among 150,000 passages; half of that loses .006 of the ten best by BM25 there.
 * The budget is the same for every limit, so that a smaller limit returns the first results of a larger one.
 */
const budgetFor = (termCount: number): number => Math.max(180, 15 * termCount);

/** The candidate queries for `factor` times the usual budget. */
export function candidatesOf(terms: WeightedTerm[], passageCount: number, factor = 1): CandidateQueries {
  const levels = terms.map((term) => term.levels);
  const weak = new Set(terms.filter(({ isWeak }) => isWeak).map((term) => term.levels));
  return chooseCandidates(levels, { passageCount, budget: factor * budgetFor(terms.length), weak });
}

/** Times the usual budget: the second set of candidates without a scope, and the largest first set in a scope. */
const WIDER_FACTOR = 20;
/**
 * In a scope, the second set aims at 1.2 times the usual budget of passages inside the scope: the share of the first
 * set that was inside says how large the whole set must be. It is at least twice as large as the first, because many
 * passages of too few documents are not enough for maxPerDocument.
 */
const widerFactor = (matched: number | undefined, budget: number): number =>
  matched === undefined ? WIDER_FACTOR : Math.max(2, (1.2 * budget) / Math.max(1, matched));

/** The first set, by the share of all passages that the scope may hold. A rare one is compared without the index. */
const firstFactor = (share: number): number => (isRareShare(share) ? 1 : Math.min(1 / share, WIDER_FACTOR));

/** Candidates with all phrases: as the terms choose them, or all of them where they are few or `factor` is infinite. */
function withPhrases(
  { index, passagesMax }: PhraseConditions,
  factor: number,
  choose: () => CandidateQueries,
): CandidateQueries {
  if (passagesMax <= FURTHER_MAX || factor === Number.POSITIVE_INFINITY)
    return { queries: [index], further: [], all: true };
  const { queries, further } = choose();
  const both = (query: string) => `(${query})&${index}`;
  return { queries: queries.map(both), further: further.map(both), all: false };
}

/** What the ranking has to know of a search. */
type RankedRequest = Pick<ScopedQuery, 'query'> & {
  limit: number;
  scope?: SearchScope | undefined;
};

/** `meaning`: see `Candidates`. `phrases`: conditions on all candidates. `findsAny`: one passage is enough. */
export type RankedSearch = {
  scoring: WeightedScoring;
  searched: SearchedKnowledgeBases;
  request: RankedRequest;
  phrases: PhraseConditions | undefined;
  meaning: QueryMeaning | undefined;
  findsAny?: boolean;
};

/** Ranks larger and larger sets of candidates until one has enough; more than one set is rarely needed. */
export async function rankCandidates(
  rankPassages: RankPassages,
  database: Queryable,
  { scoring, searched, request, phrases, meaning, findsAny = false }: RankedSearch,
): Promise<FoundPassage[]> {
  const { limit, scope, query } = request;
  // Where words do not count and all passages are compared, meaning finds them without candidates.
  const needsNone = isByMeaning(meaning, scoring) && comparesAllMeanings(meaning, searched);
  const choose = (factor: number): CandidateQueries => {
    if (needsNone) return { queries: [], further: [], all: true };
    const byTerms = () => candidatesOf(scoring.terms, searched.passageCount, factor);
    return phrases === undefined ? byTerms() : withPhrases(phrases, factor, byTerms);
  };
  const rank = async ({ queries, further, all: isLast }: CandidateQueries, comparesAll: boolean) => {
    const own = { queries, further, phrases };
    const candidates = { ...own, searched, limit, scope, comparesAll, query, meaning };
    const least = phrases === undefined ? 0 : 1;
    return await rankPassages(database, scoring, candidates, { isLast, least });
  };
  const share = await estimateShare(database, searched.ids, scope);
  const factor = firstFactor(share);
  const best = choose(factor);
  const first = await rank(best, isRareShare(share));
  const isFound = first.found.length > 0;
  if (first.isEnough || (best.all && phrases !== undefined) || (findsAny && isFound)) return first.found;
  // More candidates only fill up the results, so some are enough. In a scope, any number of them can be outside of it.
  const chooseMore = (largerFactor: number): CandidateQueries => {
    const more = choose(largerFactor);
    if (scope !== undefined) return more;
    return { queries: isFound ? best.queries : [], further: more.queries, all: more.all };
  };
  if (phrases !== undefined) return (await rank(chooseMore(Number.POSITIVE_INFINITY), true)).found;
  const budget = budgetFor(scoring.terms.length);
  const wider = await rank(chooseMore(factor * widerFactor(first.matched, budget)), true);
  if (wider.isEnough) return wider.found;
  return (await rank(chooseMore(Number.POSITIVE_INFINITY), true)).found;
}
