/**
 * Finds dead connections to the database, whose network path failed silently, and closes them. Without this,
 * statements would wait until the kernel gives up a quarter of an hour later (tcp(7), tcp_retries2). Behind a proxy
 * that still answers for a lost server they would wait for ever. When a statement is silent, a probe asks the server
 * over a new connection whether the statement still runs.
 *
 * Why not
 * - `query_timeout` of the driver, or any time limit: a long statement, or one that waits for a lock, looks the same
 *   from here. With a limit of a minute, dead connections fill the pool meanwhile. A limit of seconds also ends living
 *   statements, and the server process of the dead connection keeps its locks.
 * - TCP keep-alive alone: it probes idle connections only, and a proxy answers it.
 * - `tcp_user_timeout`: Node's sockets do not offer it, and a proxy acknowledges the bytes.
 */
import type { Socket } from 'node:net';
import { setImmediate as poll } from 'node:timers/promises';
import pg from 'pg';
import { repeat } from '../../concurrency/repeat.ts';
import { HAS_CITUS } from '../schema/citus-insides.ts';
import { processIdOf, socketOf } from './pg-insides.ts';

/** Silence after which the server is probed; hardly any statement takes longer. */
const SILENCE_MS = 1_500;
/** The least rate at which a statement's own bytes may travel: a network of 1 Mbit/s is slow, not dead. */
const NETWORK_BYTES_PER_MS = 125;
/** Interval between two checks. */
const CHECK_INTERVAL_MS = 500;
/**
 * Interval between two checks while dead connections are found. A statement on a second dead connection may wait for a
 * lock of the first. It runs until the first one is closed; only then a probe can find it, and meanwhile it holds the
 * lock. The interval is still long enough for an answer to arrive: it took the same path as the result of the probe.
 */
const SHORT_CHECK_INTERVAL_MS = 100;
/** The server is unreachable when a probe cannot connect, or gets no answer, within this time. */
const PROBE_TIMEOUT_MS = 2_000;

/** Starts and stops the watch over single connections. */
export type ConnectionWatch = {
  /**
   * `client` sends a plain statement, until `end`. A COPY is none: it waits for its rows, and so looks like a dead
   * connection.
   */
  begin(client: pg.PoolClient): void;
  end(client: pg.PoolClient): void;
  stop(): void;
};

/** A connection as of the last check. A statement is only counted, since there are thousands a second. */
type WatchedConnection = {
  stream: Socket;
  pid: number;
  /** When bytes last came from the database, or no answer was due. */
  activeAtMs: number;
  bytesRead: number;
  /** Totals at the last check, and at the last one before `activeAtMs`. */
  bytesWritten: number;
  bytesWrittenBefore: number;
  /** The last probe found no running statement: dead, unless its answer arrives before the next check. */
  isSuspected: boolean;
  /** The statements that have no result yet: begun, and not ended. */
  statements: number;
};

/**
 * Server-side condition: the statement has ended, or waits to read from us or to write to us. A working statement waits
 * for nothing: its wait_event is NULL. Citus also waits for its workers by ClientRead, so there that says nothing.
 */
const IS_IDLE = `(state <> 'active' OR coalesce(wait_event, '') = 'ClientWrite'
  OR coalesce(wait_event, '') = 'ClientRead' AND NOT (${HAS_CITUS}))`;

/** $1: processes with statements; $2: processes to end; $3: our own process id, as the driver knows it. */
const PROBE = `
  SELECT pg_backend_pid() = $3 AS "isDirect",
    array(SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1) AND NOT ${IS_IDLE}) AS running,
    array(
      SELECT pid FROM pg_stat_activity
      WHERE pid = ANY ($2)
        AND CASE WHEN ${IS_IDLE} AND pg_backend_pid() = $3 THEN NOT pg_terminate_backend(pid) ELSE true END
    ) AS left`;

/** Ids of server processes: of silent connections, and of connections that were closed here. */
type ProbedProcesses = { suspects: number[]; orphans: number[] };
/** `isDirect`: there is no pooler in between. `running`: the suspects that work. `left`: the orphans that remain. */
type ProbeResult = { isDirect: boolean; running: number[]; left: number[] };

/**
 * Asks the database about these processes, and ends the orphans that are idle.
 * @returns undefined when the database cannot be reached
 * @throws the database's error, which proves that the network works
 */
async function probe(
  options: pg.ClientConfig,
  { suspects, orphans }: ProbedProcesses,
): Promise<ProbeResult | undefined> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<ProbeResult>(PROBE, [suspects, orphans, processIdOf(client)]);
    return rows[0];
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw error;
    return undefined;
  } finally {
    client.end().catch(() => {});
  }
}

/**
 * Probes these processes, and returns the idle suspects and the orphans that remain. All suspects are idle when the
 * database cannot be reached. No process is idle where nothing can be known: behind a pooler, whose process ids are not
 * PostgreSQL's, and where the database accepts no further connection.
 */
