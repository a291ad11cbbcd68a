/**
 * Ranks candidates in one statement: BM25 selects the best, their neighbouring passages and each other's words rerank
 * them (see rerank.ts). All of it happens in PostgreSQL, because a round trip costs as much as the reranking; and the
 * statement has one fixed text, because planning one for each query would cost more.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import { quoteLexeme } from '../analysis/lexemes.ts';
import { knowledgeBaseLexeme } from '../analysis/scope-mark.ts';
import { takeCredits } from '../database/accounts.ts';
import type { Database } from '../database/database.ts';
import type { PassageRow } from '../database/passages.ts';
import { prepare } from '../database/prepared.ts';
import { insufficientCredits } from '../errors.ts';
import { askedTerms, passageScore, type ScoredTerm, TERM_VALUES, termValues } from './asked-terms.ts';
import { lengthNorm, normPerLetter } from './bm25.ts';
import type { SearchedKnowledgeBases } from './collection-statistics.ts';
import { feedbackWords, scoreInContext, scoreWithSupport, trustBest } from './rerank.ts';

/** A passage with its score and what the contract shows of its document. */
export type FoundPassage = PassageRow & {
  title: string;
  source: string;
  type: DocumentType;
  /** In [0, 1], 6 decimals. */
  score: number;
};

/** `attainable`: the most that all terms of the query could add together, those that occur nowhere included. */
export type Scoring = { weighted: ScoredTerm[]; attainable: number };

/** What is ranked: the passages that match any of the tsqueries `queries`, and how many of them are wanted. */
export type Candidates = { searched: SearchedKnowledgeBases; queries: string[]; limit: number };

/**
 * Passages that are reranked, as many as a query may want. With thirty, the mean nDCG@10 over the open collections is
 * .0003 lower, and a query takes .7 ms of 8 less.
 */
const RERANK_DEPTH = 50;

const PICKING_VALUES = ['ids', 'queries', 'perLetter', 'picked', ...TERM_VALUES] as const;
const RANKING_VALUES = [...PICKING_VALUES, 'attainable', 'limit', 'accountId', 'credits', 'isLast'] as const;
type Picking = Record<(typeof PICKING_VALUES)[number], RawBuilder<unknown>>;
type Ranking = Record<(typeof RANKING_VALUES)[number], RawBuilder<unknown>>;

/** Larger tsvectors are stored apart from their rows (the table's toast_tuple_target, less the row's other columns). */
const STORED_APART_BYTES = 8_000;

/** SQL for a passage's tsvector, read once: one that is stored apart would be read for each term of the query. */
const inMemory = sql`
  CASE WHEN pg_column_size(lexemes) > ${sql.lit(STORED_APART_BYTES)} THEN lexemes || ''::tsvector ELSE lexemes END`;

/** SQL for the candidates with BM25's score, the best first; of equal ones the newest, whose ids are the highest. */
function bestByWords({ ids, queries, perLetter, picked, ...terms }: Picking) {
  const score = passageScore(terms, sql.ref('lexemes'), sql.ref('norm'));
  // IS TRUE keeps the index on knowledge bases out of it, and IN makes a hash table of many ids, where ANY compares each;
  // OFFSET 0 keeps the norm from being computed for each term.
  return sql<{ score: number }>`
    SELECT *, ${score} AS score FROM (
      SELECT knowledge_base_id, document_id, position, ${inMemory} AS lexemes, ${lengthNorm(sql.ref('length'), perLetter)} AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY(${queries}::tsquery[]) AND (knowledge_base_id IN (SELECT unnest(${ids}::uuid[]))) IS TRUE OFFSET 0
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${picked}`;
}

/**
 * The statement: candidates by the index, BM25 over them, reranking of the best, then the total order. It takes the
 * query's credits at its end, so that it locks the balance for a moment only.
 */
