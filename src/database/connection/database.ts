/** The connection pool to PostgreSQL, and Kysely over it. */
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import {
  type Read,
  type ReadTogether,
  setSharedReads,
  shareRoundTrips,
} from '../../concurrency/shared-round-trips.ts';
import { setTakesAlong } from '../../concurrency/statements-along.ts';
import { serviceUnavailable } from '../../terms/errors.ts';
import { codeOf } from '../../terms/problem.ts';
import type { Tables } from '../schema/tables.ts';
import { sendWithinBounds } from './bounded-statements.ts';
import { type ConnectionWatch, watchConnections } from './dead-connections.ts';
import { FIXED_SETTINGS, type Settings, USUAL_SETTINGS } from './fixed-settings.ts';
import { OWN_SCHEMA, type SchemaChoice } from './home-schema.ts';
import { addressOfClient, connectIn, createPoolAt, requireRole } from './hosts.ts';
import { sendTogether, socketOf } from './pg-insides.ts';
import { TOGETHER } from './prepared.ts';
import { openSession, type Session, withLateBegin } from './session-settings.ts';

export type Database = Kysely<Tables>;
/** The database or a transaction on it. */
export type Queryable = Database | Transaction<Tables>;
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
/** The pools of the databases that are neither transactions nor single connections. */
const pools = new WeakMap<object, pg.Pool>();

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

/**
 * Runs a statement that may take long and has to be alone: outside of a transaction, on a connection of its own,
 * without time-outs of ours. It names the schema of its tables, which a pooler's session does not have on its search
 * path. When the signal aborts, it goes on in the database, and nobody waits for it.
 * @throws the error of the statement; the reason of the signal
 */
export async function runForLong(database: Database, text: string, signal: AbortSignal): Promise<void> {
  const connection = connections.get(pools.get(database) as pg.Pool);
  if (connection === undefined) throw new Error('a transaction has no connection for long statements');
  const pool = createMaintenancePool(connection, () => {});
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const client = await connectIn(pool);
  try {
    // Behind a pooler, the session belongs to others too, and keeps what its own settings say.
    const isDirect = sessionOf(client).isDirect;
    const run = async () => {
      if (isDirect) await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
      await client.query(text);
    };
    await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    closeAtOnce(client);
    client.release(true);
    void pool.end();
  }
}

/** The session of a connection of one of our pools. */
function sessionOf(client: pg.ClientBase): Session {
  const session = sessions.get(client);
  if (session === undefined) throw new Error('the connection belongs to another pool');
  return session;
}

/** Begins a transaction on a connection of one of our pools, which has its settings then also behind a pooler. */
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
const closeAtOnce = (client: pg.ClientBase): void => void socketOf(client).destroy();

/** SQLSTATE of a write that is refused by a standby, or by a session that began while the database was read-only. */
const READ_ONLY = '25006';
/** SQLSTATE classes of a COMMIT that fails by what the transaction has written, or by a concurrent one. */
const OWN_COMMIT_ERRORS = /^(23|40)/;

/**
 * Whether a COMMIT has failed by anything else, such as a server of Citus that ends meanwhile: Citus reports that under
 * many messages and codes, also as its own fault (XX000). The same request may succeed later.
 */
const hasFailedToCommit = (text: string, error: unknown): boolean =>
  /^commit$/i.test(text) && error instanceof pg.DatabaseError && !OWN_COMMIT_ERRORS.test(error.code ?? '');

/** The watches over the connections of `pool`: one for each host to which they lead. */
function watchesOver(pool: pg.Pool) {
  const watches = new Map<string | undefined, ConnectionWatch>();
  return {
    of(client: pg.PoolClient): ConnectionWatch {
      const address = addressOfClient(client);
      const watch = watches.get(address) ?? watchConnections(pool, address);
      watches.set(address, watch);
      return watch;
    },
    stop() {
      for (const watch of watches.values()) watch.stop();
    },
  };
}

