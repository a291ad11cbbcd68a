/**
 * Ranks candidates in one statement. BM25 selects the best. Then neighbouring passages and pseudo-relevance feedback
 * rerank them (see rerank.ts). All of it happens in PostgreSQL, because a round trip costs as much as the reranking.
 * The statement has one fixed text, because planning a statement for each query would cost more.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import { quoteLexeme } from '../analysis/lexemes.ts';
import { knowledgeBaseLexeme } from '../analysis/reserved-lexemes.ts';
import type { Queryable } from '../database/database.ts';
import { inShards } from '../database/distributed-tables.ts';
import type { DescriptionRow } from '../database/documents.ts';
import type { PassageRow } from '../database/passages.ts';
import { prepare } from '../database/prepared.ts';
import { lengthNormSql, normPerLetter } from './bm25.ts';
import { FURTHER_MAX } from './candidates.ts';
import type { SearchedKnowledgeBases } from './collection-statistics.ts';
import { fence, inEachLayout, type Layout } from './layout.ts';
import type { Payment } from './payment.ts';
import {
  feedbackTerms,
  joinNeighbours,
  RERANK_DEPTH,
  rerankByFeedback,
  rerankByNeighbours,
  weighFeedback,
} from './rerank.ts';
import {
  candidatesInScope,
  documentsInScope,
  SCOPE_VALUES,
  type SearchScope,
  scopeValues,
} from './search-scope.ts';
import { passageScore, queryTermRows, type ScoredTerm, TERM_VALUES, termValues } from './term-scores.ts';

/** A passage with its score and the fields of its document that the contract shows. */
export type FoundPassage = PassageRow &
  DescriptionRow & {
    title: string;
    source: string;
    type: DocumentType;
    /** In [0, 1], 6 decimals. */
    score: number;
    /** The score by BM25 alone, and with the neighbouring passages; before the division by the upper bound. */
    bm25: number;
    combined: number;
  };

/**
 * The terms to score. `upperBound`: the highest score that all terms of the query allow, also those that occur nowhere.
 */
export type Scoring = { terms: ScoredTerm[]; upperBound: number };

/**
 * The passages to rank: those that match any of the tsqueries `queries`, and some of those that match any of `further`
 * (see candidates.ts). In a scope: all of both that are in the scope. `limit` of them are wanted. `comparesAll`: few
 * documents fit the filter of the scope (see search-scope.ts).
 */
export type Candidates = {
  searched: SearchedKnowledgeBases;
  queries: string[];
  further: string[];
  limit: number;
  scope?: SearchScope | undefined;
  comparesAll: boolean;
};

/** The values that `bestByBm25` takes. */
export const BM25_VALUES = ['ids', 'queries', 'perLetter', 'selected', ...TERM_VALUES, 'further'] as const;
const RANKING_VALUES = [...BM25_VALUES, 'upperBound', 'limit', 'accountId', 'price', 'isLast'] as const;
type Bm25Values = Record<(typeof BM25_VALUES)[number], RawBuilder<unknown>>;
const SCOPED_VALUES = [...RANKING_VALUES, ...SCOPE_VALUES] as const;
type RankingValues = Record<(typeof RANKING_VALUES)[number], RawBuilder<unknown>>;
type ScopedValues = Record<(typeof SCOPED_VALUES)[number], RawBuilder<unknown>>;

/** PostgreSQL stores a larger tsvector out of line (the table's toast_tuple_target, minus the row's other columns). */
const OUT_OF_LINE_BYTES = 8_000;

/** SQL that reads a passage's tsvector once. Otherwise an out-of-line one would be read again for each query term. */
const inMemory = sql`
  CASE WHEN pg_column_size(lexemes) > ${sql.lit(OUT_OF_LINE_BYTES)} THEN lexemes || ''::tsvector ELSE lexemes END`;

