/** The connection pool to PostgreSQL, and Kysely over it. */
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { sendWithinBounds } from './bounded-statements.ts';
import { watchConnections } from './dead-connections.ts';
import { preparedName } from './prepared.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
/** The database or a transaction on it. */
export type Queryable = Database | Transaction<Tables>;
/** What `pg` needs to connect: an address, or the embedded PostgreSQL's socket. */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** Longest that one statement may run: far above any request's, below an operator's patience. */
const STATEMENT_TIMEOUT_MS = 60_000;
/**
 * How long a request waits for a free connection before it becomes a 503. A connection that was begun while the link was
 * down holds its place in the pool as long; five seconds behind that everything is to be as before.
 */
const CONNECT_TIMEOUT_MS = 3_000;
/** A connection on which nothing is said is asked for its other end then (tcp(7)), and after ten more seconds given up. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Both ends of a link find out by themselves that it is lost, the server's too: its locks must not outlive it. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS };
/** A transaction that its client has left open must not hold locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** As PostgreSQL writes it in UTC; the general parser takes a third of the time of a list of ten rows. */
const parseTimestamp = (text: string): Date =>
  text.endsWith('+00')
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : pg.types.getTypeParser(TIMESTAMPTZ)(text);

/** bigint comes as a number: every bigint here is a count or a size below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8 && format !== 'binary') return Number;
    if (oid === TIMESTAMPTZ && format !== 'binary') return parseTimestamp;
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * Statements are planned for any values, so that prepared ones keep their plan (a condition that has to imply a
 * partial index's must be written out); every access has an index to go by, also before PostgreSQL has noticed that a
 * table has grown. Compiling a plan to machine code pays for long analytical queries only.
 */
const PLANNING = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off';

/** The connection with our way of planning; what an address says of its own comes behind it, and so counts more. */
function planning(connection: Connection): pg.PoolConfig {
  if (!('connectionString' in connection) || !URL.canParse(connection.connectionString))
    return { ...connection, options: PLANNING };
  const url = new URL(connection.connectionString);
  url.searchParams.set('options', `${PLANNING} ${url.searchParams.get('options') ?? ''}`.trim());
  return { connectionString: url.href };
}

type PoolSettings = { size: number; statementTimeoutMs: number; onError: (error: Error) => void };

function openPool(connection: pg.PoolConfig, { size, statementTimeoutMs, onError }: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    ...KEEP_ALIVE,
    max: size,
    types,
    application_name: 'knowledge-retrieval',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  });
  pool.on('error', onError);
  // The pool listens to idle connections only: of one that breaks between two statements of a transaction nobody would
  // hear, which ends the process (Node, EventEmitter). The transaction itself learns it from its next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * A pool of at most `size` connections.
 * @param onError told of idle connections that break; the pool replaces them by itself.
 */
export const createPool = (connection: Connection, size: number, onError: PoolSettings['onError']): pg.Pool =>
  openPool(planning(connection), { size, onError, statementTimeoutMs: STATEMENT_TIMEOUT_MS });

/** One statement works, another connection may be needed beside it. */
const MAINTENANCE_CONNECTIONS = 2;

/**
 * A pool for what somebody sits beside and can end: a migration, a recount of a large knowledge base, and the wait for
 * another server's migration take the time that they take.
 */
export const createMaintenancePool = (connection: Connection, onError: PoolSettings['onError']): pg.Pool =>
  openPool(connection, { size: MAINTENANCE_CONNECTIONS, onError, statementTimeoutMs: 0 });

/** The connections of `pool`, which send prepared statements by their names: Kysely itself knows none. */
function namingStatements(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const links = watchConnections(pool);
  const clientOver = (client: pg.PoolClient): PostgresPoolClient => {
    const query = (text: string, values: unknown[]): Promise<unknown> =>
      sendWithinBounds(client, () => client.query({ name: preparedName(text), text, values }));
    return {
      query: query as PostgresPoolClient['query'], // without cursors, which nothing here asks for
      release: (error) => {
        links.end(client);
        client.release(error);
      },
    };
  };
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client) ?? clientOver(client);
      clients.set(client, known);
      links.begin(client);
      return known;
    },
    end: async () => {
      links.stop();
      await pool.end();
    },
  };
}

/** Kysely over one connection, inside of whatever transaction it has begun. */
export const createDatabaseOver = (client: pg.PoolClient): Database => {
  const shared = { query: client.query.bind(client) as PostgresPoolClient['query'], release() {} }; // without cursors
  const pool = { options: {}, connect: async () => shared, end: async () => {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
};

/** Kysely over `pool`; destroying it ends the pool. */
export const createDatabase = (pool: pg.Pool): Database =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool: namingStatements(pool) }) });
