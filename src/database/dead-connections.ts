/**
 * Finds dead connections to the database, whose network path failed silently, and closes them. Without this,
 * statements would wait until the kernel gives up a quarter of an hour later (tcp(7), tcp_retries2). Behind a proxy
 * that still answers for a lost server they would wait for ever. A separate connection asks the server whether the
 * statement still runs.
 *
 * Why not
 * - `query_timeout` of the driver, or any time limit: a long statement, or one that waits for a lock, looks the same
 *   from here. A limit that spares those (a minute) fills the pool meanwhile; one of seconds breaks them, and leaves
 *   the lost server process with its locks.
 * - TCP keep-alive alone: it probes idle connections only, and a proxy answers it.
 * - `tcp_user_timeout`: Node's sockets do not offer it, and a proxy acknowledges the bytes.
 */
import type { Socket } from 'node:net';
import { setImmediate as poll } from 'node:timers/promises';
import pg from 'pg';
import { repeat } from '../concurrency/repeat.ts';

/** Silence after which the server is asked about a statement; hardly any statement takes longer. */
const SILENCE_MS = 1_500;
/** The rate that a statement's own bytes are allowed: a network of 1 Mbit/s is slow, not dead. */
const LINK_BYTES_PER_MS = 125;
/** Interval between two checks. */
const LOOK_INTERVAL_MS = 500;
/**
 * Interval between two checks while dead connections are being found. A statement may wait for a lock of a dead one;
 * whether it is dead too shows only after the first has been ended, and it then holds that lock itself. The answer of
 * a statement travels no longer than this after the news of its end, which took the same path.
 */
const HURRIED_INTERVAL_MS = 100;
/** If no connection can be made within this time, the server is out of reach. */
const PATIENCE_MS = 2_000;

/**
 * The driver's socket, the id of the server process, and whether no statement is running; the driver's types omit
 * them.
 */
const linkOf = (client: pg.ClientBase) =>
  client as unknown as { connection: { stream: Socket }; processID: number; readyForQuery: boolean };

/** Starts and stops the watch over single connections. */
export type ConnectionWatch = {
  /**
   * From now on `client` runs plain statements only. A COPY waits for its rows, and so looks like a dead connection.
   */
  begin(client: pg.PoolClient): void;
  end(client: pg.PoolClient): void;
  stop(): void;
};

/** A connection as of the last check. Nothing is noted per statement, since there are thousands a second. */
type Watched = {
  client: pg.ClientBase;
  stream: Socket;
  pid: number;
  /** When bytes last came from the database, or no answer was due. */
  heardAtMs: number;
  bytesRead: number;
  /** Totals at the last check, and at the last one before `heardAtMs`. */
  bytesWritten: number;
  bytesWrittenBefore: number;
  isThoughtLost: boolean;
  /** True between `begin` and `end`. */
  isBegun: boolean;
};

/**
 * Server-side condition: the statement has ended, or waits in vain to read from us or to write to us. A working
 * statement waits for nothing: its wait_event is NULL.
 */
const IS_IDLE = "(state <> 'active' OR coalesce(wait_event, '') IN ('ClientRead', 'ClientWrite'))";

/** $1: processes with statements; $2: processes to end; $3: our own process id, which differs behind a pooler. */
const ASK = `
  SELECT pg_backend_pid() = $3 AS "isDirect",
    array(SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1) AND NOT ${IS_IDLE}) AS running,
    array(
      SELECT pid FROM pg_stat_activity
      WHERE pid = ANY ($2) AND CASE WHEN ${IS_IDLE} AND pg_backend_pid() = $3 THEN NOT pg_terminate_backend(pid) ELSE true END
    ) AS left`;

/** Database processes by their ids. */
type Asked = { doubtful: number[]; orphans: number[] };
type Told = { isDirect: boolean; running: number[]; left: number[] };

/**
 * Asks the database about these processes, and ends the orphans that are idle.
 * @returns undefined when the database cannot be reached. @throws the database's error, which proves the network alive
 */
async function ask(options: pg.ClientConfig, { doubtful, orphans }: Asked): Promise<Told | undefined> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Told>(ASK, [doubtful, orphans, linkOf(client).processID]);
    return rows[0];
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw error;
    return undefined;
  } finally {
    client.end().catch(() => {});
  }
}

/**
 * As `ask`. Reports no process as idle where nothing can be known: behind a pooler, whose process ids are not
 * PostgreSQL's, and where the database accepts no further connection.
 */
