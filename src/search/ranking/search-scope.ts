/**
 * The documents to which a query restricts its results, and how many passages of each may be among them. Terms keep the
 * document frequencies of all that the caller sees, so that a passage has the same score by BM25 in every scope.
 *
 * Two ways lead to the passages. If the documents have few passages, all of these are read and scored. Otherwise the
 * index finds candidates as without a scope, and passages of other documents are dropped before they are scored.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { type DocumentFilter, fitsFilter } from '../../database/rows/documents/document-filter.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { COMPARED_MAX as MEANINGS_COMPARED_MAX } from '../../meaning/passage-vectors.ts';
import type { ScopedId } from '../../terms/ids.ts';
import { lengthNormSql } from '../bm25.ts';
import { hasPhrases } from './best-by-bm25.ts';
import type { Distribution } from './distribution.ts';
import { RERANK_DEPTH } from './rerank.ts';

/**
 * What restricts the results.
 *
 * - `filter`: the condition on their documents.
 * - `documents`: the only documents to search.
 * - `maxPerDocument`: the most passages of a document.
 * - `isDistinct`: whether passages with the same text come once.
 * - `isRestricted`: documents outside of `filter` do not exist for the caller, so that the order of the results must
 *   not depend on them.
 */
export type SearchScope = {
  filter?: DocumentFilter;
  documents?: ScopedId[];
  maxPerDocument?: number;
  isDistinct?: boolean;
  isRestricted?: boolean;
};

/** The values of the scope in the statement. */
export const SCOPE_VALUES = [
  ...(['path', 'hasFields', 'namedKnowledgeBases', 'namedDocuments', 'maxPerDocument'] as const),
  ...(['comparedMax', 'anyTerm'] as const),
] as const;

type ScopeValues = Record<(typeof SCOPE_VALUES)[number], RawBuilder<unknown>>;

/** Documents of the sample by which the share that a filter keeps is estimated: the oldest and the newest ones. */
const SAMPLED = 100;
/**
 * A filter that keeps a smaller share of the sample is compared with all documents, up to COMPARED_MAX of them. So is
 * one for which the index has found too few passages in the scope. To compare a document takes a microsecond or two. Of
 * 150,000 passages in 1,136 documents, with a filter that keeps 1 % of them, a query took 5.6 times as long where the
 * index then had to find all passages.
 */
const RARE_SHARE = 0.03;
const COMPARED_MAX = 10_000;

const SAMPLE_VALUES = ['ids', 'path', 'hasFields'] as const;

const sampleShare = ({
  ids,
  path,
  hasFields,
}: Record<(typeof SAMPLE_VALUES)[number], RawBuilder<unknown>>) => {
  const half = (order: RawBuilder<unknown>) => sql`
    (SELECT * FROM documents WHERE knowledge_base_id = ANY(${ids}::uuid[])
    ORDER BY knowledge_base_id ${order}, id ${order} LIMIT ${sql.lit(SAMPLED / 2)})`;
  return sql<{ share: number | null }>`
    SELECT avg(${fitsFilter({ path, hasFields })}::integer)::float8 AS share
    FROM (${half(sql`ASC`)} UNION ALL ${half(sql`DESC`)}) AS sample`;
};

const readSample = prepare('filter_sample', SAMPLE_VALUES, sampleShare, { build: sampleShare, ids: 'ids' });

/** The share of the documents that a filter keeps, as the sample has it; 1 without a filter. */
export async function estimateShare(
  database: Queryable,
  ids: string[],
  { filter, documents, isRestricted = false }: SearchScope = {},
): Promise<number> {
  if (filter === undefined || documents !== undefined || isRestricted) return 1;
  const [row] = await readSample(database, { ids: `{${ids}}`, ...filter });
  return row?.share ?? 1;
}

/** Whether so few documents fit a filter that all are compared with it before the index is asked. */
export const isRareShare = (share: number): boolean => share < RARE_SHARE;

/** SQL for the passages of `table` that come first in their documents by `order`, `most` of each. */
export const ofEachDocument = (
  table: RawBuilder<unknown>,
  { order, most }: { order: RawBuilder<unknown>; most: RawBuilder<unknown> },
) => sql`
    SELECT * FROM (
      SELECT *, row_number() OVER (PARTITION BY knowledge_base_id, document_id ORDER BY ${order}, position) AS place
      FROM ${table}) AS placed
    WHERE place <= ${most}::integer`;

