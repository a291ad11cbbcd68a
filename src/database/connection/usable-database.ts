/** Checks whether the service can work on a database: it answers, is new enough, takes writes, and stores all text. */
import { type Kysely, sql } from 'kysely';
import { codeOf, type Problem, reasonOf } from '../../terms/problem.ts';
import { HostError } from './hosts.ts';

/** PostgreSQL 15, as in server_version_num. */
const MIN_VERSION = 150_000;

/** How to let the connection trust a server's certificate, or do without. */
const TRUST =
  'Add sslrootcert=FILE with the certificate of its authority to DATABASE_URL, or set sslmode=require there, which ' +
  'encrypts without a check. docs/operating.md says more.';

const ADDRESS = 'DATABASE_URL (postgres://USER:PASSWORD@HOST:5432/DATABASE)';

/** SQLSTATE or Node's code of a failed connection → the remedy. */
const REMEDIES: Record<string, string> = {
  ECONNREFUSED: 'Start PostgreSQL, or set the right host and port in DATABASE_URL.',
  ENOTFOUND: 'Set the right host in DATABASE_URL.',
  EAI_AGAIN: 'Set the right host in DATABASE_URL, or look why its name cannot be resolved.',
  ENOENT: 'Start PostgreSQL, or set the right socket directory in DATABASE_URL.',
  '28P01':
    'Set the right user and password in DATABASE_URL, where letters such as % # / ? @ and : ' +
    'of a password are encoded: ' +
    '% as %25.',
  '28000': 'Allow this user in pg_hba.conf, or set another one in DATABASE_URL.',
  '3D000': 'Make the database (createdb), or set the right one in DATABASE_URL.',
  '42501': 'Let an administrator run: GRANT CONNECT ON DATABASE … TO …;',
  '53300':
    'Raise max_connections, or the connection limit of the role or of the database; or lower DATABASE_POOL_SIZE.',
  '57P03': 'Wait until PostgreSQL has started, or look at its log.',
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST,
  SELF_SIGNED_CERT_IN_CHAIN: TRUST,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TRUST,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST,
  UNABLE_TO_GET_ISSUER_CERT: TRUST,
  CERT_HAS_EXPIRED: 'Renew the certificate of the server.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Set the host in DATABASE_URL that the certificate names, or sslmode=verify-ca, which does not compare it.',
};

/** What the driver says without a code → the problem and its remedy. */
const SENTENCES: [RegExp, Problem][] = [
  [
    /password must be a (?:non-empty )?string/,
    {
      problem: 'The database asks for a password, and DATABASE_URL has none.',
      remedy: `Write it into ${ADDRESS}, or set PGPASSWORD or PGPASSFILE.`,
    },
  ],
  [
    /is not permitted to log in/,
    {
      problem: 'The user in DATABASE_URL is a role that may not log in.',
      remedy: 'Let an administrator run: ALTER ROLE … LOGIN; or set another user.',
    },
  ],
  [
    /is not currently accepting connections/,
    {
      problem: 'The database accepts no connections.',
      remedy:
        'Let an administrator run: ALTER DATABASE … ALLOW_CONNECTIONS true; or set another DATABASE_URL.',
    },
  ],
  [
    /server does not support SSL/i,
    {
      problem: 'The server of the database does not support TLS.',
      remedy: 'Turn it on there (ssl = on), or set sslmode=disable in DATABASE_URL.',
    },
  ],
  [
    /requires a valid client certificate|certificate authentication failed/,
    {
      problem:
        'The database asks for a certificate of this user, by its pg_hba.conf, and has not got the right one.',
      remedy:
        'Add sslcert=FILE&sslkey=FILE to DATABASE_URL, with a certificate whose common name is the ' +
        'user, by an authority ' +
        'of ssl_ca_file there.',
    },
  ],
  [
    /key values mismatch|no start line|bad decrypt|interrupted or cancelled|(PEM|DECODER) routines/,
    {
      problem: 'A certificate or key that DATABASE_URL names cannot be used.',
      remedy:
        'Let sslcert name a certificate and sslkey its own key, both as PEM and without a password, and sslrootcert ' +
        'the certificate of an authority.',
    },
  ],
  [
    /statement pooling mode/,
    {
      problem:
        'The pooler gives each statement another session (pool_mode = statement), and refuses transactions.',
      remedy: 'Set pool_mode to transaction or session for this database.',
    },
  ],
  [
    /the login has no channel binding/,
    {
      problem:
        'The login at the database is not bound to TLS, as channel_binding=require in DATABASE_URL demands.',
      remedy:
        'Let the server have TLS and passwords by scram-sha-256, and set sslmode=require or verify-full; or remove ' +
        'channel_binding.',
    },
  ],
  [
    /no pg_hba\.conf entry.*no encryption/s,
    {
      problem: 'The database accepts this user with encryption only, by its pg_hba.conf.',
      remedy: 'Add sslmode=require to DATABASE_URL.',
    },
  ],
];

