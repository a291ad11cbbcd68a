/** Tracks the requests of a server's connections, and closes connections when there are too many. */
import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The most open connections. An idle one takes about 9 KiB of memory. Usual clients have far fewer. */
const CONNECTIONS_MAX = 10_000;
/** Connections may take this share of the process's limit of open files. */
const CONNECTIONS_SHARE = 3 / 4;
/** When less than this share of the connections is free, some are closed until twice this share is free. */
const FREE_SHARE = 1 / 16;
/** The least time between two checks of all connections: checking 10,000 takes some milliseconds. */
const CHECK_INTERVAL_MS = 250;
/** After this long without a check, the rates of arriving requests are unknown. */
const RATES_KEPT_MS = 5_000;
/** While few connections are free, a request has to arrive within this time or at the minimum rate below. */
const ARRIVAL_MS = 2_000;
const LEAST_BYTES_PER_MS = 16;
/** While few connections are free, a connection is kept this long after its last answer. */
const IDLE_MS = 5_000;

/**
 * The most connections of this process, by its limit of open files. CONNECTIONS_MAX where that limit is unknown.
 */
export function connectionsMax(): number {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return Math.min(CONNECTIONS_MAX, Math.floor(Number(files ?? Infinity) * CONNECTIONS_SHARE));
  } catch {
    return CONNECTIONS_MAX;
  }
}

/**
 * `isUnused`: it has had no request yet. `usedAtMs`: the end of its last answer, or else the start of the connection.
 * `bytesAtUse`: the bytes read by then. `arriving`: when a check first saw an arriving request, and the bytes read by
 * then.
 */
type ClientConnection = {
  isUnused: boolean;
  usedAtMs: number;
  bytesAtUse: number;
  arriving?: { sinceMs: number; bytes: number } | undefined;
};

/**
 * A server's connections. `lastAnswers`: the unfinished answer to the last request of each. `endedAtMs`: the end of the
 * last finished answer.
 */
export type TrackedConnections = {
  connections: Map<Socket, ClientConnection>;
  lastAnswers: Map<Duplex, ServerResponse>;
  endedAtMs: number;
};

/** Starts to track a server's connections. Call it before any other listener is added. */
export function trackConnections(server: Server): TrackedConnections {
  const tracked: TrackedConnections = { connections: new Map(), lastAnswers: new Map(), endedAtMs: 0 };
  const { connections, lastAnswers } = tracked;
  server.on('connection', (socket) => {
    connections.set(socket, { isUnused: true, usedAtMs: performance.now(), bytesAtUse: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection !== undefined) {
      connection.isUnused = false;
      connection.arriving = undefined;
    }
    lastAnswers.set(socket, response);
    response.once('close', () => {
      tracked.endedAtMs = performance.now();
      if (lastAnswers.get(socket) !== response) return;
      lastAnswers.delete(socket);
      if (connection === undefined) return;
      connection.usedAtMs = tracked.endedAtMs;
      connection.bytesAtUse = socket.bytesRead;
    });
  });
  return tracked;
}

/**
 * Whether the server itself does not read the body: the request waits for its permit, or the body for memory. Then the
 * client is not to blame.
 */
export const isUnread = ({ req, headersSent }: ServerResponse): boolean =>
  !req.complete && !headersSent && (req.readableFlowing === null || req.readableLength > 0);

/**
 * Closes the idle connections, and those that have sent nothing yet. Node itself leaves the latter open: it takes them
 * for slow requests.
 */
export function closeIdle(server: Server, { connections }: TrackedConnections): void {
  server.closeIdleConnections();
  for (const [socket, { isUnused }] of connections) if (isUnused && socket.bytesRead === 0) socket.destroy();
}

type State = 'works' | 'arrives' | 'idle';

/** The state of a connection. Before its first request it counts as `arrives`. */
function stateOf(socket: Socket, { isUnused, bytesAtUse }: ClientConnection, last?: ServerResponse): State {
  if (last !== undefined)
    return last.req.complete || last.headersSent || isUnread(last) ? 'works' : 'arrives';
  return isUnused || socket.bytesRead > bytesAtUse ? 'arrives' : 'idle';
}

/**
 * Whether a request arrives below the minimum rate since the start of its measurement. A fast enough request starts a
 * new measurement.
 */
function isSlow(socket: Socket, connection: ClientConnection, nowMs: number): boolean {
  connection.arriving ??= { sinceMs: nowMs, bytes: socket.bytesRead };
  const { sinceMs, bytes } = connection.arriving;
  if (nowMs - sinceMs < ARRIVAL_MS) return false;
  if (socket.bytesRead - bytes < (nowMs - sinceMs) * LEAST_BYTES_PER_MS) return true;
  connection.arriving = { sinceMs: nowMs, bytes: socket.bytesRead };
  return false;
}

/** Connections that may be closed: first those with slow requests, then idle ones; in each group the oldest first. */
function findClosable({ connections, lastAnswers }: TrackedConnections, areRatesKnown: boolean): Socket[] {
  const nowMs = performance.now();
  const [slow, idle]: [[Socket, ClientConnection][], [Socket, ClientConnection][]] = [[], []];
  for (const entry of connections) {
    const [socket, connection] = entry;
    const state = stateOf(socket, connection, lastAnswers.get(socket));
    if (state !== 'arrives' || !areRatesKnown) connection.arriving = undefined;
    if (state === 'arrives' && isSlow(socket, connection, nowMs)) slow.push(entry);
    if (state === 'idle' && nowMs - connection.usedAtMs > IDLE_MS) idle.push(entry);
  }
  idle.sort(([, left], [, right]) => left.usedAtMs - right.usedAtMs);
  return [...slow, ...idle].map(([socket]) => socket);
}

/**
 * Closes new connections beyond `max`, and keeps some free. While few are free, it calls `cutOff` for requests that
 * arrive too slowly, and closes idle connections. It closes neither connections whose request is in progress nor those
 * that were used in the last IDLE_MS.
 */
export function limitConnections(
  server: Server,
  tracked: TrackedConnections,
  { max, cutOff }: { max: number; cutOff(socket: Socket): void },
): void {
  server.maxConnections = max;
  const minFree = Math.ceil(max * FREE_SHARE);
  const { connections, lastAnswers } = tracked;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  const close = (socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    if (stateOf(socket, connection, lastAnswers.get(socket)) === 'idle') socket.destroy();
    else cutOff(socket);
  };
  const makeRoom = () => {
    const nowMs = performance.now();
    if (connections.size <= max - minFree || nowMs - checkedAtMs < CHECK_INTERVAL_MS) return;
    const closable = findClosable(tracked, nowMs - checkedAtMs < RATES_KEPT_MS);
    checkedAtMs = nowMs;
    const tooMany = connections.size - (max - 2 * minFree);
    for (const socket of closable.slice(0, tooMany)) {
      const { bytesRead } = socket;
      // Bytes may have arrived in time and not be read yet. The event loop reads its sockets before this callback.
      setImmediate(() => socket.bytesRead === bytesRead && close(socket));
    }
  };
  server.on('connection', makeRoom);
  server.on('drop', makeRoom);
}
