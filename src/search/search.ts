/**
 * Finds and scores the passages that answer a query: candidates by the index, BM25 over the searched knowledge bases.
 */

import { quoteLexeme } from '../analysis/lexemes.ts';
import { impactTierLexeme, TIERS, UNTIERED_DENSITY } from '../analysis/reserved-lexemes.ts';
import { chargeCredits } from '../database/accounts.ts';
import type { Database, Queryable } from '../database/database.ts';
import { insufficientCredits } from '../errors.ts';
import { attainableWeight, inverseDocumentFrequency, queryFrequencyWeight, weightAt } from './bm25.ts';
import { type CandidateQueries, chooseCandidates, type TermLevels } from './candidates.ts';
import { readFrequencies, type SearchedKnowledgeBases } from './collection-statistics.ts';
import { createQueryAnalysis, type QueryAnalysis } from './query-analysis.ts';
import { type QueryTerm, SCORED_TERMS_MAX } from './query-terms.ts';
import { type FoundPassage, rankPassages, type Scoring } from './ranking.ts';
import type { StemMemory } from './stems.ts';
import type { ScoredTerm } from './term-scores.ts';

/** A query term: its variants with their scores, and the levels at which passages hold it. */
type WeightedTerm = ScoredTerm & { levels: TermLevels };
type WeightedScoring = Scoring & { weighted: WeightedTerm[] };

/** Terms in more passages than this are also queried by impact tier. */
const TIERED_FROM = 1_000;

/**
 * Candidates of a query, by its number of terms. The candidates of a short query are hard to tell apart. The best
 * passages of a long query hold many of its words, in any combination. On the 53 questions of financebench-a (25 words
 * on average), this budget includes .87 of BM25's ten best passages; 350 candidates include .75. The budget is the same
 * for every limit, so that a smaller limit returns the first results of a larger one.
 */
const budgetFor = (termCount: number): number =>
  Math.max(Math.min(500, 300 + 1_000 / termCount), 40 * termCount);

/** Document frequency of each lexeme in the searched passages, and the number of those passages. */
type IndexStatistics = { frequencies: ReadonlyMap<string, number>; passageCount: number };

/** Upper bound of passages with any of these lexemes. A passage has one language, so it hardly holds two variants. */
const documentFrequency = (lexemes: string[], { frequencies, passageCount }: IndexStatistics): number =>
  Math.min(
    passageCount,
    lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
  );

/** The variants of a word that passages hold; all of them have this weight. */
type Variants = { known: string[]; weight: number };

/**
 * Gives all variants of a word the same weight: `weight` times the inverse document frequency of the word as a whole.
 * With a weight of its own, the stem of a function word in another language would be rare. It would then count for much
 * in the one passage whose language was detected wrongly.
 */
function weighVariants(lexemes: string[], weight: number, index: IndexStatistics): Variants {
  const frequency = documentFrequency(lexemes, index);
  return {
    known: lexemes.filter((lexeme) => index.frequencies.has(lexeme)),
    weight: weight * inverseDocumentFrequency(frequency, index.passageCount),
  };
}

/** A level of candidates; `count` passages are of this level or a higher one. */
type CountedLevel = Omit<TermLevels[number], 'share'> & { count: number };

