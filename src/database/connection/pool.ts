/** The connection pools to PostgreSQL, and the sessions of their connections. */
import pg from 'pg';
import { FIXED_SETTINGS, type Settings, USUAL_SETTINGS } from './fixed-settings.ts';
import { OWN_SCHEMA, type SchemaChoice } from './home-schema.ts';
import { connectIn, createPoolAt, requireRole } from './hosts.ts';
import { socketOf } from './pg-insides.ts';
import { openSession, type Session } from './session-settings.ts';

/** What `pg` needs to connect: an address, or the embedded PostgreSQL's socket. */
export type Connection =
  /** `schema`: with the tables. Undefined: the schema that already has them, or a new schema. */
  | { connectionString: string; schema?: string | undefined }
  | { host: string; port: number; user: string; password: string; database: string };

/** Time-out of one statement: far above the longest of a request, and tolerable for an operator. Less on Citus. */
const STATEMENT_TIMEOUT_MS = 60_000;
/**
 * How long a request waits for a free connection before it becomes a 503. A connection attempt begun while the network
 * was down keeps its slot of the pool as long. Five seconds after the network's return everything has to work as
 * before.
 */
const CONNECT_TIMEOUT_MS = 3_000;
/** Silence after which TCP keep-alive probes the other end (tcp(7)). Ten seconds later the connection is closed. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Both ends detect a dead connection by themselves, the server's too: its locks must not outlive the connection. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS };
/** A transaction that its client left open must not hold locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/**
 * Parses the format that PostgreSQL writes in UTC. The general parser takes a third of the time of a list of ten rows.
 */
const parseTimestamp = (text: string): Date =>
  text.endsWith('+00')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : pg.types.getTypeParser(TIMESTAMPTZ)(text);

/** Reads bigint as a number: every bigint here is a count or a size below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8 && format !== 'binary') return Number;
    if (oid === TIMESTAMPTZ && format !== 'binary') return parseTimestamp;
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * Statements are planned for any values, so that prepared ones keep their plan. A condition that has to imply a
 * partial index's must be written out. Every access uses an index, also before PostgreSQL has noticed that a table has
 * grown. Compiling a plan to machine code pays for long analytical queries only. Parallel workers return rows in any
 * order, but a search takes the first ones without sorting (`FURTHER_MAX` in search/candidates/candidates.ts).
 *
 * A plan for the values of each execution takes this processor time, planning included, against the kept one:
 *
 *                                          10,000 passages    150,000 passages
 *   statistics of a query                   .53 -> .99 ms       .43 -> .80 ms
 *   candidates, BM25 and reranking          2.7 -> 4.3 ms       6.1 -> 7.8 ms
 *
 * With `auto`, PostgreSQL plans each ranking among 150,000 passages anew.
 */
const PLANNING: Settings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
};

/** The settings in the address itself. */
function optionsOf(connection: Connection): string {
  if (!('connectionString' in connection) || !URL.canParse(connection.connectionString)) return '';
  return new URL(connection.connectionString).searchParams.get('options') ?? '';
}

/** Filters the settings that the address does not set itself, in its own `options`. */
function unlessGiven(connection: Connection, settings: Settings): Settings {
  const given = optionsOf(connection);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !given.includes(name)));
}

/** The embedded database has no other tables. */
function schemaOf(connection: Connection): SchemaChoice {
  if (!('connectionString' in connection)) return { given: undefined, whenNew: 'public' };
  const onPath = /search_path\s*=\s*"?(\w+)/.exec(optionsOf(connection))?.[1];
  return { given: connection.schema ?? onPath, whenNew: OWN_SCHEMA };
}

/** The sessions of all pools, by their connections. */
const sessions = new WeakMap<pg.ClientBase, Session>();
/** The session that each pool has opened last. */
const lastSessions = new WeakMap<pg.Pool, Session>();
/** Where each pool connects. */
const connections = new WeakMap<pg.Pool, Connection>();
type PoolOptions = { size: number; settings: Settings; onError: (error: Error) => void };

function openPool(connection: Connection, { size, settings, onError }: PoolOptions): pg.Pool {
  const usual = unlessGiven(connection, {
    ...USUAL_SETTINGS,
    ...settings,
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_TIMEOUT_MS),
  });
  const choice = { settings: { ...FIXED_SETTINGS, ...usual }, schema: schemaOf(connection) };
  const options: pg.PoolConfig = {
    ...KEEP_ALIVE,
    max: size,
    types,
    application_name: 'knowledge-retrieval',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The pool waits for the promise, though its types do not say so.
    onConnect: async (client) => {
      const session = await openSession(client, choice, CONNECT_TIMEOUT_MS);
      requireRole(client, session);
      sessions.set(client, session);
      lastSessions.set(pool, session);
    },
  };
  const pool =
    'connectionString' in connection
      ? createPoolAt(connection.connectionString, options)
      : new pg.Pool({ ...options, ...connection });
  connections.set(pool, connection);
  pool.on('error', onError);
  // The pool listens to errors of idle connections only. A connection that breaks between two statements of a
  // transaction would emit an unhandled error, which ends the process (Node, EventEmitter). The transaction itself
  // fails at its next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * A pool of at most `size` connections.
 * @param onError called with the error of a broken idle connection; the pool replaces the connection by itself.
 */
export const createPool = (connection: Connection, size: number, onError: PoolOptions['onError']): pg.Pool =>
  openPool(connection, {
    size,
    onError,
    settings: { ...PLANNING, statement_timeout: String(STATEMENT_TIMEOUT_MS) },
  });

/**
 * A pool for reads on a replica. Broken idle connections are replaced; the reads report what fails.
 * @param timeoutMs time-out of one statement
 */
export const createReplicaPool = (connection: Connection, size: number, timeoutMs: number): pg.Pool =>
  openPool(connection, {
    size,
    onError: () => {},
    settings: { ...PLANNING, statement_timeout: String(timeoutMs) },
  });

/** One statement runs, and another connection may be needed beside it. */
const MAINTENANCE_CONNECTIONS = 2;

/**
 * A pool without a statement time-out, for commands that an operator watches and can end: a migration, a recount of a
 * large knowledge base, and the wait for another server's migration.
 */
export const createMaintenancePool = (connection: Connection, onError: PoolOptions['onError']): pg.Pool =>
  openPool(connection, { size: MAINTENANCE_CONNECTIONS, onError, settings: {} });

/** The session of a connection of one of our pools. */
export function sessionOf(client: pg.ClientBase): Session {
  const session = sessions.get(client);
  if (session === undefined) throw new Error('the connection belongs to another pool');
  return session;
}

/** Begins a transaction on a connection of one of our pools. It has the pool's settings, behind a pooler too. */
export const beginOn = async (client: pg.ClientBase, text: string): Promise<void> =>
  void (await sessionOf(client).query(text, []));

/** Whether a pooler, such as PgBouncer, stands between `pool` and the database. */
export async function isBehindPooler(pool: pg.Pool): Promise<boolean> {
  const client = await connectIn(pool);
  client.release();
  return !sessionOf(client).isDirect;
}

/**
 * Closes a connection without waiting for its server process, so that neither the end of its transaction nor another
 * request does. The pool replaces it.
 */
export const closeAtOnce = (client: pg.ClientBase): void => void socketOf(client).destroy();

/** Where `pool` connects. */
export const connectionOf = (pool: pg.Pool): Connection | undefined => connections.get(pool);

/** The session that `pool` has opened last. */
export const lastSessionIn = (pool: pg.Pool): Session | undefined => lastSessions.get(pool);
