/**
 * Ranks candidates in one statement: BM25 selects the best, then neighbouring passages and pseudo-relevance feedback
 * rerank them (see rerank.ts). All of it happens in PostgreSQL, because a round trip costs as much as the reranking.
 * The statement has one fixed text, because planning one for each query would cost more.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import { quoteLexeme } from '../analysis/lexemes.ts';
import { knowledgeBaseLexeme } from '../analysis/reserved-lexemes.ts';
import { takeCredits } from '../database/accounts.ts';
import type { Database } from '../database/database.ts';
import type { PassageRow } from '../database/passages.ts';
import { prepare } from '../database/prepared.ts';
import { insufficientCredits } from '../errors.ts';
import { lengthNorm, normPerLetter } from './bm25.ts';
import type { SearchedKnowledgeBases } from './collection-statistics.ts';
import { feedbackWords, scoreInContext, scoreWithSupport, trustBest } from './rerank.ts';
import { askedTerms, passageScore, type ScoredTerm, TERM_VALUES, termValues } from './term-scores.ts';

/** A passage with its score and the fields of its document that the contract shows. */
export type FoundPassage = PassageRow & {
  title: string;
  source: string;
  type: DocumentType;
  /** In [0, 1], 6 decimals. */
  score: number;
};

/** `attainable`: the upper bound of what all terms of the query add together, including terms that occur nowhere. */
export type Scoring = { weighted: ScoredTerm[]; attainable: number };

/** The passages to rank: those that match any of the tsqueries `queries`. `limit` of them are wanted. */
export type Candidates = { searched: SearchedKnowledgeBases; queries: string[]; limit: number };

/**
 * Passages that are reranked; no query may ask for more. With thirty, the mean nDCG@10 over the open collections is
 * .0003 lower, and a query takes .7 ms of 8 less.
 */
const RERANK_DEPTH = 50;

const PICKING_VALUES = ['ids', 'queries', 'perLetter', 'picked', ...TERM_VALUES] as const;
const RANKING_VALUES = [...PICKING_VALUES, 'attainable', 'limit', 'accountId', 'credits', 'isLast'] as const;
type Picking = Record<(typeof PICKING_VALUES)[number], RawBuilder<unknown>>;
type Ranking = Record<(typeof RANKING_VALUES)[number], RawBuilder<unknown>>;

/**
 * PostgreSQL stores larger tsvectors outside the row (the table's toast_tuple_target, less the row's other columns).
 */
const STORED_APART_BYTES = 8_000;

/** SQL for a passage's tsvector, read once: one outside the row would be read again for each term of the query. */
const inMemory = sql`
  CASE WHEN pg_column_size(lexemes) > ${sql.lit(STORED_APART_BYTES)} THEN lexemes || ''::tsvector ELSE lexemes END`;

/**
 * SQL for the candidates with BM25's score, the best first. Equal scores are sorted by id: the newest has the highest.
 */
function bestByWords({ ids, queries, perLetter, picked, ...terms }: Picking) {
  const score = passageScore(terms, sql.ref('lexemes'), sql.ref('norm'));
  // IS TRUE keeps PostgreSQL from using the index on knowledge bases here. IN hashes many ids, where ANY compares each.
  // OFFSET 0 keeps PostgreSQL from computing the norm again for each term.
  return sql<{ score: number }>`
    SELECT *, ${score} AS score FROM (
      SELECT knowledge_base_id, document_id, position, ${inMemory} AS lexemes, ${lengthNorm(sql.ref('length'), perLetter)} AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY(${queries}::tsquery[]) AND (knowledge_base_id IN (SELECT unnest(${ids}::uuid[]))) IS TRUE OFFSET 0
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${picked}`;
}

/**
 * The statement: the index finds candidates, BM25 scores them, the best are reranked, and then put into the total
 * order. It charges the query's credits at its end, so that it locks the balance for a moment only.
 */
function rankedPassages(values: Ranking) {
  const { attainable, limit, accountId, credits, isLast } = values;
  // Independent of the limit, so that a smaller limit returns the first results of a larger one.
  const isEnough = sql`(${isLast}::boolean OR (SELECT count(*) FROM best) >= ${values.picked})`;
  // Too few candidates cost nothing, because the statement then runs again with more.
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

/** Stored passages assumed for each searched one until PostgreSQL has an estimate; the table is small then. */
const STORED_PER_SEARCHED = 50;
/** Checks of all candidates that take as long as one knowledge base's lexeme in the index; rather too low. */
const LOOKS_PER_MARK = 0.5;

/**
 * tsquery text that restricts the index to the searched knowledge bases. undefined where it is cheaper to check and
 * reject passages of other knowledge bases than to read the knowledge base lexemes in the index.
 *
 * Processor time for 1,000 knowledge bases with 27,000 passages of a million; during imports, the index compares each
 * of its new entries with each knowledge base lexeme:
 *
 *                            with the lexemes   during imports   without   during imports
 *   six words                       2 s               4 s         .04 s         .06 s
 *   20 Chinese characters           4 s               7 s         .14 s         .26 s
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
    // In PostgreSQL's own notation, because the driver would check each of a thousand ids for characters to quote.
    ids: `{${searched.ids}}`,
    queries: scope === undefined ? queries : queries.map((query) => `(${query})&${scope}`),
    ...termValues(weighted),
    perLetter: normPerLetter(searched),
    picked: RERANK_DEPTH,
  };
}

/** The scores of the `limit` best candidates by BM25 alone: unscaled, best first. */
export async function scoreByWords(
  database: Database,
  scoring: Scoring,
  candidates: Candidates,
): Promise<number[]> {
  const rows = await pick(database, { ...pickingValues(scoring, candidates), picked: candidates.limit });
  return rows.map(({ score }) => score);
}

/**
 * Returns the `limit` best candidates and charges `credits` to the account. `isEnough`: there were enough candidates,
 * or the call says `isLast`; otherwise it charges nothing.
 * @throws INSUFFICIENT_CREDITS when other requests have used up the balance meanwhile; it then charges nothing
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
