/** The tables in a backup, and those omitted. A test fails for a table that is in neither list. */
import type { Tables } from '../../database/schema/tables.ts';

/** In the order of loading: a table comes after the tables that it refers to. */
export const BACKED_UP_TABLES = [
  'accounts',
  'account_balances',
  'api_keys',
  'idempotency_keys',
  'webhooks',
  'knowledge_bases',
  'knowledge_base_statistics',
  'language_statistics',
  'document_frequencies',
  'document_frequency_deltas',
  'documents',
  'files',
  'passages',
  'passage_lexemes',
  'passage_vectors',
  'vector_generations',
  'documents_without_vectors',
  'document_addresses',
  'unchanged_imports',
  'synonym_groups',
  'ended_sessions',
  'query_histories',
] as const satisfies (keyof Tables)[];

/** Also the names from before the migration `0009-field-names`, for databases and backups of older versions. */
export const BACKED_UP_NAMES: readonly string[] = [
  ...BACKED_UP_TABLES,
  'first_answers',
  'lexeme_statistics',
  'lexeme_changes',
];

/**
 * Events that wait at the time of the backup are omitted. After a restore the receivers have to compare anyway, since
 * the events of all later changes are missing too.
 * Kept queries are omitted, since backups are kept for longer than queries may be.
 * Migrations are in the header, and rate-limit counters last only a minute. Jobs are omitted too: the documents and
 * knowledge bases determine the necessary ones.
 */
export const OMITTED_TABLES = [
  'rate_limit_counters',
  'webhook_events',
  'webhook_deliveries',
  'knowledge_jobs',
  'kept_queries',
  'kysely_migration',
  'kysely_migration_lock',
] as const;
