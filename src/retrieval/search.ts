/** Finds and scores the passages that answer a query: candidates by the index, BM25 over the searched knowledge bases. */
import { insufficientCredits } from '../errors.ts';
import { chargeCredits } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import type { SearchedKnowledgeBases } from '../storage/query-statistics.ts';
import type { ScoredTerm } from './asked-terms.ts';
import { attainableWeight, inverseDocumentFrequency, queryFrequencyWeight, weightAt } from './bm25.ts';
import { type CandidateQueries, chooseCandidates, type TermLevels } from './candidates.ts';
import { quoteLexeme } from './lexemes.ts';
import { TIERS, tierMark, UNTIERED_DENSITY } from './marks.ts';
import type { QueryTerm } from './query-terms.ts';
import { type FoundPassage, rankPassages } from './ranking.ts';
import type { StemMemory } from './stems.ts';
import { createUnderstanding } from './understanding.ts';

/** A word of the query: how it is scored, and how a passage may hold it. */
type WeightedTerm = ScoredTerm & { levels: TermLevels };

/** More terms than this sharpen no ranking any more, they only cost time: the weightiest of a long query are asked. */
const SCORED_TERMS_MAX = 64;

/** Of a word in more passages than this, some are told apart by their density. */
const TIERED_FROM = 1_000;

/**
 * Candidates of a query. Those of a short one are hard to tell apart, and a long one's best passages hold many of its
 * words, whichever: of BM25's ten best for the 53 questions of financebench-a, 25 words on average, .87 are among so
 * many, .75 among 350. The same for every limit, so that fewer results are the first of more.
 */
const budgetFor = (termCount: number): number =>
  Math.max(Math.min(500, 300 + 1_000 / termCount), 40 * termCount);

/** How passages may hold a term of these spellings: at least once, or so densely that they are of a tier. */
function levelsOf(
  spellings: string[],
  weight: number,
  { frequencies, passageCount }: { frequencies: Map<string, number>; passageCount: number },
): TermLevels {
  const countOf = (lexemes: string[]) =>
    Math.min(
      passageCount,
      lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
    );
  const level = (lexemes: string[], density: number) => {
    const operands = lexemes.filter((lexeme) => frequencies.has(lexeme)).map(quoteLexeme);
    const operand = operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`;
    return { operand, worth: weightAt(weight, density), count: countOf(lexemes) };
  };
  const levels = [level(spellings, UNTIERED_DENSITY)];
  if (countOf(spellings) > TIERED_FROM) {
    TIERS.forEach(({ typical }, tier) => {
      levels.push(
        level(
          spellings.map((spelling) => tierMark(spelling, tier)),
          typical,
        ),
      );
    });
  }
  const held = levels.filter(({ count }) => count > 0);
  return held.map(({ operand, worth, count }, place) => ({
    operand,
    worth,
    share: Math.max(0, count - (held[place + 1]?.count ?? 0)) / passageCount,
  }));
}

/**
 * The weight of each lexeme that occurs, the weightiest terms first, and the most that all these terms could reach
 * together. A term that no passage holds counts there as well: an answer to half of the query scores at most half.
 */
export function weighTerms(terms: QueryTerm[], frequencies: Map<string, number>, passageCount: number) {
  const idfOf = (lexeme: string) => inverseDocumentFrequency(frequencies.get(lexeme) ?? 0, passageCount);
  const weighed = terms.map(({ lexemes, frequency, weight }) => {
    const known = lexemes.filter((lexeme) => frequencies.has(lexeme));
    const idf = Math.max(...(known.length > 0 ? known : lexemes).map(idfOf));
    const share = weight * queryFrequencyWeight(frequency);
    return { weight: share * idf, share, known };
  });
  const byWeight = weighed.sort((left, right) => right.weight - left.weight);
  const scored = byWeight.filter(({ known }) => known.length > 0).slice(0, SCORED_TERMS_MAX);
  const unknown = byWeight.filter(({ known }) => known.length === 0);
  const attainable = [...scored, ...unknown].reduce((sum, { weight }) => sum + attainableWeight(weight), 0);
  const weighted = scored.map(
    ({ known, weight, share }): WeightedTerm => ({
      spellings: known.map((lexeme) => ({ lexeme, attainable: attainableWeight(share * idfOf(lexeme)) })),
      levels: levelsOf(known, weight, { frequencies, passageCount }),
    }),
  );
  return { weighted, attainable };
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
  scoring: { weighted: WeightedTerm[]; attainable: number },
  { searched, question }: { searched: SearchedKnowledgeBases; question: Question },
): Promise<FoundPassage[]> {
  const { accountId, limit, credits } = question;
  for (const factor of [1, 20, Number.POSITIVE_INFINITY]) {
    const { queries, all: isLast } = candidatesOf(scoring.weighted, searched.passageCount, factor);
    const candidates = { searched, queries, limit };
    const found = await rankPassages(database, scoring, candidates, { accountId, credits, isLast });
    if (isLast || found.length === limit) return found;
  }
  throw new Error('an unlimited budget leaves nothing out');
}

/** The search over `database`; `memory` spares it asking again for stems that it has met. */
export function createSearch(database: Database, memory: StemMemory): Search {
  const understand = createUnderstanding(database, memory);
  return async (question) => {
    const { terms, statistics } = await understand(question);
    const { searched, frequencies, credits } = statistics;
    if (question.credits > credits) throw insufficientCredits();
    const scoring = weighTerms(terms, frequencies, searched.passageCount);
    if (scoring.weighted.length > 0) return await rankEnough(database, scoring, { searched, question });
    await chargeCredits(database, question.accountId, question.credits);
    return [];
  };
}
