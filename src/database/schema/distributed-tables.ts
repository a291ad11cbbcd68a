/** The tables that Citus may distribute. */
import { type RawBuilder, sql } from 'kysely';

/** Tables of content, each before the tables that refer to it. */
export const CONTENT_TABLES = [
  'knowledge_bases',
  'knowledge_base_statistics',
  'language_statistics',
  'documents',
  'files',
  'passages',
  'passage_lexemes',
  'passage_vectors',
  'documents_without_vectors',
  'document_addresses',
  'unchanged_imports',
  'document_frequencies',
  'document_frequency_deltas',
] as const;

/** The table beside whose shards the shards of all other tables are placed. */
export const [FIRST_TABLE] = CONTENT_TABLES;

/**
 * SQL for whether a row is of one of these knowledge bases. With such a condition on each table, Citus sends a
 * statement only to the shards that have one of them.
 */
export const inShards = (ids: RawBuilder<unknown>, table?: string) =>
  sql`${sql.ref(table === undefined ? 'knowledge_base_id' : `${table}.knowledge_base_id`)} = ANY(${ids}::uuid[])`;
