/**
 * Finds connections to the database whose link has died without a word, and closes them: statements would wait on them
 * until the kernel gives up, a quarter of an hour later (tcp(7), tcp_retries2), and for ever behind a proxy that still
 * answers for a server that it has lost. Why no time limit for statements instead: a long one, or one that waits for a
 * lock, looks from here like a lost one. Whether it still runs is asked over a connection of its own.
 */
import type { Socket } from 'node:net';
import { setImmediate as poll } from 'node:timers/promises';
import pg from 'pg';
import { repeat } from '../concurrency/repeat.ts';

/** A statement is asked after once nothing has been heard of it for this long; hardly any takes longer. */
const SILENCE_MS = 1_500;
/** Its own bytes may need this much time on their way: a link of 1 Mbit/s is a slow one, not a lost one. */
const LINK_BYTES_PER_MS = 125;
/** How often is looked. */
const LOOK_INTERVAL_MS = 500;
/**
 * How often while lost links are being found: what waits for a lock of one can be told only when that has been ended,
 * and is the next to hold it. An answer is not under way for longer behind the news that its statement has ended, which
 * has come the same way.
 */
const HURRIED_INTERVAL_MS = 100;
/** Who cannot connect within this time has no link. */
const PATIENCE_MS = 2_000;

/** The driver's socket, the process at its other end, and whether no statement is under way; its types leave them out. */
const linkOf = (client: pg.ClientBase) =>
  client as unknown as { connection: { stream: Socket }; processID: number; readyForQuery: boolean };

/** Who has statements watched over. */
export type ConnectionWatch = {
  /** From now on `client` is used for plain statements only: a COPY waits for its rows as what is lost waits for its end. */
  begin(client: pg.PoolClient): void;
  end(client: pg.PoolClient): void;
  stop(): void;
};

/** A connection as of the last look; nothing is noted when a statement is sent, of which there are thousands a second. */
type Watched = {
  client: pg.ClientBase;
  stream: Socket;
  pid: number;
  /** When bytes of the database's had come, or none were due. */
  heardAtMs: number;
  bytesRead: number;
  /** At the last look, and at the last one before `heardAtMs`. */
  bytesWritten: number;
  bytesWrittenBefore: number;
  isThoughtLost: boolean;
  /** Between `begin` and `end`. */
  isBegun: boolean;
};

/**
 * At the server: its statement has ended, or waits for bytes of ours or for us to take its own, which is in vain. What
 * works waits for nothing: its wait_event is NULL.
 */
const IS_IDLE = "(state <> 'active' OR coalesce(wait_event, '') IN ('ClientRead', 'ClientWrite'))";

/** $1: processes of statements; $2: processes to end; $3: our own process, which is another one behind a pooler. */
const ASK = `
  SELECT pg_backend_pid() = $3 AS "isDirect",
    array(SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1) AND NOT ${IS_IDLE}) AS running,
    array(
      SELECT pid FROM pg_stat_activity
      WHERE pid = ANY ($2) AND CASE WHEN ${IS_IDLE} AND pg_backend_pid() = $3 THEN NOT pg_terminate_backend(pid) ELSE true END
    ) AS left`;

/** Processes of the database by their ids. */
type Asked = { doubtful: number[]; orphans: number[] };
type Told = { isDirect: boolean; running: number[]; left: number[] };

/**
 * Asks the database for those processes, and ends the orphans that do nothing.
 * @returns undefined where it cannot be reached. @throws what it says, which tells that the link is alive
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
 * Asks as `ask`. None is idle where nothing can be known: behind a pooler, whose numbers are not PostgreSQL's, and where
 * it takes no further connection.
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

/** Notes what has been heard since the last look. */
function listen(watched: Watched, nowMs: number): void {
  const { bytesRead, bytesWritten } = watched.stream;
  const isDue = watched.isBegun && !linkOf(watched.client).readyForQuery;
  if (!isDue || bytesRead !== watched.bytesRead) {
    const bytesWrittenBefore = watched.bytesWritten;
    Object.assign(watched, { heardAtMs: nowMs, bytesRead, bytesWrittenBefore, isThoughtLost: false });
  }
  watched.bytesWritten = bytesWritten;
}

/** For how long nothing has been heard of a statement, without the time that its own bytes may have needed on their way. */
const silenceMs = ({ heardAtMs, bytesWritten, bytesWrittenBefore }: Watched, nowMs: number): number =>
  nowMs - heardAtMs - (bytesWritten - bytesWrittenBefore) / LINK_BYTES_PER_MS;

/** When the pool's connections that nobody uses were given back; closes those that have been idle since before a time. */
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
 * Watches over those connections of `pool` that it is told of, and connects as they do where it has to ask: a statement
 * whose link is lost ends with the driver's error in a few seconds.
 */
export function watchConnections(pool: pg.Pool): ConnectionWatch {
  const links = new Map<pg.PoolClient, Watched>();
  pool.on('remove', (client) => void links.delete(client));
  // Processes behind links that are closed here: a lost link does not tell them, and they may hold locks.
  let orphans: number[] = [];
  // The pool hides its password from whoever copies its options.
  const options: pg.ClientConfig = { ...pool.options, password: pool.options.password };
  const closeIdle = watchIdle(pool);

  const giveUp = ({ stream, pid, heardAtMs }: Watched) => {
    stream.destroy();
    orphans.push(pid);
    // What was idle meanwhile is as likely lost, and the next request would have to find that out anew.
    closeIdle(heardAtMs + LOOK_INTERVAL_MS);
  };
  const stop = repeat(async () => {
    // What has come while this process was busy counts as heard.
    await poll();
    const nowMs = performance.now();
    for (const watched of links.values()) listen(watched, nowMs);
    for (const watched of links.values()) if (watched.isThoughtLost) giveUp(watched);
    const silentFor = (ms: number) => [...links.values()].filter((watched) => silenceMs(watched, nowMs) > ms);
    const isDoubtful = silentFor(SILENCE_MS).length > 0;
    if (!isDoubtful && orphans.length === 0) return LOOK_INTERVAL_MS;
    // Where one link may be lost, others may be that have been silent for less.
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
