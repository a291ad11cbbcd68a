/**
 * The schema with the service's tables. Other programs may have tables of the same names in the same database, so each
 * session looks for the schema by its tables, and then has no other one on its search path.
 */
import pg from 'pg';
import { HAS_CITUS } from '../schema/citus-insides.ts';

/** The schema of a new deployment. Up to version 0.2 it was the first of the search path, mostly `public`. */
export const OWN_SCHEMA = 'knowledge_retrieval';

/** Which schema is wanted. `given`: by the operator. `whenNew`: for the tables of a new deployment. */
export type SchemaChoice = { given: string | undefined; whenNew: string };

/** Tables of every version since 0.1.0. No other program has all of them in one schema. */
export const KNOWN_TABLES = ['api_keys', 'knowledge_base_statistics', 'kysely_migration', 'passage_lexemes'];

/** SQL for the schemas that have the service's tables: `name`, `oid`, `owner` of the tables, `usable` by the role. */
export const DEPLOYMENTS = `
  SELECT nspname::text AS name, space.oid, owner, usable
  FROM (
    SELECT relnamespace, min(relowner::bigint)::oid AS owner,
      pg_catalog.bool_and(pg_catalog.has_table_privilege(oid, 'SELECT')) AS usable
    FROM pg_catalog.pg_class
    WHERE relname IN (${KNOWN_TABLES.map((name) => pg.escapeLiteral(name)).join(', ')}) AND relkind IN ('r', 'p')
    GROUP BY relnamespace HAVING pg_catalog.count(*) = ${KNOWN_TABLES.length}) AS tables
  JOIN pg_catalog.pg_namespace AS space ON space.oid = relnamespace`;

/** SQL for whether the tables belong to the role itself. */
const IS_OWNED = `owner = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)`;

/** Where earlier versions have looked: on the search path. */
const PLACE_ON_PATH = 'pg_catalog.array_position(pg_catalog.current_schemas(false), name::name)';

/**
 * SQL for the name of the schema in which a deployment has its tables, or a new deployment would have them. The role's
 * own tables come first, then those in the usual schema, then those on the search path. Citus names the shards of no
 * other schema than `public` as shard-statements.ts needs it. A role that may make no schema keeps to the first of its
 * search path.
 */
export function homeSchema({ given, whenNew }: SchemaChoice): string {
  if (given !== undefined) return pg.escapeLiteral(given);
  const own = pg.escapeLiteral(whenNew);
  return `coalesce(
      (SELECT name FROM (${DEPLOYMENTS}) AS deployments
        WHERE usable AND (${IS_OWNED} OR name = ${own} OR ${PLACE_ON_PATH} IS NOT NULL)
        ORDER BY ${IS_OWNED} DESC, name = ${own} DESC, ${PLACE_ON_PATH} NULLS LAST, name LIMIT 1),
      CASE
        WHEN ${HAS_CITUS} THEN 'public'
        WHEN pg_catalog.to_regnamespace(pg_catalog.quote_ident(${own})) IS NOT NULL
          OR pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') THEN ${own}
        WHEN pg_catalog.has_schema_privilege(pg_catalog.current_schema(), 'CREATE')
          THEN pg_catalog.current_schema()::text
        ELSE ${own} END)`;
}

/** SQL for a search path with this schema alone, in which no temporary table takes the place of one of ours. */
export const searchPathOf = (schema: string): string => `pg_catalog.quote_ident(${schema}) || ', pg_temp'`;
