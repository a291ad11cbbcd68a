/** Finds and scores the passages that answer a query: the index finds candidates, and ranking.ts ranks them. */

import { quoteLexeme } from '../analysis/lexemes.ts';
import { impactTierLexeme, TIERS, UNTIERED_DENSITY } from '../analysis/reserved-lexemes.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { StemMemory } from '../indexing/stems.ts';
import { expectedScoreAt, inverseDocumentFrequency, queryFrequencyWeight, scoreUpperBound } from './bm25.ts';
import { type CandidateQueries, chooseCandidates, type ImpactLevels } from './candidates.ts';
import { readFrequencies, type SearchedKnowledgeBases } from './collection-statistics.ts';
import { addDetails, type DetailedPassage, type Details } from './details.ts';
import { type ExpandedAnalysis, type ExpandedTerm, expandTerms } from './expansion.ts';
import type { Payment } from './payment.ts';
import { createQueryAnalysis, type ScopedQuery } from './query-analysis.ts';
import { type NamedTerm, SCORED_TERMS_MAX } from './query-terms.ts';
import { createRanking, type FoundPassage, type RankPassages, type Scoring } from './ranking.ts';
import type { SearchScope } from './search-scope.ts';
import type { ScoredTerm } from './term-scores.ts';

/**
 * A query term: its variants with the upper bounds of their scores, and the impact levels at which passages contain it.
 */
type WeightedTerm = ScoredTerm & NamedTerm & { levels: ImpactLevels };

/** `unknown`: the words of the query that no passage contains. */
type WeightedScoring = Scoring & { terms: WeightedTerm[]; unknown: NamedTerm[] };

/** Terms in more passages than this are also queried by impact tier. The time of a query is flat from 300 to 3,000. */
const TIERED_FROM = 1_000;

/**
 * The number of candidates, by the number of a query's terms: the best passages of a long query contain many of its
 * words, in any combination. Half and twice as many change nDCG@10 of the open collections by less than .0005, and the
 * share of the ten best by BM25 among the candidates (.9945 at 150,000 passages) by .006 and .003. The budget is the
 * same for every limit, so that a smaller limit returns the first results of a larger one.
 */
const budgetFor = (termCount: number): number => Math.max(250, 20 * termCount);

/** Document frequency of each lexeme in the searched passages, and the number of those passages. */
type IndexStatistics = { frequencies: ReadonlyMap<string, number>; passageCount: number };

/**
 * Upper bound of passages with any of these lexemes. A passage has one language, so it rarely contains two variants.
 */
const documentFrequency = (lexemes: string[], { frequencies, passageCount }: IndexStatistics): number =>
  Math.min(
    passageCount,
    lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
  );

/** The variants of a word that passages contain; all of them have this weight. */
type Variants = { known: string[]; weight: number };

/**
 * Gives all variants of a word the same weight: `weight` times the inverse document frequency of the word as a whole.
 * With a weight of its own, the stem of a function word in another language would count as rare. It would then raise
 * the score of the one passage whose language was detected wrongly.
 */
function weighVariants(lexemes: string[], weight: number, index: IndexStatistics): Variants {
  const frequency = documentFrequency(lexemes, index);
  return {
    known: lexemes.filter((lexeme) => index.frequencies.has(lexeme)),
    weight: weight * inverseDocumentFrequency(frequency, index.passageCount),
  };
}

/** An impact level; `count` passages are of this level or a higher one. */
type CountedLevel = Omit<ImpactLevels[number], 'probability'> & { count: number };