/** The columns of a candidate that its score depends on. */
const candidate = { lexemes: sql.ref('lexemes'), norm: sql.ref('norm') };

/**
 * SQL for the candidates with BM25's score, the best first. Equal scores are sorted by id: the newest has the highest.
 * On distributed tables all further candidates are scored, because Citus would fetch rows to limit them.
 */
export function bestByBm25(
  { ids, queries, further, perLetter, selected, ...terms }: Bm25Values,
  layout: Layout,
) {
  const score = passageScore(terms, candidate, layout);
  // IS TRUE keeps PostgreSQL from using the index on knowledge bases here. IN hashes many ids, where ANY compares each.
  // The fence keeps PostgreSQL from reading the tsvector and computing the norm again for each term.
  const isSearched = layout.isDistributed
    ? inShards(ids)
    : sql`(knowledge_base_id IN (SELECT unnest(${ids}::uuid[]))) IS TRUE`;
  const matching = (tsqueries: RawBuilder<unknown>) => sql`
      SELECT knowledge_base_id, document_id, position, ${inMemory} AS lexemes,
        ${lengthNormSql(sql.ref('length'), perLetter)} AS norm${fence.column(layout)}
      FROM passage_lexemes
      WHERE lexemes @@ ANY(${tsqueries})
        AND ${isSearched}`;
  const isFound = sql`lexemes @@ ANY(${queries}::tsquery[])`;
  // Without an order, LIMIT takes the rows that are stored first: the same at each search, until the table changes.
  // For any other order, PostgreSQL would have to read all of them.
  const candidates = layout.isDistributed
    ? matching(sql`${queries}::tsquery[] || ${further}::tsquery[]`)
    : sql`(${matching(sql`${queries}::tsquery[]`)}${fence.end(layout)})
      UNION ALL
      (${matching(sql`${further}::tsquery[]`)} AND (${isFound}) IS NOT TRUE
      LIMIT ${sql.lit(FURTHER_MAX)})`;
  return sql<{ score: number }>`
    SELECT knowledge_base_id, document_id, position, lexemes, norm, ${score} AS score FROM (${candidates}
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${selected}`;
}

/** The price of a search with enough candidates. Too few cost nothing: the statement then runs again with more. */
const dueFor = (isEnough: RawBuilder<unknown>, { price }: Pick<RankingValues, 'price'>) =>
  sql`CASE WHEN ${isEnough} THEN ${price}::bigint ELSE 0 END`;

/** The tables that lead from `best` to `ranked`, which has the final scores, and to `paid`, which takes the price. */
const rankedTables = (
  payment: Payment,
  values: RankingValues,
  { due, layout }: { due: RawBuilder<unknown>; layout: Layout },
) => sql`${
  layout.isDistributed
    ? sql`
    neighbourhoods AS MATERIALIZED (${joinNeighbours(values.ids)}),`
    : sql``
}
    with_neighbours AS MATERIALIZED (${rerankByNeighbours(values.perLetter, layout)}),
    feedback AS MATERIALIZED (${weighFeedback()}),
    feedback_terms AS MATERIALIZED (${feedbackTerms(values, layout)}),
    reranked AS MATERIALIZED (${rerankByFeedback()}),
    ranked AS (
      SELECT knowledge_base_id, document_id, position, bm25, combined,
        round((score / ${values.upperBound}::float8)::numeric, 6)::float8 AS score
      FROM reranked ORDER BY score DESC FETCH FIRST ${values.limit} ROWS WITH TIES),
    paid AS (${payment.take(sql`${values.accountId}::uuid`, due)})`;

/** The columns of `FoundPassage`, from the tables of `joinedTables`. */
const foundColumns = sql`passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, headings, documents.title, documents.source, documents.type, attributes, source_url,
      external_id, least(ranked.score, 1) AS score, bm25, combined`;
