/** The tables that Citus may distribute, and how a session finds out whether it does. */

/** Tables of content, each before the tables that refer to it. */
export const CONTENT_TABLES = [
  'knowledge_bases',
  'knowledge_base_statistics',
  'language_statistics',
  'documents',
  'files',
  'passages',
  'passage_lexemes',
  'document_frequencies',
  'document_frequency_deltas',
] as const;

/** The table with whose shards those of all others are placed. */
export const [FIRST_TABLE] = CONTENT_TABLES;

/** SQL for whether the database has the extension. */
export const HAS_CITUS = `to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL`;

/** SQL for whether Citus distributes the content tables. It fails without the extension. */
export const ARE_TABLES_DISTRIBUTED = `
  EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('${FIRST_TABLE}'))`;