function levelOf(lexemes: string[], expectedScore: number, index: IndexStatistics): CountedLevel {
  const operands = lexemes.filter((lexeme) => index.frequencies.has(lexeme)).map(quoteLexeme);
  const operand = operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`;
  return { operand, expectedScore, count: documentFrequency(lexemes, index) };
}

/**
 * The impact levels at which passages contain a term, in ascending order: by its further variants only, as the query
 * writes it, and in each impact tier of that.
 */
function levelsOf(asWritten: Variants, further: Variants, index: IndexStatistics): ImpactLevels {
  const level = (lexemes: string[], density: number) =>
    levelOf(lexemes, expectedScoreAt(asWritten.weight, density), index);
  const levels = [level(asWritten.known, UNTIERED_DENSITY)];
  if ((levels[0]?.count ?? 0) > TIERED_FROM) {
    TIERS.forEach(({ typical }, tier) => {
      levels.push(
        level(
          asWritten.known.map((lexeme) => impactTierLexeme(lexeme, tier)),
          typical,
        ),
      );
    });
  }
  if (further.known.length > 0) {
    const expectedScore = expectedScoreAt(further.weight, UNTIERED_DENSITY);
    const count = Math.max(levels[0]?.count ?? 0, documentFrequency(further.known, index));
    levels.unshift({ ...levelOf([...further.known, ...asWritten.known], expectedScore, index), count });
  }
  const held = levels.filter(({ count }) => count > 0);
  return held.map(({ operand, expectedScore, count }, i) => ({
    operand,
    expectedScore,
    probability: Math.max(0, count - (held[i + 1]?.count ?? 0)) / index.passageCount,
  }));
}

/**
 * Weight of further variants (with other accents, or completions of an incomplete word), against 1 for a variant as the
 * query writes it. Where no passage contains the word as written, the further variants count in full.
 *
 * nDCG@10 on made-up words whose syllables differ in accents alone, as in Vietnamese (xquad-en, each word replaced):
 *
 *   0.2 to 0.4   0.7    accents folded away   accents kept
 *   .952         .950   .907                  .959
 */
const FURTHER_WEIGHT = 0.4;

function weighTerm(
  { word, isInformative, lexemes, unaccented, completions = [], near = [], ...term }: ExpandedTerm,
  index: IndexStatistics,
): TermVariants {
  const weight = term.weight * queryFrequencyWeight(term.frequency);
  const others = [...new Set([...unaccented, ...completions]).difference(new Set(lexemes))];
  const asWritten = weighVariants(lexemes, weight, index);
  const further = weighVariants(others, weight * FURTHER_WEIGHT, index);
  const named = { word, isInformative, fullWeight: asWritten.weight };
  if (asWritten.known.length > 0) return { ...named, asWritten, further, isExpanded: false };
  if (further.known.length > 0) {
    const inFull = weighVariants(others, weight, index);
    const isExpanded = completions.length > 0;
    return { ...named, asWritten: inFull, further: NO_VARIANTS, fullWeight: inFull.weight, isExpanded };
  }
  const [nearest = NO_VARIANTS, next = NO_VARIANTS] = near
    .slice(0, 2)
    .map((kind) => weighVariants(kind.lexemes, weight * kind.weight, index))
    .sort((left, right) => right.weight - left.weight);
  return { ...named, asWritten: nearest, further: next, isExpanded: true };
}

const NO_VARIANTS: Variants = { known: [], weight: 0 };

/**
 * The variants of a term.
 *
 * - `asWritten`: as the query writes it. If no passage contains those, the nearest ones.
 * - `fullWeight`: weight of the word itself, for the upper bound of a score: a near word is never as good.
 * - `isExpanded`: the query analysis has not seen the variants in `asWritten`.
 */
type TermVariants = NamedTerm & {
  asWritten: Variants;
  further: Variants;
  fullWeight: number;
  isExpanded: boolean;
};

/**
 * Returns the terms to score, the weightiest first, and the upper bound of a score. Terms that no passage contains
 * count in that bound, so that a passage which answers half of the query scores at most half.
 */
export function chooseTerms(
  terms: ExpandedTerm[],
  index: IndexStatistics,
): { chosen: TermVariants[]; unknown: TermVariants[]; upperBound: number } {
  const byWeight = terms
    .map((term) => weighTerm(term, index))
    .sort((left, right) => right.asWritten.weight - left.asWritten.weight);
  const chosen = byWeight.filter(({ asWritten }) => asWritten.known.length > 0).slice(0, SCORED_TERMS_MAX);
  const unknown = byWeight.filter(({ asWritten }) => asWritten.known.length === 0);
  const upperBound = [...chosen, ...unknown].reduce(
    (sum, { fullWeight }) => sum + scoreUpperBound(fullWeight),
    0,
  );
  return { chosen, unknown, upperBound };
}

const withUpperBounds = ({ known, weight }: Variants) =>
  known.map((lexeme) => ({ lexeme, upperBound: scoreUpperBound(weight) }));

/**
 * A term with the upper bounds of its variants and its impact levels. `index` must have the frequencies of its tiers.
 */
export const toWeightedTerm = (
  { word, isInformative, asWritten, further }: TermVariants,
  index: IndexStatistics,
): WeightedTerm => ({
  word,
  isInformative,
  variants: [asWritten, further].flatMap(withUpperBounds),
  levels: levelsOf(asWritten, further, index),
});

/** The lexemes of the impact tiers of those terms that are also queried by tier. */
const tierLexemesOf = (chosen: TermVariants[], index: IndexStatistics): string[] =>
  chosen
    .map(({ asWritten }) => asWritten.known)
    .filter((lexemes) => documentFrequency(lexemes, index) > TIERED_FROM)
    .flatMap((lexemes) =>
      lexemes.flatMap((lexeme) => TIERS.map((_, tier) => impactTierLexeme(lexeme, tier))),
    );

/** The terms to score. Reads the frequencies of their impact tiers, unless the analysis has them. */
async function weighTerms(
  database: Queryable,
  accountId: string,
  { terms, statistics, hasTiers }: ExpandedAnalysis,
): Promise<WeightedScoring> {
  const { searched, frequencies } = statistics;
  const index = { frequencies, passageCount: searched.passageCount };
  const { chosen, unknown, upperBound } = chooseTerms(terms, index);
  const withoutTiers = chosen.filter(({ isExpanded }) => isExpanded || !hasTiers);
  const tierLexemes = tierLexemesOf(withoutTiers, index);
  const ofTiers =
    tierLexemes.length > 0
      ? await readFrequencies(database, { accountId, ids: searched.ids }, tierLexemes)
      : [];
  const complete = { ...index, frequencies: new Map([...frequencies, ...ofTiers]) };
  return { upperBound, unknown, terms: chosen.map((term) => toWeightedTerm(term, complete)) };
}

/** The candidate queries for `factor` times the usual budget. */
export function candidatesOf(terms: WeightedTerm[], passageCount: number, factor = 1): CandidateQueries {
  const levels = terms.map((term) => term.levels);
  return chooseCandidates(levels, { passageCount, budget: factor * budgetFor(terms.length) });
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
 * Returns the `limit` passages that fit best: score descending, then document createdAt descending, then position in
 * the document, then id. Empty when no term of the query occurs.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids, and the payment's refusal
 */
export type Search = (request: SearchRequest) => Promise<DetailedPassage[]>;

/** The usual number of candidates, in multiples of which `rankCandidates` grows. */
const WIDER_FACTOR = 20;
/** In a scope, as many candidates are wanted again as without one. Their share of the first ones says how many to take. */
const widerFactor = (matched: number | undefined, budget: number): number =>
  matched === undefined ? WIDER_FACTOR : (2 * budget) / Math.max(1, matched);

/** Ranks larger and larger sets of candidates until one has enough; more than one set is rarely needed. */
async function rankCandidates(
  rankPassages: RankPassages,
  scoring: WeightedScoring,
  { searched, request }: { searched: SearchedKnowledgeBases; request: SearchRequest },
): Promise<FoundPassage[]> {
  const { accountId, limit, price, scope } = request;
  const rankWith = async (factor: number) => {
    const { queries, all: isLast } = candidatesOf(scoring.terms, searched.passageCount, factor);
    const candidates = { searched, queries, limit, scope, isAgain: factor > 1 };
    return await rankPassages(scoring, candidates, { accountId, price, isLast });
  };
  const usual = await rankWith(1);
  if (usual.isEnough) return usual.found;
  const wider = await rankWith(widerFactor(usual.matched, budgetFor(scoring.terms.length)));
  if (wider.isEnough) return wider.found;
  return (await rankWith(Number.POSITIVE_INFINITY)).found;
}

/**
 * Creates the search over `database`. `memory` remembers stems, so that they are not read again. A search is paid once,
 * when its results are known.
 */
export function createSearch(database: Database, memory: StemMemory, payment: Payment): Search {
  const analyse = createQueryAnalysis(database, memory, payment);
  const rankPassages = createRanking(database, payment);
  return async (request) => {
    const analysis = await analyse(request);
    const { searched, isCovered } = analysis.statistics;
    if (!isCovered) throw payment.refusal();
    const scoring = await weighTerms(
      database,
      request.accountId,
      await expandTerms(database, request, analysis),
    );
    const ranked = await rankCandidates(rankPassages, scoring, { searched, request });
    const { details, minScore = 0 } = request;
    const found = ranked.filter(({ score }) => score >= minScore);
    return details === undefined ? found : await addDetails(database, found, { searched, scoring, details });
  };
}
