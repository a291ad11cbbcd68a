/**
 * The statement that ranks the passages of a search without a scope. Its forms: for few terms, for words alone, and for
 * words and meaning.
 */
import { type RawBuilder, sql } from 'kysely';
import { prepare } from '../../../database/connection/prepared.ts';
import { BM25_VALUES, bestByBm25, candidate, FEW_BM25_VALUES } from '../best-by-bm25.ts';
import { type Distribution, inEachDistribution, ON_ONE_SERVER } from '../distribution.ts';
import { MEANING_VALUES, type MeaningValues, nearestInMeaning } from '../meaning.ts';
import { passageScore, queryTermRows, scoreOfFewTerms, scoreOfFewTexts } from '../term-scores.ts';
import { RERANK_VALUES, rankedTables, type WithMeaning } from './final-order.ts';
import { type FoundPassage, foundColumns, joinedTables } from './found-passages.ts';

const WORD_VALUES = [...BM25_VALUES, ...RERANK_VALUES] as const;
const FEW_WORD_VALUES = [...FEW_BM25_VALUES, ...RERANK_VALUES] as const;
const ALL_VALUES = [...WORD_VALUES, ...MEANING_VALUES] as const;
type WordValues = Record<(typeof WORD_VALUES)[number], RawBuilder<unknown>>;
type FewWordValues = Record<(typeof FEW_WORD_VALUES)[number], RawBuilder<unknown>>;

/** The values of a ranking without a scope. */
export type WholeValues = Record<Exclude<(typeof WORD_VALUES)[number], 'lexemes' | 'limit'>, unknown> & {
  lexemes: string[];
  limit: number;
};

/**
 * The tables `by_words`, the best by BM25, and `best`, with those that meaning finds. Without meaning, the first is
 * `best`.
 */
function bestPassages(values: WordValues & WithMeaning, distribution: Distribution) {
  const { meaning } = values;
  const byBm25 = bestByBm25(values, passageScore(values, candidate, distribution), distribution);
  if (meaning === undefined) return sql`best AS MATERIALIZED (${byBm25})`;
  const nearest = nearestInMeaning(
    { ...values, ...meaning },
    { score: scoreOfFewTexts(values, candidate, distribution), distribution },
  );
  return sql`by_words AS MATERIALIZED (${byBm25}),
    best AS MATERIALIZED (
      SELECT * FROM by_words UNION ALL (${nearest}))`;
}

/** `best` by few terms. */
const bestByFewTerms = (values: FewWordValues, distribution: Distribution) =>
  sql`best AS MATERIALIZED (${bestByBm25(values, scoreOfFewTerms(values, candidate), distribution)})`;

/**
 * The statement: the index finds candidates, BM25 scores them, the best are reranked and sorted into the final order.
 * `best`: the tables that lead to the best by BM25.
 */
function rankedPassages(
  values: FewWordValues & WithMeaning,
  best: RawBuilder<unknown>,
  distribution: Distribution,
) {
  // Independent of the limit, so that a smaller limit returns the first results of a larger one.
  const { isLast, least, selected, meaning } = values;
  const byWords = meaning === undefined ? sql`best` : sql`by_words`;
  const enough = sql`CASE WHEN ${isLast}::boolean THEN ${least}::integer ELSE ${selected} END`;
  const isEnough = sql`(SELECT is_enough FROM counted_best)`;
  const ranked = rankedTables(values, { distribution });
  return sql<FoundPassage & { isEnough: boolean }>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)}),
    ${best},
    counted_best AS MATERIALIZED (SELECT count(*) >= ${enough} AS is_enough FROM ${byWords}),${ranked}
    SELECT ${foundColumns()},
      ${isEnough} AS "isEnough"
    FROM ${joinedTables(values, distribution)}
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${values.limit}`;
}

/**
 * Prepares the statements of searches without a scope. Most queries have few terms and no phrases: for these, a
 * statement without the other slots takes .93 of PostgreSQL's time.
 */
export function prepareWhole() {
  // Of several knowledge bases on Citus: see rank-across-servers.ts.
  const rankByFewTerms = prepare(
    'ranked_by_few_terms',
    FEW_WORD_VALUES,
    (values: FewWordValues) => rankedPassages(values, bestByFewTerms(values, ON_ONE_SERVER), ON_ONE_SERVER),
    { ids: 'ids' },
  );
  const rankByWords = prepare(
    'ranked_passages',
    WORD_VALUES,
    (values: WordValues) => rankedPassages(values, bestPassages(values, ON_ONE_SERVER), ON_ONE_SERVER),
    { ids: 'ids' },
  );
  const rankWithMeaning = prepare(
    'ranked_with_meaning',
    ALL_VALUES,
    ...inEachDistribution((given: WordValues & MeaningValues, distribution) => {
      const values = { ...given, meaning: given };
      return rankedPassages(values, bestPassages(values, distribution), distribution);
    }, 'ids'),
  );
  return { rankByFewTerms, rankByWords, rankWithMeaning };
}
