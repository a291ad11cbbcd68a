/**
 * SQL over the catalogs of Citus, and what it does without saying so: see docs/private-insides.md.
 *
 * As of Citus 13.2. Its documentation describes the catalogs, but not `shard_name`, and not when a transaction is
 * committed in two phases. If these change, a distributed database refuses requests, or a killed server of shards
 * leaves a request half done. Instead of `shard_name`: a table's name with `_` and the id of its shard.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { FIRST_TABLE } from './distributed-tables.ts';

/** SQL for whether the database has the extension. */
export const HAS_CITUS = `to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL`;

/**
 * SQL for whether Citus distributes the content tables, by default the tables of the session's schema. It fails without
 * the extension.
 */
export const areTablesDistributedIn = (schema?: string): string => {
  const table = schema === undefined ? FIRST_TABLE : `${pg.escapeIdentifier(schema)}.${FIRST_TABLE}`;
  return `
  EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(${pg.escapeLiteral(table)}))`;
};
export const ARE_TABLES_DISTRIBUTED = areTablesDistributedIn();

/** SQL for whether Citus distributes the table with the id `pg_class.oid`. */
export const IS_TABLE_DISTRIBUTED = sql`EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)`;

/** The coordinator and its workers, by `nodeid`. */
export const NODES = sql`pg_dist_node`;
export const NODE_NAME = sql`nodename || ':' || nodeport`;

/** A row for each server that may have shards. */
export const WORKERS = sql`SELECT FROM ${NODES} WHERE isactive AND noderole = 'primary' AND shouldhaveshards`;

/**
 * For each table that is distributed with the table of `shard`: its name, and the name of its shard on the same server.
 * The shard's own name is not read from pg_class, where Citus hides shards from clients of a server that has some
 * itself.
 */
export const TABLES_NEAR = `
  SELECT relname AS table, shard_name(near.logicalrelid, near.shardid) AS shard
  FROM pg_dist_shard AS own
    JOIN pg_dist_partition AS distributed USING (logicalrelid)
    JOIN pg_dist_partition AS other USING (colocationid)
    JOIN pg_dist_shard AS near ON near.logicalrelid = other.logicalrelid AND near.shardminvalue = own.shardminvalue
    JOIN pg_class ON pg_class.oid = other.logicalrelid
  WHERE own.shardid = substring(shard::regclass::text FROM '[0-9]+$')::bigint`;

/** At a server of shards: for each table that is distributed with the others, SQL for the rows of its shards there. */
export const LOCAL_SHARDS = `
  SELECT relname AS table, string_agg(format('SELECT * FROM %s', shard_name(near.logicalrelid, near.shardid)),
    ' UNION ALL ' ORDER BY near.shardid) AS rows, count(*)::integer AS shards
  FROM pg_dist_partition AS first
    JOIN pg_dist_partition AS other USING (colocationid)
    JOIN pg_dist_shard AS near ON near.logicalrelid = other.logicalrelid
    JOIN pg_dist_placement AS placement ON placement.shardid = near.shardid
    JOIN pg_class ON pg_class.oid = other.logicalrelid
  WHERE first.logicalrelid = '${FIRST_TABLE}'::regclass
    AND placement.groupid = (SELECT groupid FROM pg_dist_local_group)
  GROUP BY relname`;

/** At a server of shards: the names of the table's shards there, as `shard`. `table`: a literal. */
export const localShardsOf = (table: string): string => `
  SELECT shard_name(logicalrelid, shardid) AS shard
  FROM pg_dist_shard JOIN pg_dist_placement AS placement USING (shardid)
  WHERE logicalrelid = '${table}'::regclass AND placement.groupid = (SELECT groupid FROM pg_dist_local_group)`;

/** The shards that the last rebalancing moves: no row where there was none. */
export const SHARD_MOVES = sql<Record<'moving' | 'moved' | 'failing', number>>`
  SELECT count(*) FILTER (WHERE NOT is_done AND NOT is_failing) AS moving, count(*) FILTER (WHERE is_done) AS moved,
    count(*) FILTER (WHERE is_failing) AS failing
  FROM pg_dist_background_task, LATERAL (SELECT status = 'done' AS is_done) AS done, LATERAL (
    SELECT status NOT IN ('blocked', 'runnable', 'running', 'done') OR (NOT is_done AND retry_count > 0) AS is_failing
  ) AS failing
  WHERE job_id = (SELECT max(job_id) FROM pg_dist_background_job WHERE job_type = 'rebalance')
  HAVING count(*) > 0`;

/**
 * A mark at each server of shards (see at-shards/worker-statements.ts), and the number of shards there: at those that
 * have some of the knowledge bases `$1`; NULL: at all. A shard has no mark if it comes from a split.
 */
export const FIND_MARKS = `
  SELECT array_agg(mark) AS marks, sum(shards)::integer AS shards FROM (
    SELECT min(recorded_marks.mark::text)::uuid AS mark, count(*) AS shards
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) LEFT JOIN recorded_marks USING (shardid)
    WHERE logicalrelid = 'shard_marks'::regclass GROUP BY groupid
    HAVING $1::uuid[] IS NULL OR bool_or(shardid = ANY(ARRAY(
      SELECT get_shard_id_for_distribution_column('shard_marks', id) FROM unnest($1::uuid[]) AS id)))) AS servers`;

/** With so many ids for each shard, all shards have some: e^-20 of them would have none. */
const IDS_PER_SHARD = 20;

/** Records a random id for each shard without a mark. */
export const RECORD_MARKS = sql<{ mark: string }>`
  INSERT INTO recorded_marks (shardid, mark)
  SELECT DISTINCT ON (shardid) shardid, mark FROM (
    SELECT mark, get_shard_id_for_distribution_column('shard_marks', mark) AS shardid
    FROM (
      SELECT gen_random_uuid() AS mark FROM pg_dist_shard, generate_series(1, ${sql.lit(IDS_PER_SHARD)})
      WHERE logicalrelid = 'shard_marks'::regclass OFFSET 0) AS ids OFFSET 0) AS placed
  ON CONFLICT DO NOTHING RETURNING mark`;

/**
 * A statement that stores nothing, after which Citus commits the transaction in two phases: at one server of shards
 * and in the coordinator's own tables both, or nowhere. By itself Citus would do so only if several servers of shards
 * took part, or if rows went to a shard by COPY, as those do that are selected from a table of the coordinator: so this
 * statement selects from one, and finds no row. It also locks the place of all shards until the transaction ends.
 */
export const COMMIT_IN_TWO_PHASES = `
  INSERT INTO ${FIRST_TABLE} (knowledge_base_id) SELECT id FROM accounts WHERE false`;
