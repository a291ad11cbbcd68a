/** Kysely over a pool of connections to PostgreSQL. */
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
import { addressOfClient, connectIn } from './hosts.ts';
import { sendTogether } from './pg-insides.ts';
import { closeAtOnce, connectionOf, createMaintenancePool, lastSessionIn, sessionOf } from './pool.ts';
import { setDirectSend, TOGETHER } from './prepared.ts';
import { type Session, withLateBegin } from './session-settings.ts';

export type Database = Kysely<Tables>;
/** The database or a transaction on it. */
export type Queryable = Database | Transaction<Tables>;
/** The pools of the databases that are neither transactions nor single connections. */
const pools = new WeakMap<object, pg.Pool>();

/**
 * Runs a statement that may take long and has to be alone: outside of a transaction, on a connection of its own,
 * without time-outs of ours. It names the schema of its tables, which a pooler's session does not have on its search
 * path. When the signal aborts, it goes on in the database, and nobody waits for it.
 * @throws the error of the statement; the reason of the signal
 */
export async function runForLong(database: Database, text: string, signal: AbortSignal): Promise<void> {
  const connection = connectionOf(pools.get(database) as pg.Pool);
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

/** Run statements, each for its rows. */
type NamedStatements = { read(statement: Read): Promise<unknown[]>; readTogether: ReadTogether };

type NamingClient = PostgresPoolClient & { read: NamedStatements['read']; readAll: ReadTogether };

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
    read,
    readAll,
  };
}

/** The connections of `pool`, which send prepared statements under their names. */
function namingStatements(pool: pg.Pool): PostgresPool & NamedStatements {
  const clients = new WeakMap<pg.PoolClient, NamingClient>();
  const watches = watchesOver(pool);
  const connect = async () => {
    const client = await connectIn(pool);
    const known = clients.get(client) ?? namingClient(client, watches.of(client));
    clients.set(client, known);
    return known;
  };
  const over = async <T>(act: (client: NamingClient) => Promise<T>): Promise<T> => {
    const client = await connect();
    try {
      return await act(client);
    } finally {
      client.release();
    }
  };
  return {
    options: pool.options,
    connect,
    read: (statement) => over((client) => client.read(statement)),
    readTogether: (reads) => over((client) => client.readAll(reads)),
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
    const session = lastSessionIn(pool);
    return session && canSendTogether(session) ? read : undefined;
  });
  setDirectSend(database, (text, values) => named.read({ text, values }));
  setTakesAlong(database, () => lastSessionIn(pool)?.isDirect ?? false);
  return database;
}

/** The session that the pool of `database` has opened last; undefined also for transactions and single connections. */
export function lastSessionOf(database: object): Session | undefined {
  const pool = pools.get(database);
  return pool && lastSessionIn(pool);
}
