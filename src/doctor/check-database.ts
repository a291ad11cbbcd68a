/** Checks the database: whether it answers, what it is, how it folds letters, its schema, clock and connections. */
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import { JOB_CONNECTIONS } from '../ingestion/job-queue.ts';
import type { Database } from '../storage/database.ts';
import { compareMigrations } from '../storage/migrate.ts';
import { type Problem, reasonOf } from './problem.ts';

/** As PostgreSQL numbers its versions: server_version_num. */
const LEAST_VERSION = 150_000;

/** Upload tickets are checked by both clocks, and live an hour; machines that keep time differ by milliseconds. */
const LARGEST_SKEW_MS = 5_000;

/** What helps against each reason that a database does not let us in, by its SQLSTATE or Node's code. */
const REMEDIES: Record<string, string> = {
  ECONNREFUSED: 'Start PostgreSQL, or set the right host and port in DATABASE_URL.',
  ENOTFOUND: 'Set the right host in DATABASE_URL.',
  ENOENT: 'Start PostgreSQL, or set the right socket directory in DATABASE_URL.',
  '28P01': 'Set the right user and password in DATABASE_URL.',
  '28000': 'Let this user in by pg_hba.conf, or set another one in DATABASE_URL.',
  '3D000': 'Make the database (createdb), or set the right one in DATABASE_URL.',
  '53300': 'Raise max_connections, or close what others have open.',
};

/** Whether the database answers at all; the other checks have no use where it does not. */
export async function checkReach(database: Database): Promise<Problem[]> {
  try {
    await sql`SELECT 1`.execute(database);
    return [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const remedy = REMEDIES[code] ?? 'See whether PostgreSQL runs, and whether DATABASE_URL leads to it.';
    return [{ problem: `The database does not answer: ${reasonOf(error)}.`, remedy }];
  }
}

type Facts = { version: number; versionName: string; encoding: string };

/** Version, encoding, and whether letters of other alphabets lose their case: searches would not find them else. */
export async function checkKind(database: Database): Promise<Problem[]> {
  const { rows } = await sql<Facts>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "versionName",
      current_setting('server_encoding') AS encoding`.execute(database);
  const { version = 0, versionName, encoding } = rows[0] ?? {};
  const problems: Problem[] = [];
  if (version < LEAST_VERSION)
    problems.push({
      problem: `The database is PostgreSQL ${versionName}, and the service needs 15 or later.`,
      remedy: 'Move it to a newer PostgreSQL (pg_upgrade, or pg_dump and pg_restore).',
    });
  const remedy =
    "Make the database anew: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' with a locale of UTF-8, as C.UTF-8 or en_US.UTF-8.";
  if (encoding !== 'UTF8')
    return [...problems, { problem: `The database stores text as ${encoding}, not as UTF8.`, remedy }];
  const { rows: folded } = await sql<{ folds: boolean }>`
    SELECT lower('ПРИВЕТ') = 'привет' AND to_tsvector('simple', 'ÉTÉ') @@ 'été'::tsquery AS folds`.execute(
    database,
  );
  if (folded[0]?.folds !== true)
    problems.push({
      problem:
        'The database’s locale knows upper and lower case of English letters only: searches would miss words.',
      remedy,
    });
  return problems;
}

/** Whether the schema is the one of this version. */
export async function checkSchema(database: Database): Promise<Problem[]> {
  const { pending, unknown } = await compareMigrations(database);
  const problems: Problem[] = [];
  if (pending.length > 0)
    problems.push({
      problem: `The database lacks ${pending.join(', ')} of this version's schema.`,
      remedy: 'Run `npx knowledge-retrieval migrate`, or start the server, which does it too.',
    });
  if (unknown.length > 0)
    problems.push({
      problem: `The database has ${unknown.join(', ')}, which this version does not know: a newer one has used it.`,
      remedy: 'Run that newer version of the service, or restore a backup from before it.',
    });
  return problems;
}

/** Whether the clocks of this machine and the database's agree. */
export async function checkClock(database: Database): Promise<Problem[]> {
  const before = Date.now();
  const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(database);
  const after = Date.now();
  const theirs = rows[0]?.now.getTime() ?? before;
  const skewMs = Math.max(before - theirs, theirs - after);
  if (skewMs <= LARGEST_SKEW_MS) return [];
  const problem = `The clocks of this machine and of the database differ by ${Math.round(skewMs / 1000)} seconds: upload addresses and imports would end at the wrong time.`;
  return [{ problem, remedy: 'Let both machines keep time by NTP (chrony, systemd-timesyncd).' }];
}

type Limits = { server: number; role: number; database: number; superuser: boolean };

/** Whether one server of these settings gets its connections; -1 is PostgreSQL's word for no limit. */
export async function checkConnections(database: Database, { databasePoolSize }: Config): Promise<Problem[]> {
  const { rows } = await sql<Limits>`
    SELECT rolsuper AS superuser, rolconnlimit AS role, datconnlimit AS database,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int AS server
    FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`.execute(
    database,
  );
  const limits = rows[0];
  if (limits === undefined) return [];
  const needed = databasePoolSize + JOB_CONNECTIONS;
  const named = {
    'The server’s max_connections': limits.server,
    // Superusers pass these (PostgreSQL manual, CREATE ROLE and CREATE DATABASE).
    ...(!limits.superuser && {
      'The connection limit of the role': limits.role,
      'The connection limit of the database': limits.database,
    }),
  };
  return Object.entries(named)
    .filter(([, limit]) => limit !== -1 && limit < needed)
    .map(([name, limit]) => ({
      problem: `${name} leaves ${limit} connections, and one server takes up to ${needed} (DATABASE_POOL_SIZE ${databasePoolSize} and ${JOB_CONNECTIONS} for jobs).`,
      remedy: `Raise that limit to ${needed} for each server, or lower DATABASE_POOL_SIZE.`,
    }));
}
