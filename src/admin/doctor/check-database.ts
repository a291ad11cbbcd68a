/** Checks the database: reach, version, writes, encoding and case folding, schema, clock and connections. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import { foldCase } from '../../database/connection/fold-case.ts';
import { isBehindPooler } from '../../database/connection/pool.ts';
import { describeUnreachable, findDatabaseProblems } from '../../database/connection/usable-database.ts';
import { findImmovable, isDistributed } from '../../database/distribution/distribution.ts';
import { findRefusal } from '../../database/migrations/claim-schema.ts';
import { compareMigrations } from '../../database/migrations/migrate.ts';
import { JOB_CONNECTIONS } from '../../jobs/job-queue.ts';
import type { Problem } from '../../terms/problem.ts';

/** Tokens and sign-ins end by the clock of the server, all else by that of the database. These nearly agree. */
const MAX_SKEW_MS = 5_000;

/** Checks whether the database answers; if not, the other checks are useless. */
export async function checkReach(database: Database): Promise<Problem[]> {
  try {
    await sql`SELECT 1`.execute(database);
    return [];
  } catch (error) {
    return [describeUnreachable(error)];
  }
}

/** Checks version, writes, encoding, and whether letters of all alphabets can be folded. */
export async function checkKind(database: Database): Promise<Problem[]> {
  const problems = await findDatabaseProblems(database);
  // Another encoding may lack these letters.
  if (problems.length > 0) return problems;
  const folds = sql<{
    folds: boolean;
  }>`SELECT ${foldCase(database, sql`'ПРИВЕТ I'::text`)} = 'привет i' AS folds`;
  if ((await folds.execute(database)).rows[0]?.folds !== true) return [WITHOUT_FOLDING];
  return (await isDistributed(database)) ? await checkShards(database) : [];
}

/** Queries fold case by themselves, in whatever database. */
const WITHOUT_FOLDING: Problem = {
  isWarning: true,
  problem:
    'The database has no collation that folds the case of all letters: only lists of documents by a part of their ' +
    'title (titleContains) miss titles for that, and no search.',
  remedy:
    'Use a PostgreSQL with ICU or with a UTF-8 locale such as C.UTF-8, or create the database again with one ' +
    "(CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LC_CTYPE 'C.UTF-8').",
};

/** Checks whether each server of shards answers the coordinator. */
async function checkShards(database: Database): Promise<Problem[]> {
  const { rows } = await sql<{ server: string; success: boolean; result: string }>`
    SELECT nodename || ':' || nodeport AS server, success, result
    FROM run_command_on_workers('SELECT true')`.execute(database);
  const silent = rows.flatMap(({ server, success, result }): Problem[] => {
    if (success) return [];
    const problem = `The server of shards at ${server} does not answer: ${result.trim()}.`;
    return [{ problem, remedy: 'Start it: until then its knowledge bases get 503.' }];
  });
  const immovable = await findImmovable(database);
  if (immovable.length === 0) return silent;
  const problem = `Citus cannot move content from ${immovable.join(', ')}: wal_level is not logical there.`;
  const remedy = 'Set it and restart PostgreSQL, before you add a worker. Until then all stays where it is.';
  return [...silent, { isWarning: true, problem, remedy }];
}

/** Warns where a crash of PostgreSQL may lose what was acknowledged. */
export async function checkDurability(database: Database): Promise<Problem[]> {
  // Who starts PostgreSQL with it, as tests do, knows.
  const { rows } = await sql`
    SELECT FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off' AND source <> 'command line'
  `.execute(database);
  if (rows.length === 0) return [];
  return [
    {
      isWarning: true,
      problem:
        'synchronous_commit is off: a crash of PostgreSQL may lose what was acknowledged in its last second.',
      remedy: 'Set it to on for the server, the database and the role, unless you accept that.',
    },
  ];
}

/** A database before the first start, or a wrong one. */
const WITHOUT_TABLES: Problem = {
  isWarning: true,
  problem: 'The database has no tables of the service yet.',
  remedy:
    'The first start makes them. If this deployment has data already, set DATABASE_URL and DATABASE_SCHEMA to the ' +
    'place of its tables.',
};

/** Checks whether the schema matches this version, or why a start would not make it. */
export async function checkSchema(database: Database): Promise<Problem[]> {
  const refusal = await findRefusal(database);
  if (refusal !== undefined) return [refusal];
  const { done, pending, unknown } = await compareMigrations(database);
  if (done.length === 0) return [WITHOUT_TABLES];
  const problems: Problem[] = [];
  if (pending.length > 0)
    problems.push({
      problem: `The database lacks ${pending.join(', ')} of this version's schema.`,
      remedy: 'Run `npx knowledge-retrieval migrate`, or start the server, which migrates the database too.',
    });
  if (unknown.length > 0)
    problems.push({
      problem: `The database has ${unknown.join(', ')}, unknown to this version: a newer version has changed it.`,
      remedy: 'Run that newer version of the service, or restore a backup from before the change.',
    });
  return problems;
}

/** Compares this machine's clock, which tells the milliseconds since 1970, with the database's. */
export async function checkClock(database: Database, now = Date.now): Promise<Problem[]> {
  const before = now();
  const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(database);
  const after = now();
  const theirs = rows[0]?.now.getTime() ?? before;
  const skewMs = Math.max(before - theirs, theirs - after);
  if (skewMs <= MAX_SKEW_MS) return [];
  const problem =
    `The clocks of this machine and of the database differ by ${Math.round(skewMs / 1000)} seconds: ` +
    'tokens and sign-ins would end at the wrong time.';
  return [{ problem, remedy: 'Synchronise the clocks of both machines by NTP (chrony, systemd-timesyncd).' }];
}

type Limits = { server: number; role: number; database: number; superuser: boolean };

/**
 * Checks whether `servers` with these settings get their connections. A limit of -1 is none. A pooler needs fewer of
 * the database, and nothing tells its own limit.
 */
export async function checkConnections(
  pool: pg.Pool,
  database: Database,
  { databasePoolSize }: Pick<Config, 'databasePoolSize'>,
  servers: number,
): Promise<Problem[]> {
  if (await isBehindPooler(pool)) return [];
  const { rows } = await sql<Limits>`
    SELECT rolsuper AS superuser, rolconnlimit AS role, datconnlimit AS database,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int AS server
    FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`.execute(
    database,
  );
  const limits = rows[0];
  if (limits === undefined) return [];
  const neededByOne = databasePoolSize + JOB_CONNECTIONS;
  const needed = neededByOne * servers;
  const takers = servers === 1 ? 'one server takes' : `the ${servers} servers and workers that run take`;
  const limitsByName = {
    'The server’s max_connections': limits.server,
    // Superusers are exempt from these limits (PostgreSQL manual, CREATE ROLE and CREATE DATABASE).
    ...(!limits.superuser && {
      'The connection limit of the role': limits.role,
      'The connection limit of the database': limits.database,
    }),
  };
  return Object.entries(limitsByName)
    .filter(([, limit]) => limit !== -1 && limit < needed)
    .map(([name, limit]) => ({
      problem:
        `${name} leaves ${limit} connections, but ${takers} up to ${needed} ` +
        `(each DATABASE_POOL_SIZE ${databasePoolSize} and ${JOB_CONNECTIONS} for jobs).`,
      remedy: `Raise that limit to ${neededByOne} for each server, or lower DATABASE_POOL_SIZE.`,
    }));
}
