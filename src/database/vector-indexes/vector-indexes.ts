/**
 * Indexes of pgvector over the vectors of large knowledge bases, by which the nearest of all passages are found. They
 * are no part of the schema: where the database has pgvector, each large knowledge base has one for each generation. It
 * is an index over an expression, the signs of a vector's numbers, so nothing else knows of it: rows are stored,
 * changed and deleted as without it, also by servers of earlier versions.
 *
 * Why not
 * - one index for all knowledge bases: it finds the passages of others first. Of 20,000 passages among a million, a
 *   scan that goes on until it has enough reads fifty times as many.
 * - a column of pgvector's type: it would be stored besides the bits, and the schema would need pgvector.
 */
import { sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';

/**
 * `knowledgeBaseId`: undefined in a name that is none of ours. `passageCount`: of the knowledge base; null if it is
 * gone. `builtShare`: how much of it has been built, in [0, 1], by whichever server; null: it is not being built.
 */
export type VectorIndex = {
  name: string;
  generation: number;
  knowledgeBaseId: string;
  isValid: boolean;
  builtShare: number | null;
  passageCount: number | null;
};

const PREFIX = 'passage_vectors_near';

const NAME = sql.lit(`^${PREFIX}_[0-9]+_[0-9a-f]{32}$`);

/** SQL for the indexes, with the columns of `VectorIndex`. */
const vectorIndexes = sql<VectorIndex>`
  SELECT named.name, generation, named.knowledge_base_id AS "knowledgeBaseId", "isValid", "builtShare",
    passage_count AS "passageCount"
  FROM (
    SELECT relname::text AS name, indisvalid AS "isValid",
      CASE WHEN relname ~ ${NAME} THEN right(relname, 32)::uuid END AS knowledge_base_id,
      CASE WHEN relname ~ ${NAME} THEN split_part(relname, '_', 4)::integer END AS generation,
      (SELECT CASE WHEN phase LIKE 'index validation%' THEN 1
          ELSE coalesce(blocks_done::float8 / nullif(blocks_total, 0), 0) END
        FROM pg_stat_progress_create_index WHERE index_relid = indexrelid LIMIT 1) AS "builtShare"
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'passage_vectors'::regclass AND relname ~ ${NAME}) AS named
    LEFT JOIN (
      knowledge_bases JOIN knowledge_base_statistics USING (knowledge_base_id)) ON deleted_at IS NULL
        AND knowledge_bases.knowledge_base_id = named.knowledge_base_id
  ORDER BY passage_count DESC NULLS LAST`;

export const readVectorIndexes = async (database: Queryable): Promise<VectorIndex[]> =>
  (await vectorIndexes.execute(database)).rows;

/**
 * What the database has of pgvector.
 *
 * - `schema`: where its operators for bits are, quoted; null: they are not there.
 * - `home`: the schema of our tables, quoted.
 * - `version`: of the extension; null: it has not been created.
 * - `available`: the version that its server could create; null: none.
 */
export type Pgvector = {
  schema: string | null;
  home: string;
  version: string | null;
  available: string | null;
};

/** Operators for bits are there from version 0.7 on. */
export async function readPgvector(database: Queryable): Promise<Pgvector> {
  const { rows } = await sql<Pgvector>`
    SELECT (
        SELECT quote_ident(nspname) FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod
          JOIN pg_namespace ON pg_namespace.oid = opcnamespace
        WHERE amname = 'hnsw' AND opcname = 'bit_hamming_ops' LIMIT 1) AS schema,
      quote_ident(current_schema()) AS home,
      (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version,
      (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available`.execute(
    database,
  );
  return rows[0] ?? { schema: null, home: '', version: null, available: null };
}

/** Dimensions as vectors have them: see `paddedDimensions` in meaning/model/. */
type Indexed = { knowledgeBaseId: string; generation: number; dimensions: number };

/** SQL for the signs of a vector's numbers: the first of its bit planes. */
export const signsSql = (dimensions: number): string =>
  `(substring(vector FROM 1 FOR ${dimensions})::bit(${dimensions}))`;

/** SQL for the rows in an index. PostgreSQL uses it where a statement has the same condition, of the same constants. */
export const rowsSql = ({ knowledgeBaseId, generation }: Omit<Indexed, 'dimensions'>): string =>
  `knowledge_base_id = '${uuid(knowledgeBaseId)}' AND generation = ${generation}::smallint`;

/** It has hexadecimal digits and hyphens only. @throws for another text */
function uuid(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('no id of a knowledge base');
  return id;
}

/**
 * The statement that builds an index while rows are written. It must run alone, outside of a transaction, and may take
 * minutes. `schema`: of pgvector. `home`: of our tables.
 */
export function createIndexSql({ schema, home }: { schema: string; home: string }, indexed: Indexed): string {
  const { generation, knowledgeBaseId, dimensions } = indexed;
  const name = `${PREFIX}_${generation}_${uuid(knowledgeBaseId).replaceAll('-', '')}`;
  return `CREATE INDEX CONCURRENTLY ${name} ON ${home}.passage_vectors
    USING hnsw (${signsSql(dimensions)} ${schema}.bit_hamming_ops) WHERE ${rowsSql(indexed)}`;
}

/** The statement that removes an index, if it is there, while rows are written. It must run alone. */
export const dropIndexSql = (home: string, name: string): string =>
  `DROP INDEX CONCURRENTLY IF EXISTS ${home}.${name}`;

/** A knowledge base that lacks its index. */
export type Unindexed = { knowledgeBaseId: string; passageCount: number };

/**
 * Reads the knowledge bases with more than `passagesMin` passages and no index of a generation, the largest first.
 * `isComplete`: all but a few of their documents have their vectors: it takes less to build an index of them than to
 * add them to one.
 */
export async function readUnindexed(
  database: Queryable,
  { generation, passagesMin }: { generation: number; passagesMin: number },
): Promise<(Unindexed & { isComplete: boolean })[]> {
  const { rows } = await sql<Unindexed & { isComplete: boolean }>`
    WITH indexed AS MATERIALIZED (${vectorIndexes})
    SELECT knowledge_base_id AS "knowledgeBaseId", passage_count AS "passageCount", (
        SELECT count(*) FROM documents_without_vectors AS waiting
        WHERE waiting.knowledge_base_id = statistics.knowledge_base_id) * ${sql.lit(WAITING_FACTOR)}
          < document_count AS "isComplete"
    FROM knowledge_base_statistics AS statistics JOIN knowledge_bases USING (knowledge_base_id)
    WHERE deleted_at IS NULL AND passage_count > ${passagesMin}::integer AND NOT EXISTS (
      SELECT FROM indexed
      WHERE "knowledgeBaseId" = statistics.knowledge_base_id AND indexed.generation = ${generation}::integer)
    ORDER BY passage_count DESC`.execute(database);
  return rows;
}

/**
 * `isUsable`: pgvector is there. `built`: indexes that searches use. `missing`: knowledge bases that are large enough
 * for one and have none. `builtShare`: of the index that is being built now, in [0, 1]; undefined: none is.
 */
export type VectorIndexFigures = {
  isUsable: boolean;
  built: number;
  missing: number;
  builtShare: number | undefined;
};

/** Reads how far the indexes of a generation are. */
export async function readIndexFigures(
  database: Queryable,
  wanted: { generation: number; passagesMin: number },
): Promise<VectorIndexFigures> {
  const { schema } = await readPgvector(database);
  const indexes = await readVectorIndexes(database);
  const own = indexes.filter(
    ({ generation, passageCount }) => generation === wanted.generation && passageCount !== null,
  );
  const built = own.filter(({ isValid }) => isValid).length;
  const { length: unindexed } = await readUnindexed(database, wanted);
  return {
    isUsable: schema !== null,
    built: schema === null ? 0 : built,
    missing: own.length - built + unindexed,
    builtShare: own.find(({ builtShare }) => builtShare !== null)?.builtShare ?? undefined,
  };
}

/** At most one of this many documents may lack its vectors. */
const WAITING_FACTOR = 20;