/** As `comparedMax`: all documents are compared, since which way leads to the passages must not depend on others. */
const UNBOUNDED = 2_147_483_647;

/** The values of `SCOPE_VALUES` but `anyTerm`. `comparesAll`: the filter is compared with all documents. */
export const scopeValues = (
  { filter, documents, maxPerDocument, isRestricted = false }: SearchScope,
  comparesAll: boolean,
) => ({
  path: filter?.path,
  hasFields: filter?.hasFields,
  namedKnowledgeBases: documents?.map(({ knowledgeBaseId }) => knowledgeBaseId),
  namedDocuments: documents?.map(({ id }) => id),
  maxPerDocument,
  comparedMax: isRestricted ? UNBOUNDED : comparesAll ? COMPARED_MAX : SAMPLED,
});

/**
 * All passages of the documents are scored if they are at most this many. To read and score one takes a microsecond or
 * two.
 */
const SCORED_MAX = 3_000;

/**
 * SQL for the documents in the scope, as three tables.
 *
 * - `located`: the documents that may be in the scope; one more than `comparedMax` where there are more.
 * - `scope`: of these, the documents that are.
 * - `extent`, one row. `is_known`: `scope` is complete. `is_small`: and its passages are few enough to score them all.
 *   `is_comparable`: and few enough to compare the meanings of all. `documents_max`: the number of documents in the
 *   scope, NULL if it is unknown. Without a filter: all documents, counted up to the number that can be among the
 *   results.
 */
export function documentsInScope(ids: RawBuilder<unknown>, values: ScopeValues, distribution: Distribution) {
  const { path, namedKnowledgeBases, namedDocuments, comparedMax } = values;
  const isSearched = sql`knowledge_base_id = ANY(${ids}::uuid[])`;
  const inShard = distribution.isDistributed ? sql`${inShards(ids, 'documents')} AND ` : sql``;
  const areAllLocated = sql`(SELECT count(*) FROM located) <= ${comparedMax}::bigint`;
  const hasAtMost = (passages: number) =>
    sql`is_known AND (SELECT coalesce(sum(passage_count), 0) FROM scope) <= ${sql.lit(passages)}`;
  return sql`
    located AS MATERIALIZED (
      (SELECT knowledge_base_id, id FROM documents
      WHERE ${namedDocuments}::uuid[] IS NULL AND ${path}::jsonpath IS NOT NULL AND ${isSearched}
      LIMIT ${comparedMax}::bigint + 1)
      UNION ALL
      SELECT knowledge_base_id, id
      FROM unnest(${namedKnowledgeBases}::uuid[], ${namedDocuments}::uuid[]) AS named (knowledge_base_id, id)
      WHERE ${isSearched}),
    scope AS MATERIALIZED (
      SELECT knowledge_base_id, id, passage_count FROM located JOIN documents USING (knowledge_base_id, id)
      WHERE ${inShard}${areAllLocated} AND ${fitsFilter(values)}),
    extent AS MATERIALIZED (
      SELECT is_known, ${hasAtMost(SCORED_MAX)} AS is_small, ${hasAtMost(MEANINGS_COMPARED_MAX)} AS is_comparable,
        CASE WHEN is_known THEN (SELECT count(*) FROM scope)
          WHEN ${path}::jsonpath IS NULL THEN (SELECT count(*) FROM (
            SELECT 1 FROM documents WHERE ${isSearched} LIMIT ${sql.lit(RERANK_DEPTH)}) AS counted) END AS documents_max
      FROM (SELECT ${namedDocuments}::uuid[] IS NOT NULL
        OR (${path}::jsonpath IS NOT NULL AND ${areAllLocated}) AS is_known
      ) AS known)`;
}

/**
 * SQL, after other conditions, for whether a passage of `table` is of a document in the scope. Where the scope is not
 * known on tables that Citus distributes, no passage is.
 */
