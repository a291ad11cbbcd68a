/**
 * The schema that the migrations work in. A database may belong to other programs too: before anything is written, this
 * makes sure that no table of theirs has the name of one of ours there.
 */
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { codeOf, type Problem, reasonOf } from '../../terms/problem.ts';
import { lastSessionOf } from '../connection/database.ts';
import { DEPLOYMENTS, KNOWN_TABLES } from '../connection/home-schema.ts';

/**
 * - `isOurs`: the schema has the service's tables. `usable`: and the role may read them.
 * - `tableOwner`: to whom they belong. `mayWrite`: the role may change them.
 * - `exists`: the schema; `canUse`: the role may make tables in it; `canMake`: it may make schemas.
 * - `others`: tables there that have the names of ours. `ownsMigrations`: the role owns the table of migrations.
 */
type SchemaFacts = {
  role: string;
  database: string;
  owner: string | null;
  isOurs: boolean;
  usable: boolean;
  tableOwner: string | null;
  mayWrite: boolean;
  exists: boolean;
  canUse: boolean;
  canMake: boolean;
  others: string[];
  ownsMigrations: boolean;
};

/** Tables by which another program and the service would take each other's for their own. */
export const OUR_NAMES = [
  DEFAULT_MIGRATION_TABLE,
  ...['account_balances', 'accounts', 'api_keys', 'document_addresses', 'documents', 'files'],
  ...['document_frequencies', 'document_frequency_deltas', 'documents_without_vectors', 'ended_sessions'],
  ...['idempotency_keys', 'kept_queries', 'knowledge_base_statistics', 'knowledge_bases', 'knowledge_jobs'],
  ...['language_statistics', 'passage_lexemes', 'passage_vectors', 'passages', 'query_histories'],
  ...['rate_limit_counters', 'synonym_groups', 'unchanged_imports', 'vector_generations'],
  ...['webhook_deliveries', 'webhook_events', 'webhooks'],
  // What earlier versions have called them: a migration makes each, and renames it.
  ...['first_answers', 'lexeme_changes', 'lexeme_statistics', 'request_counts'],
];

const readFacts = (home: string) => sql<SchemaFacts>`
  WITH deployments AS MATERIALIZED (${sql.raw(DEPLOYMENTS)}),
    home AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname = ${home})
  SELECT current_user AS role, current_database() AS database,
    (SELECT pg_get_userbyid(nspowner) FROM home) AS owner,
    EXISTS (SELECT FROM deployments WHERE name = ${home}) AS "isOurs",
    coalesce((SELECT usable FROM deployments WHERE name = ${home}), false) AS usable,
    (SELECT pg_get_userbyid(deployments.owner) FROM deployments WHERE name = ${home}) AS "tableOwner",
    (SELECT bool_and(has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
        AND has_table_privilege(oid, 'DELETE'))
      FROM pg_class WHERE relnamespace = (SELECT oid FROM home) AND relname = ANY (${[...KNOWN_TABLES]})) AS "mayWrite",
    EXISTS (SELECT FROM home) AS exists,
    coalesce((SELECT has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE') FROM home), false)
      AS "canUse",
    has_database_privilege(current_database(), 'CREATE') AS "canMake",
    ARRAY(SELECT relname::text FROM pg_class
      WHERE relnamespace = (SELECT oid FROM home) AND relname = ANY (${OUR_NAMES})
      ORDER BY relname) AS others,
    EXISTS (SELECT FROM pg_class WHERE relnamespace = (SELECT oid FROM home) AND relname = ${DEFAULT_MIGRATION_TABLE}
      AND pg_get_userbyid(relowner) = current_user) AS "ownsMigrations"`;

const quote = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

const ELSEWHERE =
  'Give the service a database of its own (CREATE DATABASE …), or name another schema in DATABASE_SCHEMA.';

