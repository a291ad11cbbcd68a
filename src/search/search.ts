/** Finds and scores the passages that answer a query: candidates by the index, BM25 over the searched knowledge bases. */

import { quoteLexeme } from '../analysis/lexemes.ts';
import { impactTierLexeme, TIERS, UNTIERED_DENSITY } from '../analysis/marks.ts';
import { chargeCredits } from '../database/accounts.ts';
import type { Database, Queryable } from '../database/database.ts';
import { insufficientCredits } from '../errors.ts';
import type { ScoredTerm } from './asked-terms.ts';
import { attainableWeight, inverseDocumentFrequency, queryFrequencyWeight, weightAt } from './bm25.ts';
import { type CandidateQueries, chooseCandidates, type TermLevels } from './candidates.ts';
import { readFrequencies, type SearchedKnowledgeBases } from './collection-statistics.ts';
import { createQueryAnalysis, type QueryAnalysis } from './query-analysis.ts';
import { type QueryTerm, SCORED_TERMS_MAX } from './query-terms.ts';
import { type FoundPassage, rankPassages, type Scoring } from './ranking.ts';
import type { StemMemory } from './stems.ts';

/** A word of the query: how it is scored, and how a passage may hold it. */
type WeightedTerm = ScoredTerm & { levels: TermLevels };
type WeightedScoring = Scoring & { weighted: WeightedTerm[] };

/** Of a word in more passages than this, some are told apart by their density. */
const TIERED_FROM = 1_000;

/**
 * Candidates of a query. Those of a short one are hard to tell apart, and a long one's best passages hold many of its
 * words, whichever: of BM25's ten best for the 53 questions of financebench-a, 25 words on average, .87 are among so
 * many, .75 among 350. The same for every limit, so that fewer results are the first of more.
 */
const budgetFor = (termCount: number): number =>
  Math.max(Math.min(500, 300 + 1_000 / termCount), 40 * termCount);

/** What the index knows of the searched passages: in how many each lexeme is, and how many there are. */
type IndexStatistics = { frequencies: ReadonlyMap<string, number>; passageCount: number };

/** In how many passages any of these lexemes is, at most. A passage has one language, so hardly two variants of a word. */
const documentFrequency = (lexemes: string[], { frequencies, passageCount }: IndexStatistics): number =>
  Math.min(
    passageCount,
    lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
  );

/** Variants of a word that passages hold, and the weight that all of them have. */
type Variants = { known: string[]; weight: number };

/**
 * Variants of a word with the weight of one word: of `weight` times its inverse document frequency. By its own, a
 * function word would count for much in the one passage that is taken for another language than the rest, because its
 * stem there is rare.
 */
function weighVariants(lexemes: string[], weight: number, index: IndexStatistics): Variants {
  const frequency = documentFrequency(lexemes, index);
  return {
    known: lexemes.filter((lexeme) => index.frequencies.has(lexeme)),
    weight: weight * inverseDocumentFrequency(frequency, index.passageCount),
  };
}

/** A level of candidates with the number of passages that are of it or a higher one. */
type CountedLevel = Omit<TermLevels[number], 'share'> & { count: number };

function levelOf(lexemes: string[], worth: number, index: IndexStatistics): CountedLevel {
  const operands = lexemes.filter((lexeme) => index.frequencies.has(lexeme)).map(quoteLexeme);
  const operand = operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`;
  return { operand, worth, count: documentFrequency(lexemes, index) };
}

/**
 * How passages may hold a term: in another accentuation only, in a variant as written, or that so densely that they
 * are of a tier.
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
 * What a variant in another accentuation counts beside one as the query has it. On made-up words of syllables that
 * only accents tell apart, as in Vietnamese (xquad-en, each word replaced), nDCG@10 is .952 from 0.2 to 0.4 and .950
 * at 0.7, against .907 where accents are folded away and .959 where they are kept. Where no passage has the accents
 * of the query, the others count in full.
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

/** A term with its variants as the query has them, and those in another accentuation. */
type WeighedTerm = { asWritten: Variants; unaccented: Variants };

/**
 * The terms that are scored, the weightiest first, and the most that all these terms could reach together. A term that
 * no passage holds counts there as well: an answer to half of the query scores at most half.
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

/** What each lexeme of the term can add, and how passages may hold it; needs the frequencies of its tiers. */
export const weighSpellings = (
  { asWritten, unaccented }: WeighedTerm,
  index: IndexStatistics,
): WeightedTerm => ({
  spellings: [asWritten, unaccented].flatMap(spellingsOf),
  levels: levelsOf(asWritten, unaccented, index),
});

/** The marks of the tiers by which some of the terms' passages are told apart. */
const tierMarksOf = (scored: WeighedTerm[], index: IndexStatistics): string[] =>
  scored
    .map(({ asWritten }) => asWritten.known)
    .filter((lexemes) => documentFrequency(lexemes, index) > TIERED_FROM)
    .flatMap((lexemes) =>
      lexemes.flatMap((lexeme) => TIERS.map((_, tier) => impactTierLexeme(lexeme, tier))),
    );

/** The terms to score, with the frequencies of their tiers, which are asked for where the statistics lack them. */
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

/** The candidates within `factor` times the usual budget. */
export function candidatesOf(weighted: WeightedTerm[], passageCount: number, factor = 1): CandidateQueries {
  const terms = weighted.map(({ levels }) => levels);
  return chooseCandidates(terms, { passageCount, budget: factor * budgetFor(terms.length) });
}

/** What a query asks: of the account's knowledge bases with these distinct ids, or of all. */
export type Question = {
  accountId: string;
  knowledgeBaseIds: string[] | undefined;
  query: string;
  limit: number;
  /** What the answer costs. */
  credits: number;
};

/**
 * Answers a question with the `limit` passages that fit best: score descending, then document createdAt descending,
 * then position in the document, then id. Empty when no term of the query occurs.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids; INSUFFICIENT_CREDITS
 */
export type Search = (question: Question) => Promise<FoundPassage[]>;

/** Ranks ever more candidates until there are enough; hardly ever more than once. */
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

/** The search over `database`; `memory` spares it asking again for stems that it has met. */
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