export function isInScope(values: ScopeValues, table: string, distribution: Distribution) {
  const fits = sql`EXISTS (
            SELECT 1 FROM documents
            WHERE documents.knowledge_base_id = ${sql.ref(`${table}.knowledge_base_id`)} AND id = document_id
              AND ${fitsFilter(values)})`;
  return sql`
          AND CASE WHEN (SELECT is_known FROM extent)
            THEN (knowledge_base_id, document_id) IN (SELECT knowledge_base_id, id FROM scope)
            ELSE ${values.path}::jsonpath IS NULL${distribution.isDistributed ? sql`` : sql` OR ${fits}`} END`;
}

type Parts = Record<'columns' | 'isKnown' | 'isSmall' | 'isFound', RawBuilder<unknown>>;

/** `candidatesInScope` for tables that Citus distributes. */
const candidatesInShards = (
  values: ScopeValues & Record<'ids' | 'queries' | 'further' | 'phrases' | 'perLetter', RawBuilder<unknown>>,
  { columns, isKnown, isSmall, isFound }: Parts,
) => sql`
      (SELECT ${columns} FROM scope JOIN passage_lexemes
        ON passage_lexemes.knowledge_base_id = scope.knowledge_base_id AND document_id = scope.id
      WHERE ${inShards(values.ids, 'passage_lexemes')} AND ${isSmall} AND lexemes @@ ${values.anyTerm}::tsquery
        AND ${hasPhrases(values)})
      UNION ALL
      (SELECT ${columns} FROM passage_lexemes JOIN documents
        ON documents.knowledge_base_id = passage_lexemes.knowledge_base_id AND id = document_id
      WHERE ${inShards(values.ids, 'passage_lexemes')} AND ${inShards(values.ids, 'documents')} AND NOT ${isSmall}
        AND ${isFound} AND ${fitsFilter(values)}
        AND (NOT ${isKnown} OR (documents.knowledge_base_id, id) IN (SELECT knowledge_base_id, id FROM scope)))`;

/**
 * SQL for the candidates in the scope, with their length norms: all that match `queries` or `further`. `perLetter` and
 * `lexemes`: as in `bestByBm25`.
 */
export function candidatesInScope(
  values: ScopeValues & Record<'ids' | 'queries' | 'further' | 'phrases' | 'perLetter', RawBuilder<unknown>>,
  lexemes: RawBuilder<unknown>,
  distribution: Distribution,
) {
  const columns = sql`passage_lexemes.knowledge_base_id, document_id, position, ${lexemes} AS lexemes,
        ${lengthNormSql(sql.ref('length'), values.perLetter)} AS norm`;
  const isKnown = sql`(SELECT is_known FROM extent)`;
  const isSmall = sql`(SELECT is_small FROM extent)`;
  const isFound = sql`lexemes @@ ANY(${values.queries}::tsquery[] || ${values.further}::tsquery[])
        AND ${hasPhrases(values)}`;
  if (distribution.isDistributed) return candidatesInShards(values, { columns, isKnown, isSmall, isFound });
  // IS TRUE keeps PostgreSQL from using the index.
  return sql`
      (SELECT knowledge_base_id, document_id, position, lexemes, norm
      FROM scope CROSS JOIN LATERAL (
        SELECT document_id, position, lexemes, norm FROM (
          SELECT ${columns} FROM passage_lexemes
          WHERE passage_lexemes.knowledge_base_id = scope.knowledge_base_id AND document_id = scope.id OFFSET 0
        ) AS own
        WHERE (lexemes @@ ${values.anyTerm}::tsquery) IS TRUE AND ${hasPhrases(values)} OFFSET 0) AS passage
      WHERE ${isSmall})
      UNION ALL
      (SELECT ${columns} FROM passage_lexemes
      WHERE NOT ${isSmall} AND ${isFound}
        AND (knowledge_base_id IN (SELECT unnest(${values.ids}::uuid[]))) IS TRUE
        AND (CASE WHEN ${isKnown} THEN (knowledge_base_id, document_id) IN (SELECT knowledge_base_id, id FROM scope)
          ELSE ${values.path}::jsonpath IS NULL OR EXISTS (
            SELECT 1 FROM documents
            WHERE documents.knowledge_base_id = passage_lexemes.knowledge_base_id AND id = document_id
              AND ${fitsFilter(values)}) END) IS TRUE
      OFFSET 0)`;
}