async function findIdle(
  options: pg.ClientConfig,
  processes: ProbedProcesses,
): Promise<{ idle: number[]; left: number[] }> {
  try {
    const result = await probe(options, processes);
    if (result === undefined) return { idle: processes.suspects, left: processes.orphans };
    if (!result.isDirect) return { idle: [], left: [] };
    return { idle: processes.suspects.filter((pid) => !result.running.includes(pid)), left: result.left };
  } catch {
    return { idle: [], left: processes.orphans };
  }
}

function toWatchedConnection(client: pg.ClientBase): WatchedConnection {
  const stream = socketOf(client);
  const { bytesRead, bytesWritten } = stream;
  const activeAtMs = performance.now();
  return {
    stream,
    pid: processIdOf(client),
    activeAtMs,
    bytesRead,
    bytesWritten,
    bytesWrittenBefore: 0,
    isSuspected: false,
    statements: 0,
  };
}

/** Records whether bytes have arrived since the last check. */
function recordActivity(watched: WatchedConnection, nowMs: number): void {
  const { bytesRead, bytesWritten } = watched.stream;
  if (watched.statements === 0 || bytesRead !== watched.bytesRead) {
    const bytesWrittenBefore = watched.bytesWritten;
    Object.assign(watched, { activeAtMs: nowMs, bytesRead, bytesWrittenBefore, isSuspected: false });
  }
  watched.bytesWritten = bytesWritten;
}

/** The silence of a statement, minus the time that its own bytes may have taken on the network. */
const silenceMs = (
  { activeAtMs, bytesWritten, bytesWrittenBefore }: WatchedConnection,
  nowMs: number,
): number => nowMs - activeAtMs - (bytesWritten - bytesWrittenBefore) / NETWORK_BYTES_PER_MS;

/**
 * Records when each idle connection was returned to the pool. The returned function closes the connections that are
 * idle since before a given time.
 */
function watchIdle(pool: pg.Pool): (sinceBeforeMs: number) => void {
  const idle = new Map<pg.PoolClient, number>();
  pool.on('release', (_error, client) => idle.set(client, performance.now()));
  pool.on('acquire', (client) => void idle.delete(client));
  pool.on('remove', (client) => void idle.delete(client));
  return (sinceBeforeMs) => {
    for (const [client, sinceMs] of idle) {
      if (sinceMs < sinceBeforeMs) socketOf(client).destroy();
    }
  };
}

/** How a connection of `pool` is opened. `pg` makes the password non-enumerable, so that a spread does not copy it. */
const optionsOf = ({ options }: pg.Pool, address: string | undefined): pg.ClientConfig => ({
  ...options,
  password: options.password,
  ...(address !== undefined && { connectionString: address }),
});

/** Counts the statements that run on each connection, and adds to `connections` those that had none yet. */
const countStatements = (
  connections: Map<pg.PoolClient, WatchedConnection>,
): Pick<ConnectionWatch, 'begin' | 'end'> => ({
  begin(client) {
    const watched = connections.get(client) ?? toWatchedConnection(client);
    watched.statements++;
    connections.set(client, watched);
  },
  end(client) {
    const watched = connections.get(client);
    if (watched) watched.statements--;
  },
});

/**
 * Watches the connections of `pool` that are passed to `begin`. A statement on a dead connection ends with the driver's
 * error within a few seconds.
 * @param address where they lead, if the pool has several hosts
 */
export function watchConnections(pool: pg.Pool, address?: string): ConnectionWatch {
  const connections = new Map<pg.PoolClient, WatchedConnection>();
  pool.on('remove', (client) => void connections.delete(client));
  // Server processes of connections closed here. They do not notice the close, and may hold locks.
  let orphans: number[] = [];
  const options = optionsOf(pool, address);
  const closeIdle = watchIdle(pool);

  const close = ({ stream, pid, activeAtMs }: WatchedConnection) => {
    stream.destroy();
    orphans.push(pid);
    // Connections that were idle all that time are probably dead too. The next request would have to find that out.
    closeIdle(activeAtMs + CHECK_INTERVAL_MS);
  };
  const stop = repeat(async () => {
    // Bytes may have arrived while this process was busy.
    await poll();
    const nowMs = performance.now();
    for (const watched of connections.values()) recordActivity(watched, nowMs);
    for (const watched of connections.values()) if (watched.isSuspected) close(watched);
    const silentFor = (ms: number) =>
      [...connections.values()].filter((watched) => silenceMs(watched, nowMs) > ms);
    const isSuspicious = silentFor(SILENCE_MS).length > 0;
    if (!isSuspicious && orphans.length === 0) return CHECK_INTERVAL_MS;
    // If one connection may be dead, so may others that have been silent for less time.
    const suspects = isSuspicious ? silentFor(CHECK_INTERVAL_MS) : [];
    const { idle, left } = await findIdle(options, { suspects: suspects.map(({ pid }) => pid), orphans });
    for (const watched of suspects) watched.isSuspected = idle.includes(watched.pid);
    const isFinding = idle.length > 0 || left.length < orphans.length;
    orphans = left;
    return isFinding ? SHORT_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS;
  });
  return {
    ...countStatements(connections),
    stop: () => void stop(),
  };
}