function levelOf(lexemes: string[], worth: number, index: IndexStatistics): CountedLevel {
  const operands = lexemes.filter((lexeme) => index.frequencies.has(lexeme)).map(quoteLexeme);
  const operand = operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`;
  return { operand, worth, count: documentFrequency(lexemes, index) };
}

/**
 * The levels at which passages hold a term, in ascending order: in another accentuation only, in a variant as written,
 * in an impact tier of such a variant.
 */
function levelsOf(asWritten: Variants, unaccented: Variants, index: IndexStatistics): TermLevels {
  const level = (lexemes: string[], density: number) =>
    levelOf(lexemes, weightAt(asWritten.weight, density), index);
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
  if (unaccented.known.length > 0) {
    const worth = weightAt(unaccented.weight, UNTIERED_DENSITY);
    const count = Math.max(levels[0]?.count ?? 0, documentFrequency(unaccented.known, index));
    levels.unshift({ ...levelOf([...unaccented.known, ...asWritten.known], worth, index), count });
  }
  const held = levels.filter(({ count }) => count > 0);
  return held.map(({ operand, worth, count }, place) => ({
    operand,
    worth,
    share: Math.max(0, count - (held[place + 1]?.count ?? 0)) / index.passageCount,
  }));
}

/**
 * Weight of a variant in another accentuation, against 1 for a variant as the query writes it.
 * Where no passage has the accents of the query, the other variants count in full.
 *
 * nDCG@10 on made-up words whose syllables differ in accents alone, as in Vietnamese (xquad-en, each word replaced):
 *
 *   0.2 to 0.4   0.7    accents folded away   accents kept
 *   .952         .950   .907                  .959
 */
const UNACCENTED_WEIGHT = 0.4;

function weighTerm({ lexemes, ...term }: QueryTerm, index: IndexStatistics) {
  const weight = term.weight * queryFrequencyWeight(term.frequency);
  const asWritten = weighVariants(lexemes, weight, index);
  const unaccented = weighVariants(term.unaccented, weight * UNACCENTED_WEIGHT, index);
  if (asWritten.known.length > 0 || unaccented.known.length === 0) return { asWritten, unaccented };
  return { asWritten: weighVariants(term.unaccented, weight, index), unaccented: NO_VARIANTS };
}

const NO_VARIANTS: Variants = { known: [], weight: 0 };

/** A term with its variants as the query writes them, and its variants in another accentuation. */
type WeighedTerm = { asWritten: Variants; unaccented: Variants };

/**
 * Returns the scored terms, the weightiest first, and the upper bound of what the terms add together. Terms that no
 * passage holds count in that bound, so that a passage which answers half of the query scores at most half.
 */
export function chooseTerms(
  terms: QueryTerm[],
  index: IndexStatistics,
): { scored: WeighedTerm[]; attainable: number } {
  const weighed = terms.map((term) => weighTerm(term, index));
  const byWeight = weighed.sort((left, right) => right.asWritten.weight - left.asWritten.weight);
  const scored = byWeight.filter(({ asWritten }) => asWritten.known.length > 0).slice(0, SCORED_TERMS_MAX);
  const unknown = byWeight.filter(({ asWritten }) => asWritten.known.length === 0);
  const attainable = [...scored, ...unknown].reduce(
    (sum, { asWritten }) => sum + attainableWeight(asWritten.weight),
    0,
  );
  return { scored, attainable };
}

const spellingsOf = ({ known, weight }: Variants) =>
  known.map((lexeme) => ({ lexeme, attainable: attainableWeight(weight) }));

/**
 * What each lexeme of the term can add, and the term's levels. `index` must have the frequencies of its impact tiers.
 */
export const weighSpellings = (
  { asWritten, unaccented }: WeighedTerm,
  index: IndexStatistics,
): WeightedTerm => ({
  spellings: [asWritten, unaccented].flatMap(spellingsOf),
  levels: levelsOf(asWritten, unaccented, index),
});

/** The lexemes of the impact tiers of those terms that are also queried by tier. */
const tierMarksOf = (scored: WeighedTerm[], index: IndexStatistics): string[] =>
  scored
    .map(({ asWritten }) => asWritten.known)
    .filter((lexemes) => documentFrequency(lexemes, index) > TIERED_FROM)
    .flatMap((lexemes) =>
      lexemes.flatMap((lexeme) => TIERS.map((_, tier) => impactTierLexeme(lexeme, tier))),
    );

/** The terms to score, with the frequencies of their impact tiers, which are read here if the statistics lack them. */
async function weighTerms(
  database: Queryable,
  accountId: string,
  { terms, statistics, hasTiers }: QueryAnalysis,
): Promise<WeightedScoring> {
  const { searched, frequencies } = statistics;
  const index = { frequencies, passageCount: searched.passageCount };
  const { scored, attainable } = chooseTerms(terms, index);
  const marks = hasTiers ? [] : tierMarksOf(scored, index);
  const tiers =
    marks.length > 0 ? await readFrequencies(database, { accountId, ids: searched.ids }, marks) : [];
  const complete = { ...index, frequencies: new Map([...frequencies, ...tiers]) };
  return { attainable, weighted: scored.map((term) => weighSpellings(term, complete)) };
}

/** The candidate queries for `factor` times the usual budget. */
export function candidatesOf(weighted: WeightedTerm[], passageCount: number, factor = 1): CandidateQueries {
  const terms = weighted.map(({ levels }) => levels);
  return chooseCandidates(terms, { passageCount, budget: factor * budgetFor(terms.length) });
}

/** A search request over the account's knowledge bases with these distinct ids, or over all of them. */
export type Question = {
  accountId: string;
  knowledgeBaseIds: string[] | undefined;
  query: string;
  limit: number;
  /** The price of the request. */
  credits: number;
};

/**
 * Returns the `limit` passages that fit best: score descending, then document createdAt descending, then position in
 * the document, then id. Empty when no term of the query occurs.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids; INSUFFICIENT_CREDITS
 */
export type Search = (question: Question) => Promise<FoundPassage[]>;

/** Ranks growing sets of candidates until one has enough; hardly ever more than one set. */
async function rankEnough(
  database: Database,
  scoring: WeightedScoring,
  { searched, question }: { searched: SearchedKnowledgeBases; question: Question },
): Promise<FoundPassage[]> {
  const { accountId, limit, credits } = question;
  for (const factor of [1, 20, Number.POSITIVE_INFINITY]) {
    const { queries, all: isLast } = candidatesOf(scoring.weighted, searched.passageCount, factor);
    const candidates = { searched, queries, limit };
    const charge = { accountId, credits, isLast };
    const { found, isEnough } = await rankPassages(database, scoring, candidates, charge);
    if (isEnough) return found;
  }
  throw new Error('an unlimited budget leaves nothing out');
}

/** Creates the search over `database`. `memory` keeps stems, so that they are not read again. */
export function createSearch(database: Database, memory: StemMemory): Search {
  const analyse = createQueryAnalysis(database, memory);
  return async (question) => {
    const analysis = await analyse(question);
    const { searched, credits } = analysis.statistics;
    if (question.credits > credits) throw insufficientCredits();
    const scoring = await weighTerms(database, question.accountId, analysis);
    if (scoring.weighted.length > 0) return await rankEnough(database, scoring, { searched, question });
    await chargeCredits(database, question.accountId, question.credits);
    return [];
  };
}
