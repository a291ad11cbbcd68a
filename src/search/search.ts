/** Finds and scores the passages that answer a query: the way of a query through all steps. README.md explains them. */

import type { Queryable } from '../database/connection/database.ts';
import { isDistributed } from '../database/distribution/distribution.ts';
import type { StemMemory } from '../indexing/stems.ts';
import { ServiceError, serviceUnavailable } from '../terms/errors.ts';
import { type CandidateQueries, chooseCandidates, FURTHER_MAX } from './candidates/candidates.ts';
import { addDetails, type DetailedPassage, type Details } from './details/details.ts';
import { findFalseGuesses } from './details/false-guesses.ts';
import { type ExpandedAnalysis, expandTerms, withoutGuesses } from './expansion/expansion.ts';
import { createCharge, paidElsewhere } from './payment/charge.ts';
import type { Payment } from './payment/payment.ts';
import { rankWithPhrases } from './phrases/held-phrases.ts';
import { type PhraseConditions, phraseConditions } from './phrases/phrase-conditions.ts';
import type { Phrase } from './phrases/phrases.ts';
import type { SearchedKnowledgeBases } from './query/collection-statistics.ts';
import { createQueryAnalysis, type ScopedQuery } from './query/query-analysis.ts';
import { createRanking, type FoundPassage, type RankPassages } from './ranking/ranking.ts';
import { estimateShare, isRareShare, type SearchScope } from './ranking/search-scope.ts';
import { type WeightedScoring, type WeightedTerm, weighTerms } from './ranking/term-weights.ts';

/**
 * The number of candidates, by the number of a query's terms: the best passages of a long query contain many of its
 * words, in any combination. Half and twice as many change nDCG@10 of the open collections by less than .0005, and the
 * share of the ten best by BM25 among the candidates (.9945 at 150,000 passages) by .006 and .003. The budget is the
 * same for every limit, so that a smaller limit returns the first results of a larger one.
 */
const budgetFor = (termCount: number): number => Math.max(250, 20 * termCount);

/** The candidate queries for `factor` times the usual budget. */
export function candidatesOf(terms: WeightedTerm[], passageCount: number, factor = 1): CandidateQueries {
  const levels = terms.map((term) => term.levels);
  const weak = new Set(terms.filter(({ isWeak }) => isWeak).map((term) => term.levels));
  return chooseCandidates(levels, { passageCount, budget: factor * budgetFor(terms.length), weak });
}

/**
 * `prefix`: the last word of the query may be the beginning of one. `scope`: what restricts the results. `minScore`: the
 * lowest score of a result.
 */
export type SearchRequest = ScopedQuery & {
  limit: number;
  prefix?: boolean;
  scope?: SearchScope | undefined;
  minScore?: number | undefined;
  details?: Details;
};

/**
 * - `passages`: the `limit` passages that fit best: score descending, then document createdAt descending, then position
 *   in the document, then id. Empty when no passage has a word of the query or a word near it.
 * - `phrasesAsWords`: the texts in quotes of which only the words count. All passages have the other ones.
 */
export type SearchAnswer = { passages: DetailedPassage[]; phrasesAsWords: string[] };

/**
 * Finds the answer to a query.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids, and the payment's refusal
 */
export type Search = (request: SearchRequest) => Promise<SearchAnswer>;

/**
 * The same in the database, or the transaction, that each call names. `isCovered` finds out whether the account can pay,
 * where the search's own statements cannot.
 */
export type SearchIn = (
  database: Queryable,
  request: SearchRequest,
  isCovered?: () => Promise<boolean>,
) => Promise<SearchAnswer>;

/** Without a scope, the second set of candidates has this many times the usual budget; in one, the first has at most. */
const WIDER_FACTOR = 20;
/**
 * In a scope, the second set is to have the usual budget of passages in the scope, and a fifth more. The share of the
 * first set that was in the scope shows how large it must be. It is at least twice as large, because many passages of
 * too few documents are not enough for maxPerDocument.
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

/**
 * `phrases`: conditions on all candidates; the ranking is unpaid where none fulfils them. `isProbe`: one passage is
 * enough.
 */
type RankedSearch = {
  scoring: WeightedScoring;
  searched: SearchedKnowledgeBases;
  request: SearchRequest;
  phrases: PhraseConditions | undefined;
  isProbe?: boolean;
};

