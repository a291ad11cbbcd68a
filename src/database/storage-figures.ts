/** What the deployment stores, and what that takes on disk, for metrics. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

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
  idempotency_keys: true,
  rate_limit_counters: true,
  webhooks: true,
  webhook_events: true,
  webhook_deliveries: true,
};

/** A migration or a repair may lock a table. */
const BOUNDS = sql`SELECT set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '10s', true)`;

const readTotals = sql<{
  knowledgeBases: number;
  documents: number;
  passages: number;
  documentBytes: number;
  databaseBytes: number;
  cache: number;
  disk: number;
}>`
  SELECT count(*)::float8 AS "knowledgeBases", coalesce(sum(document_count), 0)::float8 AS documents,
    coalesce(sum(passage_count), 0)::float8 AS passages, coalesce(sum(storage_bytes), 0)::float8 AS "documentBytes",
    pg_database_size(current_database())::float8 AS "databaseBytes",
    (SELECT blks_hit FROM pg_stat_database WHERE datname = current_database())::float8 AS cache,
    (SELECT blks_read FROM pg_stat_database WHERE datname = current_database())::float8 AS disk
  FROM knowledge_bases JOIN knowledge_base_statistics USING (knowledge_base_id)
  WHERE deleted_at IS NULL`;

const readTables = sql<{ table: string; bytes: number }>`
  SELECT CASE nspname WHEN 'pgboss' THEN 'jobs' ELSE relname END AS table,
    sum(pg_total_relation_size(pg_class.oid))::float8 AS bytes
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind = 'r'
    AND (nspname = 'pgboss' OR nspname = current_schema() AND relname = ANY (${Object.keys(TABLES)}))
  GROUP BY 1`;

/** Reads all figures: 3 ms in a usual deployment, 0.4 s with 200,000 knowledge bases. */
export const readStorageFigures = async (database: Database) =>
  await database.transaction().execute(async (transaction) => {
    await BOUNDS.execute(transaction);
    const { rows: tables } = await readTables.execute(transaction);
    const [totals] = (await readTotals.execute(transaction)).rows;
    if (totals === undefined) throw new Error('the database returned no totals');
    const { cache, disk, ...stored } = totals;
    const known = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    const other = { table: 'other', bytes: Math.max(0, stored.databaseBytes - known) };
    return { ...stored, tables: [...tables, other], pagesRead: { cache, disk } };
  });
