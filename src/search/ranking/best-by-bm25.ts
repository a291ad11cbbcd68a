/**
 * SQL for the candidates of a search, and for the best of them by BM25. The statements in statement/ have it as a part.
 */
import { type RawBuilder, sql } from 'kysely';
import { quoteLexeme } from '../../analysis/lexemes.ts';
import { knowledgeBaseLexeme } from '../../analysis/reserved-lexemes.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { lengthNormSql, normPerLetter } from '../bm25.ts';
import { FURTHER_MAX } from '../candidates/candidates.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import { type Distribution, fence } from './distribution.ts';
import { RERANK_DEPTH } from './rerank.ts';
import { FEW_TERM_VALUES, type ScoredTerm, TERM_VALUES, termValues } from './term-scores.ts';

/**
 * The terms to score. `upperBound`: the highest score that all terms of the query allow, also those that occur nowhere.
 */
export type Scoring = { terms: ScoredTerm[]; upperBound: number };

const CANDIDATE_VALUES = ['ids', 'queries', 'perLetter', 'selected'] as const;
/** The values that `bestByBm25` and the score of its candidates take. */
export const BM25_VALUES = [...CANDIDATE_VALUES, ...TERM_VALUES, 'further', 'phrases'] as const;
/** Those for few terms without phrases. */
export const FEW_BM25_VALUES = [...CANDIDATE_VALUES, ...FEW_TERM_VALUES, 'further'] as const;
/** `phrases`: undefined in a statement for queries without any. */
type CandidateValues = Record<(typeof CANDIDATE_VALUES)[number] | 'further', RawBuilder<unknown>> & {
  phrases?: RawBuilder<unknown>;
};

/** PostgreSQL stores a larger tsvector out of line (the table's toast_tuple_target, minus the row's other columns). */
const OUT_OF_LINE_BYTES = 8_000;

/** SQL that reads a passage's tsvector once. Otherwise an out-of-line one would be read again for each query term. */
export const inMemory = sql`
  CASE WHEN pg_column_size(lexemes) > ${sql.lit(OUT_OF_LINE_BYTES)} THEN lexemes || ''::tsvector ELSE lexemes END`;

/** The columns of a candidate that its score depends on. */
export const candidate = { lexemes: sql.ref('lexemes'), norm: sql.ref('norm') };

/**
 * SQL for whether a passage has all phrases of the query (see phrase-conditions.ts); the array is empty without any.
 * PostgreSQL expects half of the passages to fulfil a CASE, but next to none to match an array.
 */
export const hasPhrases = ({ phrases }: Record<'phrases', RawBuilder<unknown>>) =>
  sql`CASE WHEN lexemes @@ ALL(${phrases}::tsquery[]) THEN true ELSE false END`;

/**
 * SQL for the candidates with `score`, BM25's score by the columns of `candidate`, the best first. Equal scores are
 * sorted by id: the newest has the highest. On distributed tables all further candidates are scored, because Citus
 * would fetch rows to limit them.
 */
export function bestByBm25(
  { ids, queries, further, phrases, perLetter, selected }: CandidateValues,
  score: RawBuilder<number>,
  distribution: Distribution,
) {
  // IS TRUE keeps PostgreSQL from using the index on knowledge bases here. IN hashes many ids, where ANY compares each.
  // The fence keeps PostgreSQL from reading the tsvector and computing the norm again for each term.
  const isSearched = distribution.isDistributed
    ? inShards(ids)
    : sql`(knowledge_base_id IN (SELECT unnest(${ids}::uuid[]))) IS TRUE`;
  const matching = (tsqueries: RawBuilder<unknown>) => sql`
      SELECT knowledge_base_id, document_id, position, ${inMemory} AS lexemes,
        ${lengthNormSql(sql.ref('length'), perLetter)} AS norm${fence.column(distribution)}
      FROM passage_lexemes
      WHERE lexemes @@ ANY(${tsqueries})
        AND ${isSearched}${phrases === undefined ? sql`` : sql` AND ${hasPhrases({ phrases })}`}`;
  const isFound = sql`lexemes @@ ANY(${queries}::tsquery[])`;
  // Without an order, LIMIT takes the rows that are stored first: the same at each search, until the table changes.
  // For any other order, PostgreSQL would have to read all of them.
  const candidates = distribution.isDistributed
    ? matching(sql`${queries}::tsquery[] || ${further}::tsquery[]`)
    : sql`(${matching(sql`${queries}::tsquery[]`)}${fence.end(distribution)})
      UNION ALL
      (${matching(sql`${further}::tsquery[]`)} AND (${isFound}) IS NOT TRUE
      LIMIT ${sql.lit(FURTHER_MAX)})`;
  return sql<{ score: number }>`
    SELECT knowledge_base_id, document_id, position, lexemes, norm, ${score} AS score FROM (${candidates}
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${selected}`;
}

/**
 * Stored passages assumed for each searched one until PostgreSQL has an estimate: in the first minute, while the table
 * is small. From 2 on, a search in one knowledge base uses its lexeme.
 */
const STORED_PER_SEARCHED = 50;
/**
 * The least cost of reading one knowledge base's lexeme in the index, in checks of all candidates. Of 64,000 passages
 * in 20 knowledge bases, the time with the lexemes was .3 of that without for nine knowledge bases with a 20th of the
 * passages (2.2 checks a lexeme), and 1.27 for sixteen with more than a quarter (.22). For one knowledge base it was
 * .61, .47 and .86 with a 13th, a 6th and a third of the passages, and for two with half of them .96.
 */
const CHECKS_PER_LEXEME = 0.5;

/**
 * tsquery text that restricts the index to the searched knowledge bases. undefined where it is cheaper to read passages
 * of all knowledge bases, and to reject passages of others, than to read the knowledge base lexemes in the index.
 *
 * Processor time for 1,000 knowledge bases with 27,000 passages of a million. During imports it is higher, because the
 * index compares each of its pending entries with each knowledge base lexeme:
 *
 *                            with the lexemes   during imports   without   during imports
 *   six words                       2 s               4 s         .04 s         .06 s
 *   20 Chinese characters           4 s               7 s         .14 s         .26 s
 */
function knowledgeBaseFilter({
  ids,
  passageCount,
  storedPassages,
}: SearchedKnowledgeBases): string | undefined {
  const checks = (storedPassages ?? STORED_PER_SEARCHED * passageCount) / passageCount;
  if (checks < Math.max(2, CHECKS_PER_LEXEME * ids.length)) return undefined;
  return `(${ids.map((id) => quoteLexeme(knowledgeBaseLexeme(id))).join('|')})`;
}

/** The values of `BM25_VALUES`. */
export function bm25Values(
  { terms }: Scoring,
  {
    searched,
    queries,
    further,
    phrases = [],
  }: {
    searched: SearchedKnowledgeBases;
    queries: string[];
    further: string[];
    phrases?: string[] | undefined;
  },
) {
  const filter = knowledgeBaseFilter(searched);
  const inSearched = (query: string) => (filter === undefined ? query : `(${query})&${filter}`);
  return Object.assign(termValues(terms), {
    // In PostgreSQL's own notation, because the driver would check each of a thousand ids for characters to quote.
    ids: `{${searched.ids}}`,
    queries: queries.map(inSearched),
    further: further.map(inSearched),
    phrases,
    perLetter: normPerLetter(searched),
    selected: RERANK_DEPTH,
  });
}