/** Ranks larger and larger sets of candidates until one has enough; more than one set is rarely needed. */
async function rankCandidates(
  rankPassages: RankPassages,
  database: Queryable,
  { scoring, searched, request, phrases, isProbe = false }: RankedSearch,
): Promise<FoundPassage[]> {
  const { accountId, limit, price, scope, query } = request;
  const choose = (factor: number): CandidateQueries => {
    const byTerms = () => candidatesOf(scoring.terms, searched.passageCount, factor);
    return phrases === undefined ? byTerms() : withPhrases(phrases, factor, byTerms);
  };
  const rank = async ({ queries, further, all: isLast }: CandidateQueries, comparesAll: boolean) => {
    const own = { queries, further, phrases };
    const candidates = { ...own, searched, limit, scope, comparesAll, query };
    const least = phrases === undefined ? 0 : 1;
    return await rankPassages(database, scoring, candidates, { accountId, price, isLast, least });
  };
  const share = await estimateShare(database, searched.ids, scope);
  const factor = firstFactor(share);
  const best = choose(factor);
  const first = await rank(best, isRareShare(share));
  const isFound = first.found.length > 0;
  if (first.isEnough || (best.all && phrases !== undefined) || (isProbe && isFound)) return first.found;
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

/** Rankings without the guesses that the texts found do not bear out; after these, no guess counts. */
const CORRECTIONS_MAX = 2;

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
    rank: async (given, { isProbe }) =>
      await rankCandidates(rankPassages, database, {
        ...ranked,
        isProbe,
        request: isProbe ? { ...ranked.request, price: 0, limit: 1 } : ranked.request,
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
  const { phrases } = expanded;
  let analysis = expanded;
  for (let corrections = 0; ; corrections++) {
    const scoring = await weighTerms(database, request.accountId, analysis);
    const charged = corrections === 0 ? request : { ...request, price: 0 };
    const search = { scoring, searched, request: charged, phrases, frequencies };
    const ranked = await rankPhrases(rankPassages, database, search);
    const wrong = await findFalseGuesses(database, ranked.found, scoring.terms);
    if (wrong.size === 0) return { ...ranked, scoring };
    analysis = withoutGuesses(
      analysis,
      corrections < CORRECTIONS_MAX ? (lexeme) => wrong.has(lexeme) : () => true,
    );
  }
}

/** Creates the search. `memory` remembers stems, so that they are not read again. A search is paid once, at its end. */
export function createSearchIn(memory: StemMemory, payment: Payment): SearchIn {
  const analyse = createQueryAnalysis(memory, payment);
  const rankPassages = createRanking(payment);
  return async (database, request, isCovered = async () => true) => {
    const analysis = await analyse(database, request);
    const { searched } = analysis.statistics;
    if (!analysis.statistics.isCovered || !(await isCovered())) throw payment.refusal();
    const expanded = await expandTerms(database, request, analysis);
    const {
      found: ranked,
      held,
      scoring,
    } = await rankExpanded(rankPassages, database, { request, expanded });
    const { details, minScore = 0, query } = request;
    const found = ranked.filter(({ score }) => score >= minScore);
    const passages =
      details === undefined
        ? found
        : await addDetails(database, found, { searched, scoring, details, query, phrases: held });
    const asWords = analysis.phrases.filter((phrase) => !held.includes(phrase)).map(({ text }) => text);
    return { passages, phrasesAsWords: [...asWords, ...analysis.excessPhrases] };
  };
}

/** Creates the search in `database`. Where Citus distributes its tables, the price is taken on the coordinator. */
export function createSearch(database: Queryable, memory: StemMemory, payment: Payment): Search {
  const searchPaying = createSearchIn(memory, payment);
  const searchOnly = createSearchIn(memory, paidElsewhere(payment));
  const charge = createCharge(payment);
  return async (request) => {
    if (!(await isDistributed(database)))
      return await searchPaying(database, request).catch(async (error) => {
        if (error instanceof ServiceError || !(await isDistributed(database))) throw error;
        throw serviceUnavailable(error); // distributed in the midst of the search
      });
    const isCovered = () => charge.isCovered(database, request);
    const found = await searchOnly(database, { ...request, price: 0 }, isCovered);
    await charge.take(database, request);
    return found;
  };
}