async function findIdle(options: pg.ClientConfig, asked: Asked): Promise<{ idle: number[]; left: number[] }> {
  try {
    const told = await ask(options, asked);
    if (told === undefined) return { idle: asked.doubtful, left: asked.orphans };
    if (!told.isDirect) return { idle: [], left: [] };
    return { idle: asked.doubtful.filter((pid) => !told.running.includes(pid)), left: told.left };
  } catch {
    return { idle: [], left: asked.orphans };
  }
}

function toWatched(client: pg.ClientBase): Watched {
  const { connection, processID: pid } = linkOf(client);
  const { stream } = connection;
  const { bytesRead, bytesWritten } = stream;
  const heardAtMs = performance.now();
  return {
    client,
    stream,
    pid,
    heardAtMs,
    bytesRead,
    bytesWritten,
    bytesWrittenBefore: 0,
    isThoughtLost: false,
    isBegun: false,
  };
}

/** Records whether bytes have arrived since the last check. */
function listen(watched: Watched, nowMs: number): void {
  const { bytesRead, bytesWritten } = watched.stream;
  const isDue = watched.isBegun && !linkOf(watched.client).readyForQuery;
  if (!isDue || bytesRead !== watched.bytesRead) {
    const bytesWrittenBefore = watched.bytesWritten;
    Object.assign(watched, { heardAtMs: nowMs, bytesRead, bytesWrittenBefore, isThoughtLost: false });
  }
  watched.bytesWritten = bytesWritten;
}

/** How long a statement has been silent, minus the time that its own bytes may have needed on the network. */
const silenceMs = ({ heardAtMs, bytesWritten, bytesWrittenBefore }: Watched, nowMs: number): number =>
  nowMs - heardAtMs - (bytesWritten - bytesWrittenBefore) / LINK_BYTES_PER_MS;

/**
 * Records when each idle connection was returned to the pool. The returned function closes those idle since before a
 * given time.
 */
function watchIdle(pool: pg.Pool): (sinceBeforeMs: number) => void {
  const idle = new Map<pg.PoolClient, number>();
  pool.on('release', (_error, client) => idle.set(client, performance.now()));
  pool.on('acquire', (client) => void idle.delete(client));
  pool.on('remove', (client) => void idle.delete(client));
  return (sinceBeforeMs) => {
    for (const [client, sinceMs] of idle) {
      if (sinceMs < sinceBeforeMs) linkOf(client).connection.stream.destroy();
    }
  };
}

/**
 * Watches the connections of `pool` that are passed to `begin`, and asks over a new connection with the same settings.
 * A statement on a dead connection ends with the driver's error within a few seconds.
 */
export function watchConnections(pool: pg.Pool): ConnectionWatch {
  const links = new Map<pg.PoolClient, Watched>();
  pool.on('remove', (client) => void links.delete(client));
  // Server processes of connections closed here. They do not notice the close, and may hold locks.
  let orphans: number[] = [];
  // `pg` makes the password non-enumerable, so that a spread does not copy it.
  const options: pg.ClientConfig = { ...pool.options, password: pool.options.password };
  const closeIdle = watchIdle(pool);

  const giveUp = ({ stream, pid, heardAtMs }: Watched) => {
    stream.destroy();
    orphans.push(pid);
    // Connections idle meanwhile are probably dead too, and the next request would have to find that out again.
    closeIdle(heardAtMs + LOOK_INTERVAL_MS);
  };
  const stop = repeat(async () => {
    // Bytes that arrived while this process was busy count as heard.
    await poll();
    const nowMs = performance.now();
    for (const watched of links.values()) listen(watched, nowMs);
    for (const watched of links.values()) if (watched.isThoughtLost) giveUp(watched);
    const silentFor = (ms: number) => [...links.values()].filter((watched) => silenceMs(watched, nowMs) > ms);
    const isDoubtful = silentFor(SILENCE_MS).length > 0;
    if (!isDoubtful && orphans.length === 0) return LOOK_INTERVAL_MS;
    // Where one connection may be dead, others may be dead that have been silent for less time.
    const doubtful = isDoubtful ? silentFor(LOOK_INTERVAL_MS) : [];
    const { idle, left } = await findIdle(options, { doubtful: doubtful.map(({ pid }) => pid), orphans });
    for (const watched of doubtful) watched.isThoughtLost = idle.includes(watched.pid);
    const isFinding = idle.length > 0 || left.length < orphans.length;
    orphans = left;
    return isFinding ? HURRIED_INTERVAL_MS : LOOK_INTERVAL_MS;
  });
  return {
    begin(client) {
      const watched = links.get(client) ?? toWatched(client);
      watched.isBegun = true;
      links.set(client, watched);
    },
    end(client) {
      const watched = links.get(client);
      if (watched) watched.isBegun = false;
    },
    stop: () => void stop(),
  };
}