// Each document exists, but LEFT keeps PostgreSQL from reading documents first, and then all passages of each.
const joinedTables = ({ ids }: Pick<RankingValues, 'ids'>, { isDistributed }: Layout) => sql`ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    ${isDistributed ? sql`JOIN` : sql`LEFT JOIN`} documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id${
        isDistributed
          ? sql`
      AND ${inShards(ids, 'documents')} AND ${inShards(ids, 'passages')}`
          : sql``
      }`;

/**
 * The statement: the index finds candidates, BM25 scores them, the best are reranked and sorted into the final order.
 * It takes the price at its end, so that it locks the balance for a moment only.
 */
function rankedPassages(payment: Payment, values: RankingValues, layout: Layout) {
  // Independent of the limit, so that a smaller limit returns the first results of a larger one.
  const isEnough = sql`(${values.isLast}::boolean OR (SELECT count(*) FROM best) >= ${values.selected})`;
  const due = dueFor(isEnough, values);
  return sql<FoundPassage & { isEnough: boolean; isPaid: boolean }>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)}),
    best AS MATERIALIZED (${bestByBm25(values, layout)}),${rankedTables(payment, values, { due, layout })}
    SELECT ${foundColumns},
      ${isEnough} AS "isEnough", ${due} = 0 OR EXISTS (SELECT 1 FROM paid) AS "isPaid"
    FROM ${joinedTables(values, layout)}
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${values.limit}`;
}

/**
 * In a scope, a set of candidates is enough if at least this many are in the scope: with half and with a third of the
 * usual budget, the best candidates are nearly the same (see `budgetFor` in search.ts).
 */
const ENOUGH_IN_SCOPE = 2 * RERANK_DEPTH;

/** The best of `scored`. `isCapped`: at most `maxPerDocument` of a document, its best by BM25. */
function bestOfScored({ maxPerDocument, selected }: ScopedValues, { isCapped }: { isCapped: boolean }) {
  const order = sql`ORDER BY score DESC, document_id DESC, position LIMIT ${selected}`;
  if (!isCapped) return sql`SELECT * FROM scored ${order}`;
  return sql`
    SELECT knowledge_base_id, document_id, position, lexemes, norm, score FROM (
      SELECT *, row_number() OVER (PARTITION BY knowledge_base_id, document_id ORDER BY score DESC, position) AS place
      FROM scored) AS placed
    WHERE place <= ${maxPerDocument}::integer ${order}`;
}

/** Results of the statement of a scope: every row has the first three columns; a single row may have no passage. */
type ScopedRow = { isEnough: boolean; isPaid: boolean; matched: number } & (
  | FoundPassage
  | { document_id: null }
);

/**
 * `rankedPassages` for candidates in a scope. It always returns a row, since none would not say what there was. Too few
 * candidates are not reranked, because another set follows.
 */
function rankedInScope(
  payment: Payment,
  values: ScopedValues,
  { layout, ...form }: { isCapped: boolean; layout: Layout },
) {
  const { isLast, selected, maxPerDocument } = values;
  const most = sql`coalesce(${maxPerDocument}::integer, ${selected})`;
  const attainable = sql`least(${selected}, ${most} * documents_max)`; // `selected` where documents_max is NULL
  const isEnough = sql`(SELECT ${isLast}::boolean OR is_small OR (
        (SELECT count(*) FROM scored) >= ${sql.lit(ENOUGH_IN_SCOPE)} AND (SELECT count(*) FROM first) >= ${attainable})
      FROM extent)`;
  const due = dueFor(isEnough, values);
  const score = passageScore(values, candidate, layout);
  return sql<ScopedRow>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)}),${documentsInScope(values.ids, values, layout)},
    scored AS MATERIALIZED (
      SELECT *, ${score} AS score FROM (${candidatesInScope(values, inMemory, layout)}) AS candidate),
    first AS MATERIALIZED (${bestOfScored(values, form)}),
    best AS MATERIALIZED (SELECT * FROM first WHERE ${isEnough}),${rankedTables(payment, values, { due, layout })}
    SELECT found.*, ${isEnough} AS "isEnough", ${due} = 0 OR EXISTS (SELECT 1 FROM paid) AS "isPaid",
      (SELECT count(*) FROM scored) AS matched
    FROM (SELECT 1) AS always LEFT JOIN (
      SELECT ${foundColumns}, documents.created_at FROM ${joinedTables(values, layout)}) AS found ON true
    ORDER BY score DESC, created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${values.limit}`;
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
 * of all knowledge bases, and to reject those of others, than to read the knowledge base lexemes in the index.
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
  { searched, queries, further }: Pick<Candidates, 'searched' | 'queries' | 'further'>,
) {
  const filter = knowledgeBaseFilter(searched);
  const inSearched = (query: string) => (filter === undefined ? query : `(${query})&${filter}`);
  return {
    // In PostgreSQL's own notation, because the driver would check each of a thousand ids for characters to quote.
    ids: `{${searched.ids}}`,
    queries: queries.map(inSearched),
    further: further.map(inSearched),
    ...termValues(terms),
    perLetter: normPerLetter(searched),
    selected: RERANK_DEPTH,
  };
}

