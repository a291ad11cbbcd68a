/**
 * Finds the passages of large knowledge bases that are nearest in meaning to a query, by indexes of pgvector. It
 * compares the signs of their numbers alone. The ranked statement then computes the cosines of the best of them, as it
 * does of those that it finds itself among few passages (see meaning.ts).
 *
 * Its statement is planned anew each time, since the condition of an index has constants.
 */
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Queryable } from '../../database/connection/database.ts';
import type { UsableIndexes, VectorIndexes } from '../../database/vector-indexes/usable-indexes.ts';
import { rowsSql, signsSql } from '../../database/vector-indexes/vector-indexes.ts';
import { COMPARED_MAX } from '../../meaning/passage-vectors.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import type { QueryMeaning } from '../query/query-meaning.ts';
import type { SearchScope } from './search-scope.ts';

/** The passages of a knowledge base that are read: without a scope, and in one, where most may be outside of it. */
const [NEAREST_MAX, NEAREST_IN_SCOPE_MAX] = [100, 400];
/**
 * The passages that a search in an index keeps: the more, the surer it finds the nearest. Measured in docs/models.md.
 */
const [KEPT, KEPT_IN_SCOPE] = [200, 600];
/** The most indexes that a query reads: the largest knowledge bases'. */
const INDEXES_MAX = 16;

/** The searched knowledge bases with an index, and those without one, if they have few enough passages to read all. */
function divide(
  { ids, passageCount }: SearchedKnowledgeBases,
  { passageCounts }: UsableIndexes,
): { indexed: string[]; others: string[] } {
  const searched = new Set(ids);
  const indexed = [...passageCounts.keys()].filter((id) => searched.has(id)).slice(0, INDEXES_MAX);
  const ofIndexed = indexed.reduce((sum, id) => sum + (passageCounts.get(id) ?? 0), 0);
  for (const id of indexed) searched.delete(id);
  return { indexed, others: passageCount - ofIndexed <= COMPARED_MAX ? [...searched] : [] };
}

type Reading = { meaning: QueryMeaning; schema: string; limit: number; kept: number };

/**
 * SQL for the nearest as one JSON text. The settings hold for the statement alone: it is a transaction, or part of one
 * that only searches.
 */
function nearestSql(
  { indexed, others }: { indexed: string[]; others: string[] },
  { meaning, schema, limit, kept }: Reading,
): RawBuilder<{ nearest: string | null }> {
  const { generation, planes } = meaning;
  const [signs = ''] = planes.planes;
  const dimensions = signs.length;
  const vector = sql.raw(signsSql(dimensions));
  const ofQuery = sql`${signs}::bit(${sql.lit(dimensions)})`;
  const columns = sql`knowledge_base_id, document_id, position`;
  const nearestOf = (distance: RawBuilder<unknown>, rows: RawBuilder<unknown>) => sql`
    SELECT near.* FROM settings CROSS JOIN LATERAL (
      SELECT ${columns}, ${distance} AS distance FROM passage_vectors
      WHERE ${rows} AND is_set IS NOT NULL ORDER BY distance LIMIT ${sql.lit(limit)}) AS near`;
  const byIndex = indexed.map((knowledgeBaseId) =>
    nearestOf(
      sql`${vector} OPERATOR(${sql.raw(schema)}.<~>) ${ofQuery}`,
      sql.raw(rowsSql({ knowledgeBaseId, generation })),
    ),
  );
  const byComparison = nearestOf(
    sql`bit_count(${vector} # ${ofQuery})`,
    sql`knowledge_base_id = ANY(${`{${others}}`}::uuid[]) AND generation = ${sql.lit(generation)}::smallint`,
  );
  const parts = others.length === 0 ? byIndex : [...byIndex, byComparison];
  return sql`
    WITH settings AS MATERIALIZED (SELECT set_config('hnsw.ef_search', ${sql.lit(String(kept))}, true) AS is_set)
    SELECT json_agg(nearest)::text AS nearest FROM (${sql.join(parts, sql` UNION ALL `)}) AS nearest`;
}

/** SQLSTATE of a statement that was cancelled. */
const CANCELLED = '57014';

/**
 * Returns the passages nearest in meaning as JSON: see `foundByIndex` in meaning.ts. Undefined where
 * no index is used: because there is none, or because all passages are compared anyway.
 *
 * An index, or pgvector with all of them, may have been dropped since they were read. Then words alone find passages;
 * in a transaction, which has failed with the statement, it throws.
 */
export async function findNearest(
  database: Queryable,
  {
    meaning,
    searched,
    scope,
  }: { meaning: QueryMeaning; searched: SearchedKnowledgeBases; scope?: SearchScope | undefined },
  indexes: VectorIndexes,
): Promise<string | undefined> {
  if (!meaning.isOfModel || searched.passageCount <= COMPARED_MAX) return undefined;
  const usable = await indexes.ofGeneration(meaning.generation);
  if (usable === undefined) return undefined;
  const divided = divide(searched, usable);
  if (divided.indexed.length === 0) return undefined;
  const { schema } = usable;
  const size =
    scope === undefined
      ? { limit: NEAREST_MAX, kept: KEPT }
      : { limit: NEAREST_IN_SCOPE_MAX, kept: KEPT_IN_SCOPE };
  try {
    const { rows } = await nearestSql(divided, { meaning, schema, ...size }).execute(database);
    return rows[0]?.nearest ?? undefined;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code === CANCELLED || database.isTransaction)
      throw error;
    indexes.forget();
    return undefined;
  }
}
