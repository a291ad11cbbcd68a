/** The tables that Citus may distribute, and how a session finds out whether it does. */
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

/**
 * SQL for whether a row is of one of these knowledge bases. With such a condition on each table, Citus sends a statement
 * only to the shards that have one of them.
 */
export const inShards = (ids: RawBuilder<unknown>, table?: string) =>
  sql`${sql.ref(table === undefined ? 'knowledge_base_id' : `${table}.knowledge_base_id`)} = ANY(${ids}::uuid[])`;

/**
 * A statement that stores nothing, after which Citus commits the transaction in two phases: at one server of shards
 * and in the coordinator's own tables both, or nowhere. By itself Citus would do so only if several servers of shards
 * took part, or if rows went to a shard by COPY, as those do that are selected from a table of the coordinator: so this
 * statement selects from one, and finds no row.
 */
export const COMMIT_IN_TWO_PHASES = `
  INSERT INTO ${FIRST_TABLE} (knowledge_base_id) SELECT id FROM accounts WHERE false`;
