/** What of the database goes into a backup; a test fails for a table that stands in neither list. */
import type { Tables } from '../../database/tables.ts';

/** In the order of loading: a table after those that it refers to. */
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
 * Left out: the migrations stand in the header, and requests are counted by the minute. So are the tables of the job
 * queue, in a schema of their own: which jobs there have to be follows from the documents and knowledge bases.
 */
export const LEFT_OUT_TABLES = ['request_counts', 'kysely_migration', 'kysely_migration_lock'] as const;