/** A pooler may give each statement another session, and Citus sends several messages for one. */
const canSendTogether = ({ isDirect, isDistributed }: Session): boolean => isDirect && !isDistributed;

type NamingClient = PostgresPoolClient & { readAll: ReadTogether };

/** Settles reads one after the other, on a connection that takes no two at a time. */
async function inTurn<T>(reads: Read[], run: (read: Read) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  const results: PromiseSettledResult<T>[] = [];
  for (const read of reads) results.push(...(await Promise.allSettled([run(read)])));
  return results;
}

/**
 * A connection that sends prepared statements under their names; Kysely does not support names. It is replaced when it
 * turns out to be read-only: after a failover, a new connection leads to the primary, while the old one may stay at the
 * standby for ever. So is one whose tables Citus has distributed meanwhile: its request may be repeated.
 */
function namingClient(client: pg.PoolClient, watch: ConnectionWatch): NamingClient {
  const session = sessionOf(client);
  const sendOver = withLateBegin(session);
  let isToReplace = false;
  const send = async (text: string, values: unknown[]): Promise<unknown> => {
    watch.begin(client);
    try {
      return await sendOver(text, values);
    } catch (error) {
      if (session.mayHang(error)) {
        isToReplace = true;
        closeAtOnce(client);
      }
      throw error;
    } finally {
      watch.end(client);
    }
  };
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    try {
      return await sendWithinBounds(client, () => send(text, values));
    } catch (error) {
      const isOutdated = session.isOutdated(error);
      isToReplace ||= isOutdated || codeOf(error) === READ_ONLY;
      throw isOutdated || hasFailedToCommit(text, error) ? serviceUnavailable(error) : error;
    }
  };
  const read = async ({ text, values }: Read) => ((await query(text, values)) as pg.QueryResult).rows;
  const readAll = (reads: Read[]) =>
    canSendTogether(session) ? sendTogether(client, () => reads.map(read)) : inTurn(reads, read);
  const run = async (text: string, values: unknown[]): Promise<unknown> =>
    text === TOGETHER ? { rows: await readAll(values as Read[]) } : await query(text, values);
  return {
    query: run as PostgresPoolClient['query'], // without cursors, which this code never uses
    release: (error) => client.release(error || isToReplace),
    readAll,
  };
}

/** The connections of `pool`, which send prepared statements under their names. */
function namingStatements(pool: pg.Pool): PostgresPool & { readTogether: ReadTogether } {
  const clients = new WeakMap<pg.PoolClient, NamingClient>();
  const watches = watchesOver(pool);
  const connect = async () => {
    const client = await connectIn(pool);
    const known = clients.get(client) ?? namingClient(client, watches.of(client));
    clients.set(client, known);
    return known;
  };
  return {
    options: pool.options,
    connect,
    readTogether: async (reads) => {
      const client = await connect();
      try {
        return await client.readAll(reads);
      } finally {
        client.release();
      }
    },
    end: async () => {
      watches.stop();
      await pool.end();
    },
  };
}

/** Kysely over one connection, within the transaction that the connection has begun. */
export const createDatabaseOver = (client: pg.PoolClient): Database => {
  const shared = { query: client.query.bind(client) as PostgresPoolClient['query'], release() {} }; // without cursors
  const pool = { options: {}, connect: async () => shared, end: async () => {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
};

/** Kysely over `pool`; destroying it ends the pool. */
export function createDatabase(pool: pg.Pool): Database {
  const named = namingStatements(pool);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: named }) });
  pools.set(database, pool);
  const read = shareRoundTrips(named.readTogether);
  setSharedReads(database, () => {
    const session = lastSessions.get(pool);
    return session && canSendTogether(session) ? read : undefined;
  });
  setTakesAlong(database, () => lastSessions.get(pool)?.isDirect ?? false);
  return database;
}

/** The session that the pool of `database` has opened last; undefined also for transactions and single connections. */
export function lastSessionOf(database: object): Session | undefined {
  const pool = pools.get(database);
  return pool && lastSessions.get(pool);
}