/** Why a schema cannot be used, and the remedy; undefined: it can. */
function describeRefusal(home: string, facts: SchemaFacts): Problem | undefined {
  const { role, database, owner, isOurs, usable, tableOwner, mayWrite } = facts;
  const { exists, canUse, canMake, others } = facts;
  const [schema, user] = [quote(home), quote(role)];
  const refuse = (problem: string, remedy: string) => ({ problem, remedy });
  const run = (statement: string) =>
    `Run as its owner or a superuser, in the database ${database}: ${statement};`;
  if (isOurs && usable && mayWrite) return undefined;
  if (isOurs && usable)
    return refuse(
      `The role ${user} may not write into the service's tables in the schema ${schema}.`,
      `Log in as ${tableOwner}, to whom they belong, which upgrades need too.`,
    );
  if (isOurs)
    return refuse(
      `The schema ${schema} of the database has the tables of another deployment, ` +
        `which the role ${user} may not read.`,
      `If it is the same deployment, log in as the owner of the tables. Otherwise: ${ELSEWHERE}`,
    );
  if (!exists && canMake) return undefined;
  if (!exists)
    return refuse(
      `The role ${user} may make no schema for the service's tables.`,
      run(`CREATE SCHEMA ${schema} AUTHORIZATION ${user}`),
    );
  if (!canUse)
    return refuse(
      `The role ${user} may make no tables in the schema ${schema}, which belongs to ${owner}.`,
      run(`GRANT CREATE, USAGE ON SCHEMA ${schema} TO ${user}`),
    );
  if (others.length > 0)
    return refuse(
      `The schema ${schema} of the database has tables of another program (${others.join(', ')}).`,
      ELSEWHERE,
    );
  return undefined;
}

/** SQLSTATEs of a table, index, type or function whose name is taken. */
const TAKEN = ['42P07', '42710', '42723'];

/** What an existing deployment does instead: an empty database or schema would leave its documents behind. */
const MOVE =
  'Nothing was changed. Rename what is theirs; or make a backup by the version before, and `restore` it by this one ' +
  'into a database of its own.';

/**
 * The error of a migration in these words, where something of another program has a name that it needs.
 * @param isUpgrade the schema has the tables of an earlier version
 */
export const explainTaken = (error: unknown, isUpgrade: boolean): unknown =>
  TAKEN.includes(codeOf(error))
    ? new Error(
        `The schema of the tables has something of another program: ${reasonOf(error)}. ` +
          (isUpgrade ? MOVE : ELSEWHERE),
        { cause: error },
      )
    : error;

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

/** The schema for the service's tables, whether it is there, and why it cannot be used. Writes nothing. */
async function findSchema<DB>(
  database: Kysely<DB>,
): Promise<{ home: string; exists: boolean; refusal: Problem | undefined }> {
  await sql`SELECT 1`.execute(database); // opens a session, if there is none yet
  const home = lastSessionOf(database)?.home;
  if (home === undefined) throw new Error('a transaction has no schema to claim');
  const [read] = (await readFacts(home).execute(database)).rows;
  if (read === undefined) throw new Error('the database says nothing about itself');
  const facts = await withoutEmptyMigrations(database, home, read);
  return { home, exists: facts.exists, refusal: describeRefusal(home, facts) };
}

/** Why a start would make no tables in this database; undefined: it would. */
export const findRefusal = async <DB>(database: Kysely<DB>): Promise<Problem | undefined> =>
  (await findSchema(database)).refusal;

/**
 * Makes the schema of the service's tables, if it is missing, and returns its name.
 * @throws sentences for the operator, before anything is written: whose the tables are, or which right is missing
 */
export async function claimSchema<DB>(database: Kysely<DB>): Promise<string> {
  const { home, exists, refusal } = await findSchema(database);
  if (refusal !== undefined) throw new Error(`${refusal.problem} ${refusal.remedy}`);
  if (!exists) await makeSchema(database, home);
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
