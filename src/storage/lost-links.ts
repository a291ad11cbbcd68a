/**
 * Finds connections to the database whose link has died without a word, and closes them: statements would wait on them
 * until the kernel gives up, a quarter of an hour later (tcp(7), tcp_retries2), and for ever behind a proxy that still
 * answers for a server that it has lost. Why no time limit for statements instead: a long one, or one that waits for a
 * lock, looks from here like a lost one. Whether it still runs is asked over a connection of its own.
 */
import type { Socket } from 'node:net';
import pg from 'pg';

/** A statement is asked after once nothing has been heard of it for this long; hardly any takes longer. */
const SILENCE_MS = 1_500;
/** Its own bytes may need this much time on their way: a link of 1 Mbit/s is a slow one, not a lost one. */
const LINK_BYTES_PER_MS = 125;
/** How often is looked; and how long an answer may be under way behind the news that its statement has ended. */
const LOOK_INTERVAL_MS = 500;
/** Who cannot connect within this time has no link. */
const PATIENCE_MS = 2_000;

/** What knows of statements under way. */
export type LinkWatch = {
  /** Runs `send`, a statement on `client`; where the link is lost, the driver's error comes in a few seconds. */
  over<T>(client: pg.PoolClient, send: () => Promise<T>): Promise<T>;
  stop(): void;
};

/** A statement that was sent and not answered yet. */
type Sent = {
  stream: Socket;
  pid: number;
  heardAtMs: number;
  bytesRead: number;
  bytesWritten: number;
  isThoughtLost: boolean;
};

/** The driver's socket and the process at its other end; its types leave both out. */
const linkOf = (client: pg.ClientBase) =>
  client as unknown as { connection: { stream: Socket }; processID: number };

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

/** Notes what has been heard since the last look. */
function listen(sent: Sent, nowMs: number): void {
  const { bytesRead } = sent.stream;
  if (bytesRead === sent.bytesRead) return;
  Object.assign(sent, { bytesRead, heardAtMs: nowMs, isThoughtLost: false });
}

/** For how long nothing has been heard of it, without the time that its own bytes may have needed on their way. */
const silenceMs = ({ stream, heardAtMs, bytesWritten }: Sent, nowMs: number): number =>
  nowMs - heardAtMs - (stream.bytesWritten - bytesWritten) / LINK_BYTES_PER_MS;

/** What does `act` every `intervalMs`, but never twice at a time; gives the function that stops it. */
function repeat(intervalMs: number, act: () => Promise<void>): () => void {
  let isActing = false;
  const timer = setInterval(async () => {
    if (isActing) return;
    isActing = true;
    await act();
    isActing = false;
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

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

/** Watches over what is sent on the connections of `pool`, and connects as they do where it has to ask. */
export function watchLinks(pool: pg.Pool): LinkWatch {
  const statements = new Set<Sent>();
  // Processes behind links that are closed here: a lost link does not tell them, and they may hold locks.
  let orphans: number[] = [];
  // The pool hides its password from whoever copies its options.
  const options: pg.ClientConfig = { ...pool.options, password: pool.options.password };
  const closeIdle = watchIdle(pool);

  const giveUp = (sent: Sent) => {
    sent.stream.destroy();
    orphans.push(sent.pid);
    // What was idle meanwhile is as likely lost, and the next request would have to find that out anew.
    closeIdle(sent.heardAtMs);
  };
  const look = async () => {
    const nowMs = performance.now();
    for (const sent of statements) listen(sent, nowMs);
    for (const sent of statements) if (sent.isThoughtLost) giveUp(sent);
    const isDoubtful = [...statements].some((sent) => silenceMs(sent, nowMs) > SILENCE_MS);
    if (!isDoubtful && orphans.length === 0) return;
    // Where one link may be lost, others may be that have been silent for less.
    const doubtful = isDoubtful
      ? [...statements].filter((sent) => silenceMs(sent, nowMs) > LOOK_INTERVAL_MS)
      : [];
    const { idle, left } = await findIdle(options, { doubtful: doubtful.map(({ pid }) => pid), orphans });
    for (const sent of doubtful) sent.isThoughtLost = idle.includes(sent.pid);
    orphans = left;
  };
  const stop = repeat(LOOK_INTERVAL_MS, look);

  return {
    async over(client, send) {
      const { connection, processID: pid } = linkOf(client);
      const { stream } = connection;
      const { bytesRead, bytesWritten } = stream;
      const heardAtMs = performance.now();
      const sent = { stream, pid, heardAtMs, bytesRead, bytesWritten, isThoughtLost: false };
      statements.add(sent);
      try {
        return await send();
      } finally {
        statements.delete(sent);
      }
    },
    stop,
  };
}
