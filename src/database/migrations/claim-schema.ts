/**
 * The schema that the migrations work in. A database may belong to other programs too: before anything is written, this
 * makes sure that no table of theirs has the name of one of ours there.
 */
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { codeOf } from '../../terms/problem.ts';
import { lastSessionOf } from '../connection/database.ts';
import { DEPLOYMENTS } from '../connection/home-schema.ts';

/**
 * - `isOurs`: the schema has the service's tables. `usable`: and the role may read them.
 * - `exists`: the schema; `canUse`: the role may make tables in it; `canMake`: it may make schemas.
 * - `others`: tables there that have the names of ours. `ownsMigrations`: the role owns the table of migrations.
 */
type SchemaFacts = {
  role: string;
  database: string;
  owner: string | null;
  isOurs: boolean;
  usable: boolean;
  exists: boolean;
  canUse: boolean;
  canMake: boolean;
  others: string[];
  ownsMigrations: boolean;
};

/** Tables by which another program and the service would take each other's for their own. */
const OUR_NAMES = [
  DEFAULT_MIGRATION_TABLE,
  ...[
    'accounts',
    'account_balances',
    'api_keys',
    'documents',
    'files',
    'idempotency_keys',
    'knowledge_bases',
  ],
  ...['knowledge_jobs', 'passages', 'passage_lexemes', 'synonym_groups', 'unchanged_imports', 'webhooks'],
  ...['document_frequencies', 'lexeme_statistics', 'language_statistics', 'knowledge_base_statistics'],
];

const readFacts = (home: string) => sql<SchemaFacts>`
  WITH deployments AS MATERIALIZED (${sql.raw(DEPLOYMENTS)}),
    home AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname = ${home})
  SELECT current_user AS role, current_database() AS database,
    (SELECT pg_get_userbyid(nspowner) FROM home) AS owner,
    EXISTS (SELECT FROM deployments WHERE name = ${home}) AS "isOurs",
    coalesce((SELECT usable FROM deployments WHERE name = ${home}), false) AS usable,
    EXISTS (SELECT FROM home) AS exists,
    coalesce((SELECT has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE') FROM home), false)
      AS "canUse",
    has_database_privilege(current_database(), 'CREATE') AS "canMake",
    ARRAY(SELECT relname::text FROM pg_class WHERE relnamespace = (SELECT oid FROM home) AND relname = ANY (${OUR_NAMES})
      ORDER BY relname) AS others,
    EXISTS (SELECT FROM pg_class WHERE relnamespace = (SELECT oid FROM home) AND relname = ${DEFAULT_MIGRATION_TABLE}
      AND pg_get_userbyid(relowner) = current_user) AS "ownsMigrations"`;

const quote = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

const ELSEWHERE =
  'Give the service a database of its own (CREATE DATABASE …), or name another schema in DATABASE_SCHEMA.';

/** The sentences that refuse a schema; undefined: it can be used. */
export function describeRefusal(home: string, facts: SchemaFacts): string | undefined {
  const { role, database, owner, isOurs, usable, exists, canUse, canMake, others } = facts;
  const [schema, user] = [quote(home), quote(role)];
  const run = (statement: string) =>
    `Run as its owner or a superuser, in the database ${database}: ${statement};`;
  if (isOurs && usable) return undefined;
  if (isOurs)
    return (
      `The schema ${schema} of the database has the tables of another deployment, ` +
      `which the role ${user} may not read. ` +
      `If it is the same deployment, log in as the owner of the tables. Otherwise: ${ELSEWHERE}`
    );
  if (!exists && canMake) return undefined;
  if (!exists)
    return (
      `The role ${user} may make no schema for the service's tables. ` +
      run(`CREATE SCHEMA ${schema} AUTHORIZATION ${user}`)
    );
  if (!canUse)
    return (
      `The role ${user} may make no tables in the schema ${schema}, which belongs to ${owner}. ` +
      run(`GRANT CREATE, USAGE ON SCHEMA ${schema} TO ${user}`)
    );
  if (others.length > 0)
    return `The schema ${schema} of the database has tables of another program (${others.join(', ')}). ${ELSEWHERE}`;
  return undefined;
}

/** A first start that was killed leaves an empty table of migrations, of the same role. */
async function withoutEmptyMigrations<DB>(
  database: Kysely<DB>,
  home: string,
  facts: SchemaFacts,
): Promise<SchemaFacts> {
  if (facts.others.join() !== DEFAULT_MIGRATION_TABLE || !facts.ownsMigrations) return facts;
  const table = sql.table(`${home}.${DEFAULT_MIGRATION_TABLE}`);
  const { rows } = await sql`SELECT FROM ${table} LIMIT 1`.execute(database);
  return rows.length > 0 ? facts : { ...facts, others: [] };
}

/**
 * Makes the schema of the service's tables, if it is missing, and returns its name.
 * @throws sentences for the operator, before anything is written: whose the tables are, or which right is missing
 */
export async function claimSchema<DB>(database: Kysely<DB>): Promise<string> {
  await sql`SELECT 1`.execute(database); // opens a session, if there is none yet
  const home = lastSessionOf(database)?.home;
  if (home === undefined) throw new Error('a transaction has no schema to claim');
  const [read] = (await readFacts(home).execute(database)).rows;
  if (read === undefined) throw new Error('the database says nothing about itself');
  const facts = await withoutEmptyMigrations(database, home, read);
  const refusal = describeRefusal(home, facts);
  if (refusal !== undefined) throw new Error(refusal);
  if (!facts.exists) await makeSchema(database, home);
  return home;
}

/** SQLSTATE of a name that another transaction has taken meanwhile; IF NOT EXISTS does not see it before its commit. */
const UNIQUE_VIOLATION = '23505';

async function makeSchema<DB>(database: Kysely<DB>, home: string): Promise<void> {
  try {
    await sql`CREATE SCHEMA IF NOT EXISTS ${sql.id(home)}`.execute(database);
  } catch (error) {
    if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
  }
}
