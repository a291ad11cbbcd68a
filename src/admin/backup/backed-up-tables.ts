/** The tables in a backup; a test fails for a table that is in neither list. */
import type { Tables } from '../../database/tables.ts';

/** In loading order: a table after those that it refers to. */
export const BACKED_UP_TABLES = [
  'accounts',
  'account_balances',
  'api_keys',
  'first_answers',
  'knowledge_bases',
  'knowledge_base_statistics',
  'language_statistics',
  'lexeme_statistics',
  'lexeme_changes',
  'documents',
  'files',
  'passages',
  'passage_lexemes',
] as const satisfies (keyof Tables)[];

/**
 * Omitted: the header has the migrations, and request counts last a minute. The tables of the job queue, in their own
 * schema, are omitted too: the documents and knowledge bases determine the necessary jobs.
 */
export const LEFT_OUT_TABLES = ['request_counts', 'kysely_migration', 'kysely_migration_lock'] as const;
