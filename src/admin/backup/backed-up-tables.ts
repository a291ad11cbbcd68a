/** The tables in a backup; a test fails for a table that is in neither list. */
import type { Tables } from '../../database/tables.ts';

/** In loading order: a table after those that it refers to. */
export const BACKED_UP_TABLES = [
  'accounts',
  'account_balances',
  'api_keys',
  'idempotency_keys',
  'knowledge_bases',
  'knowledge_base_statistics',
  'language_statistics',
  'document_frequencies',
  'document_frequency_deltas',
  'documents',
  'files',
  'passages',
  'passage_lexemes',
] as const satisfies (keyof Tables)[];

/** Also the names that tables had before the migration `0009-field-names`: a database may be of an older version. */
export const BACKED_UP_NAMES: readonly string[] = [
  ...BACKED_UP_TABLES,
  'first_answers',
  'lexeme_statistics',
  'lexeme_changes',
];

/**
 * Omitted: the header has the migrations, and rate-limit counters last a minute. The tables of the job queue, in their own
 * schema, are omitted too: the documents and knowledge bases determine the necessary jobs.
 */
export const OMITTED_TABLES = ['rate_limit_counters', 'kysely_migration', 'kysely_migration_lock'] as const;