function rankedPassages(values: Ranking) {
  const { attainable, limit, accountId, credits, isLast } = values;
  // Whatever the limit is, so that fewer results are the first of more.
  const isEnough = sql`(${isLast}::boolean OR (SELECT count(*) FROM best) >= ${values.picked})`;
  // Too few are asked for again, and cost nothing.
  const due = sql`CASE WHEN ${isEnough} THEN ${credits}::bigint ELSE 0 END`;
  return sql<FoundPassage & { isEnough: boolean; isPaid: boolean }>`
    WITH asked AS MATERIALIZED (${askedTerms(values)}),
    best AS MATERIALIZED (${bestByWords(values)}),
    in_context AS MATERIALIZED (${scoreInContext(values.perLetter)}),
    trusting AS MATERIALIZED (${trustBest()}),
    word AS MATERIALIZED (${feedbackWords(values.lexemes)}),
    supported AS MATERIALIZED (${scoreWithSupport()}),
    ranked AS (
      SELECT knowledge_base_id, document_id, position,
        round((score / ${attainable}::float8)::numeric, 6)::float8 AS score
      FROM supported ORDER BY score DESC FETCH FIRST ${limit} ROWS WITH TIES),
    paid AS (${takeCredits(sql`${accountId}::uuid`, due)})
    SELECT passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, headings, documents.title, documents.source, documents.type, least(ranked.score, 1) AS score,
      ${isEnough} AS "isEnough", ${due} = 0 OR EXISTS (SELECT FROM paid) AS "isPaid"
    FROM ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${limit}`;
}

const pick = prepare(
  'best_by_words',
  PICKING_VALUES,
  (values) =>
    sql<{ score: number }>`WITH asked AS MATERIALIZED (${askedTerms(values)}) ${bestByWords(values)}`,
);
const rank = prepare('ranked_passages', RANKING_VALUES, rankedPassages);

/** Passages that are stored for each one searched, as long as PostgreSQL has no estimate: the table is small then. */
const STORED_PER_SEARCHED = 50;
/** How often all candidates could be looked at in vain in the time of one knowledge base's mark; rather too low. */
const LOOKS_PER_MARK = 0.5;

/**
 * tsquery text that holds the index to the searched knowledge bases; none where looking at what others have is cheaper
 * than their marks in the index. Of 1,000 knowledge bases with 27,000 passages of a million, a query of six words took
 * 2 s of processor time by the marks, one of 20 Chinese characters 4 s, and 4 and 7 s beside imports, whose new entries
 * are held against each mark. Without marks they took .04 and .14 s, beside imports .06 and .26.
 */
function scopeOf({ ids, passageCount, storedPassages }: SearchedKnowledgeBases): string | undefined {
  const looks = (storedPassages ?? STORED_PER_SEARCHED * passageCount) / passageCount;
  if (looks < Math.max(2, LOOKS_PER_MARK * ids.length)) return undefined;
  return `(${ids.map((id) => quoteLexeme(knowledgeBaseLexeme(id))).join('|')})`;
}

/** The values of `PICKING_VALUES`. */
function pickingValues({ weighted }: Scoring, { searched, queries }: Omit<Candidates, 'limit'>) {
  const scope = scopeOf(searched);
  return {
    // As PostgreSQL writes arrays; the driver would look at each of a thousand for what has to be quoted.
    ids: `{${searched.ids}}`,
    queries: scope === undefined ? queries : queries.map((query) => `(${query})&${scope}`),
    ...termValues(weighted),
    perLetter: normPerLetter(searched),
    picked: RERANK_DEPTH,
  };
}

/** The scores of the `limit` best candidates by BM25 alone, unscaled, best first. */
export async function scoreByWords(
  database: Database,
  scoring: Scoring,
  candidates: Candidates,
): Promise<number[]> {
  const rows = await pick(database, { ...pickingValues(scoring, candidates), picked: candidates.limit });
  return rows.map(({ score }) => score);
}

/**
 * The `limit` best of the candidates, for `credits` of the account's. `isEnough`: there were enough candidates, or this
 * `isLast`; otherwise nothing is taken.
 * @throws INSUFFICIENT_CREDITS when others have used up the balance meanwhile; then nothing is taken
 */
export async function rankPassages(
  database: Database,
  scoring: Scoring,
  { limit, ...candidates }: Candidates,
  charge: { accountId: string; credits: number; isLast: boolean },
): Promise<{ found: FoundPassage[]; isEnough: boolean }> {
  const { attainable } = scoring;
  const rows = await rank(database, { ...pickingValues(scoring, candidates), attainable, limit, ...charge });
  if (rows.some(({ isPaid }) => !isPaid)) throw insufficientCredits();
  return { found: rows, isEnough: charge.isLast || rows.some(({ isEnough }) => isEnough) };
}
