/** Finds and scores the passages that answer a query: candidates by the index, BM25 over the searched knowledge bases. */
import type { Database } from '../storage/database.ts';
import type { SearchedKnowledgeBases } from '../storage/knowledge-bases.ts';
import { readDocumentFrequencies } from '../storage/lexeme-statistics.ts';
import { attainableWeight, inverseDocumentFrequency, queryFrequencyWeight, weightAt } from './bm25.ts';
import { type CandidateQueries, chooseCandidates, type TermLevels } from './candidates.ts';
import { quoteLexeme, type Stem } from './lexemes.ts';
import { TIERS, tierMark, UNTIERED_DENSITY } from './marks.ts';
import { analyseQuery, type QueryTerm } from './query-terms.ts';
import { type FoundPassage, rankedPassages, type ScoredTerm } from './ranking.ts';

/** A word of the query: how it is scored, and how a passage may hold it. */
type WeightedTerm = ScoredTerm & { levels: TermLevels };

/** More terms than this sharpen no ranking any more, they only cost time: the weightiest of a long query are asked. */
const SCORED_TERMS_MAX = 64;

/** Of a word in more passages than this, some are told apart by their density. */
const TIERED_FROM = 1_000;

/**
 * Candidates of a query: few of a long one, where each takes its time, many of a short one, whose passages are harder
 * to tell apart. The same for every limit, so that fewer results are the first of more.
 */
const budgetFor = (termCount: number): number => Math.min(500, 300 + 1_000 / termCount);

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

/** Ranks ever more candidates until there are enough; hardly ever more than once. */
async function rankPassages(
  database: Database,
  scoring: { weighted: WeightedTerm[]; attainable: number },
  { searched, limit }: { searched: SearchedKnowledgeBases; limit: number },
): Promise<FoundPassage[]> {
  for (const factor of [1, 20, Number.POSITIVE_INFINITY]) {
    const { queries, all } = candidatesOf(scoring.weighted, searched.passageCount, factor);
    const { rows } = await rankedPassages(scoring, { searched, queries, limit }).execute(database);
    if (all || rows.length === limit) return rows;
  }
  throw new Error('an unlimited budget leaves nothing out');
}

/**
 * The `limit` passages that answer `query` best: score descending, then document createdAt descending, then
 * position in the document, then id. Empty when no term of the query occurs.
 */
export async function searchPassages(
  { database, stem }: { database: Database; stem: Stem },
  { query, searched, limit }: { query: string; searched: SearchedKnowledgeBases; limit: number },
): Promise<FoundPassage[]> {
  if (searched.passageCount === 0) return [];
  const terms = await analyseQuery(query, searched.languages, stem);
  const lexemes = terms.flatMap((term) => term.lexemes);
  const marks = TIERS.flatMap((_, tier) => lexemes.map((lexeme) => tierMark(lexeme, tier)));
  const frequencies = await readDocumentFrequencies(database, searched, [...lexemes, ...marks]);
  const scoring = weighTerms(terms, frequencies, searched.passageCount);
  if (scoring.weighted.length === 0) return [];
  return await rankPassages(database, scoring, { searched, limit });
}