/**
 * Returns the `limit` best candidates, and takes the price from the account.
 *
 * - `isEnough`: there were enough candidates, or the call says `isLast`; otherwise it takes nothing.
 * - `matched`: the number of candidates in the scope; undefined without a scope.
 *
 * @throws the payment's refusal when other requests have used up the balance meanwhile; it then takes nothing
 */
export type RankPassages = (
  database: Queryable,
  scoring: Scoring,
  candidates: Candidates,
  charge: { accountId: string; price: number; isLast: boolean },
) => Promise<{ found: FoundPassage[]; isEnough: boolean; matched?: number | undefined }>;

/** tsquery text for the passages with any of the terms. */
const anyOf = (terms: ScoredTerm[]): string =>
  terms.flatMap(({ variants }) => variants.map(({ lexeme }) => quoteLexeme(lexeme))).join('|');

const passagesIn = (rows: ScopedRow[]): FoundPassage[] =>
  rows.flatMap((row) => (row.document_id === null ? [] : [row]));

export function createRanking(payment: Payment): RankPassages {
  const rank = prepare(
    `ranked_passages${payment.suffix}`,
    RANKING_VALUES,
    ...inEachLayout((values: RankingValues, layout) => rankedPassages(payment, values, layout), 'ids'),
  );
  const prepareInScope = (name: string, form: { isCapped: boolean }) =>
    prepare(
      name + payment.suffix,
      SCOPED_VALUES,
      ...inEachLayout(
        (values: ScopedValues, layout) => rankedInScope(payment, values, { ...form, layout }),
        'ids',
      ),
    );
  const rankInScope = prepareInScope('ranked_in_scope', { isCapped: false });
  const rankPerDocument = prepareInScope('ranked_per_document', { isCapped: true });

  return async (database, scoring, { limit, scope, comparesAll, ...candidates }, charge) => {
    const { upperBound, terms } = scoring;
    const values = { ...bm25Values(scoring, candidates), upperBound, limit, ...charge };
    if (scope === undefined) {
      const rows = await rank(database, values);
      if (rows.some(({ isPaid }) => !isPaid)) throw payment.refusal();
      return { found: rows, isEnough: charge.isLast || rows.some(({ isEnough }) => isEnough) };
    }
    const run = scope.maxPerDocument === undefined ? rankInScope : rankPerDocument;
    const rows = await run(database, {
      ...values,
      ...scopeValues(scope, comparesAll),
      anyTerm: anyOf(terms),
    });
    const [first] = rows;
    if (first === undefined) throw new Error('a search in a scope returned no row');
    if (!first.isPaid) throw payment.refusal();
    return { found: passagesIn(rows), isEnough: first.isEnough, matched: first.matched };
  };
}