/** A file that the address names, such as `sslrootcert`. */
const describeFile = (error: NodeJS.ErrnoException): Problem => ({
  problem: `A file that DATABASE_URL names cannot be read: ${error.path} (${error.code}).`,
  remedy: 'Set the right path of sslrootcert, sslcert or sslkey, and let the user of the service read it.',
});

/** The driver reads files with `open`; a socket or a host fails with another call. */
const isUnreadableFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && ['open', 'read'].includes(String(error.syscall));

/** An SQLSTATE: PostgreSQL, or a pooler in its place, has answered. */
const hasAnswered = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

/** The reason why the database cannot be used, and the remedy, for the operator. */
export function describeUnreachable(error: unknown): Problem {
  if (isUnreadableFile(error)) return describeFile(error);
  const reason = reasonOf(error);
  if (error instanceof HostError)
    return {
      problem: `No host of the address can be used: ${reason}.`,
      remedy:
        'Start PostgreSQL there, promote a standby, or correct the hosts or target_session_attrs of DATABASE_URL.',
    };
  const known = SENTENCES.find(([pattern]) => pattern.test(reason));
  if (known !== undefined) return known[1];
  const code = codeOf(error);
  if (hasAnswered(code))
    return {
      problem: `The database refuses the connection: ${reason}.`,
      remedy: REMEDIES[code] ?? `Look at PostgreSQL's log, and compare ${ADDRESS}.`,
    };
  const isCertificate = /CERT|TLS|SSL/.test(code);
  return {
    problem:
      `The database does not answer${isCertificate ? ' with a certificate that can be trusted' : ''}: ` +
      `${reason}.`,
    remedy: REMEDIES[code] ?? `Check that PostgreSQL runs, and that ${ADDRESS} is its address.`,
  };
}

/**
 * `isReadOnly`: transactions cannot write, as on each standby. `lacksForeignKeys`: PostgreSQL looks after none in this
 * session.
 */
export type ServerFacts = {
  version: number;
  versionName: string;
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
  lacksForeignKeys: boolean;
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

/** The problems of the database's version and encoding, and whether it is read-only. */
export function describeProblems(facts: ServerFacts): Problem[] {
  const { version, versionName, encoding } = facts;
  const problems: Problem[] = facts.isReadOnly ? [describeReadOnly(facts)] : [];
  if (version < MIN_VERSION)
    problems.push({
      problem: `The database is PostgreSQL ${versionName}, and the service needs 15 or later.`,
      remedy:
        'Move it to a newer PostgreSQL (pg_upgrade, or pg_dump and pg_restore), or set another DATABASE_URL.',
    });
  if (facts.lacksForeignKeys)
    problems.push({
      problem:
        'session_replication_role is replica, so that PostgreSQL keeps no foreign keys: rows of deleted documents ' +
        'would stay.',
      remedy:
        'Let a superuser reset it for the server, the database and the role: ALTER … RESET session_replication_role.',
    });
  if (encoding !== 'UTF8')
    problems.push({
      problem: `The database stores text as ${encoding}, not as UTF8.`,
      remedy: `Make it anew (CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'), or set another DATABASE_URL.`,
    });
  return problems;
}

/**
 * The same of this database.
 * @throws the error of the connection
 */
export async function findDatabaseProblems<DB>(database: Kysely<DB>): Promise<Problem[]> {
  const { rows } = await sql<ServerFacts>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS "versionName",
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isStandby",
      current_setting('transaction_read_only')::boolean AS "isReadOnly",
      current_setting('session_replication_role') = 'replica' AS "lacksForeignKeys"`.execute(database);
  const [facts] = rows;
  if (facts === undefined) throw new Error('the database says nothing about itself');
  return describeProblems(facts);
}

/** @throws an error for the operator, unless the service can work on the database. */
export async function requireUsableDatabase<DB>(database: Kysely<DB>): Promise<void> {
  const problems = await findDatabaseProblems(database).catch((error) => [describeUnreachable(error)]);
  const sentences = problems.map(({ problem, remedy }) => `${problem} ${remedy}`);
  if (sentences.length > 0) throw new Error(sentences.join('\n'));
}
