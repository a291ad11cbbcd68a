/** Checks whether the service can work on a database: it answers, is new enough, takes writes, and stores all text. */
import { type Kysely, sql } from 'kysely';
import { codeOf, type Problem, reasonOf } from '../../terms/problem.ts';

/** PostgreSQL 15, as in server_version_num. */
const MIN_VERSION = 150_000;

/** SQLSTATE or Node's code of a failed connection → the remedy. */
const REMEDIES: Record<string, string> = {
  ECONNREFUSED: 'Start PostgreSQL, or set the right host and port in DATABASE_URL.',
  ENOTFOUND: 'Set the right host in DATABASE_URL.',
  ENOENT: 'Start PostgreSQL, or set the right socket directory in DATABASE_URL.',
  '28P01': 'Set the right user and password in DATABASE_URL.',
  '28000': 'Allow this user in pg_hba.conf, or set another one in DATABASE_URL.',
  '3D000': 'Make the database (createdb), or set the right one in DATABASE_URL.',
  '53300': 'Raise max_connections, or close connections of other programs.',
};

/** The reason why the database cannot be reached, and the remedy, for the operator. */
export const describeUnreachable = (error: unknown): Problem => ({
  problem: `The database does not answer: ${reasonOf(error)}.`,
  remedy: REMEDIES[codeOf(error)] ?? 'Check that PostgreSQL runs, and that DATABASE_URL is its address.',
});

/** `isReadOnly`: transactions cannot write, as on each standby. */
type ServerFacts = {
  version: number;
  versionName: string;
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
};

/** Why nothing can be written to the database, and the remedy. */
function describeReadOnly({ isStandby }: ServerFacts): Problem {
  if (isStandby)
    return {
      problem: 'DATABASE_URL leads to a standby, which is read-only.',
      remedy: 'Set DATABASE_URL to the primary. Only DATABASE_READ_URL may lead to a standby.',
    };
  return {
    problem: 'The database is read-only: default_transaction_read_only is on.',
    remedy:
      'Set it to off for the server, the database or the role, after a look at the disk: some hosts turn it on when ' +
      'that is full.',
  };
}

/**
 * The problems of the database's version and encoding, and whether it is read-only.
 * @throws the error of the connection
 */
export async function findUnfitness<DB>(database: Kysely<DB>): Promise<Problem[]> {
  const { rows } = await sql<ServerFacts>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "versionName",
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isStandby",
      current_setting('transaction_read_only')::boolean AS "isReadOnly"`.execute(database);
  const [facts] = rows;
  if (facts === undefined) throw new Error('the database says nothing about itself');
  const { version, versionName, encoding } = facts;
  const problems: Problem[] = facts.isReadOnly ? [describeReadOnly(facts)] : [];
  if (version < MIN_VERSION)
    problems.push({
      problem: `The database is PostgreSQL ${versionName}, and the service needs 15 or later.`,
      remedy:
        'Move it to a newer PostgreSQL (pg_upgrade, or pg_dump and pg_restore), or set another DATABASE_URL.',
    });
  if (encoding !== 'UTF8')
    problems.push({
      problem: `The database stores text as ${encoding}, not as UTF8.`,
      remedy: `Make it anew (CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'), or set another DATABASE_URL.`,
    });
  return problems;
}

/** @throws an error for the operator, unless the service can work on the database. */
export async function requireUsableDatabase<DB>(database: Kysely<DB>): Promise<void> {
  const problems = await findUnfitness(database).catch((error) => [describeUnreachable(error)]);
  const sentences = problems.map(({ problem, remedy }) => `${problem} ${remedy}`);
  if (sentences.length > 0) throw new Error(sentences.join('\n'));
}
