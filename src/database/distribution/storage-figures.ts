/** What the deployment stores, and what that takes on the disks of its database servers, for metrics. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { IS_TABLE_DISTRIBUTED, SHARD_MOVES } from '../schema/citus-insides.ts';
import type { Tables } from '../schema/tables.ts';
import { isDistributed } from './distribution.ts';

/** Names each table, so that tables of other programs in the same database add no time series. */
const TABLES: Record<keyof Tables, true> = {
  accounts: true,
  account_balances: true,
  api_keys: true,
  knowledge_bases: true,
  knowledge_base_statistics: true,
  language_statistics: true,
  document_frequencies: true,
  document_frequency_deltas: true,
  documents: true,
  files: true,
  passages: true,
  passage_lexemes: true,
  passage_vectors: true,
  vector_generations: true,
  documents_without_vectors: true,
  document_addresses: true,
  unchanged_imports: true,
  idempotency_keys: true,
  rate_limit_counters: true,
  webhooks: true,
  webhook_events: true,
  webhook_deliveries: true,
  knowledge_jobs: true,
  synonym_groups: true,
  ended_sessions: true,
  query_histories: true,
  kept_queries: true,
};

/** A migration or a repair may lock a table. */
const BOUNDS = sql`SELECT set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '10s', true)`;

const readTotals = sql<{
  knowledgeBases: number;
  documents: number;
  passages: number;
  documentBytes: number;
}>`
  SELECT count(*)::float8 AS "knowledgeBases", coalesce(sum(document_count), 0)::float8 AS documents,
    coalesce(sum(passage_count), 0)::float8 AS passages, coalesce(sum(storage_bytes), 0)::float8 AS "documentBytes"
  FROM knowledge_bases JOIN knowledge_base_statistics USING (knowledge_base_id)
  WHERE deleted_at IS NULL`;

type ServerFigures = { databaseBytes: number; cache: number; disk: number };

const ofServer = sql<ServerFigures>`
  SELECT pg_database_size(datname)::float8 AS "databaseBytes", blks_hit::float8 AS cache, blks_read::float8 AS disk
  FROM pg_stat_database WHERE datname = current_database()`;

/** The sums over the coordinator and its workers. @throws when one of them does not answer */
const ofAllServers = sql<ServerFigures>`
  SELECT sum((figures ->> 0)::float8) AS "databaseBytes", sum((figures ->> 1)::float8) AS cache,
    sum((figures ->> 2)::float8) AS disk
  FROM run_command_on_all_nodes($command$
      SELECT json_build_array(pg_database_size(datname), blks_hit, blks_read)
      FROM pg_stat_database WHERE datname = current_database() $command$),
    LATERAL (SELECT result::json AS figures) AS parsed`;

/** `size` is SQL for the bytes of the table with the id `pg_class.oid`. */
const readTables = (size: RawBuilder<unknown>) => sql<{ table: string; bytes: number }>`
  SELECT CASE relname WHEN 'knowledge_jobs' THEN 'jobs' ELSE relname END AS table, sum(${size})::float8 AS bytes
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind = 'r' AND nspname = current_schema() AND relname = ANY (${Object.keys(TABLES)})
  GROUP BY 1`;

const sizeOnServer = sql`pg_total_relation_size(pg_class.oid)`;
const sizeInShards = sql`
  CASE WHEN ${IS_TABLE_DISTRIBUTED}
    THEN citus_total_relation_size(pg_class.oid) ELSE ${sizeOnServer} END`;

/** Reads all figures: 3 ms in a usual deployment, 0.4 s with 200,000 knowledge bases. */
export const readStorageFigures = async (database: Database) => {
  const areShards = await isDistributed(database);
  // Citus reads no sizes in a transaction that may write.
  const reading = database.transaction().setAccessMode('read only');
  return await reading.execute(async (transaction) => {
    await BOUNDS.execute(transaction);
    const { rows: tables } = await readTables(areShards ? sizeInShards : sizeOnServer).execute(transaction);
    const [totals] = (await readTotals.execute(transaction)).rows;
    const [server] = (await (areShards ? ofAllServers : ofServer).execute(transaction)).rows;
    if (totals === undefined || server === undefined) throw new Error('the database returned no totals');
    const { cache, disk, databaseBytes } = server;
    const stored = { ...totals, databaseBytes };
    const known = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    const other = { table: 'other', bytes: Math.max(0, stored.databaseBytes - known) };
    const [moves] = areShards ? (await SHARD_MOVES.execute(transaction)).rows : [];
    return { ...stored, tables: [...tables, other], pagesRead: { cache, disk }, moves: moves ?? null };
  });
};
