/** What is in progress on a server's connections, and which connections are closed when there are too many. */
import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The most open connections. An idle one takes some 9 KiB of memory, and clients of one service have far fewer. */
const CONNECTIONS_MAX = 10_000;
/** Connections may take this share of the files that the system lets this process open. */
const CONNECTIONS_SHARE = 3 / 4;
/** When fewer than this share are free, connections are closed until twice as many are free. */
const FREE_SHARE = 1 / 16;
/** How often the connections are examined while few are free: 10,000 take some milliseconds. */
const CHECK_INTERVAL_MS = 250;
/** After this long without an examination, the rates of arriving requests are unknown. */
const RATES_KEPT_MS = 5_000;
/** While few connections are free, a request has this long to arrive, or has to arrive at the least rate below. */
const ARRIVAL_MS = 2_000;
const LEAST_BYTES_PER_MS = 16;
/** While few connections are free, a connection is kept this long after its last answer. */
const IDLE_MS = 5_000;

/**
 * How many connections this process may have. CONNECTIONS_MAX where the system does not say how many files it may open.
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
 * `isUnused`: no request has come yet. `usedAtMs`: when its last answer ended, or else when it began. `bytesAtUse`:
 * bytes that had been read by then. `arriving`: when an arriving request was first seen, and the bytes read by then.
 */
type Connection = {
  isUnused: boolean;
  usedAtMs: number;
  bytesAtUse: number;
  arriving?: { sinceMs: number; bytes: number } | undefined;
};

/**
 * What is in progress on a server: its connections, the answer to the last request of each, and when any answer last
 * ended.
 */
export type TrackedConnections = {
  connections: Map<Socket, Connection>;
  lastAnswers: Map<Duplex, ServerResponse>;
  endedAtMs: number;
};

/** Call this before anything else listens to the server. */
export function trackConnections(server: Server): TrackedConnections {
  const tracked: TrackedConnections = { connections: new Map(), lastAnswers: new Map(), endedAtMs: 0 };
  const { connections, lastAnswers } = tracked;
  server.on('connection', (socket) => {
    connections.set(socket, { isUnused: true, usedAtMs: performance.now(), bytesAtUse: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection !== undefined) Object.assign(connection, { isUnused: false, arriving: undefined });
    lastAnswers.set(socket, response);
    response.once('close', () => {
      tracked.endedAtMs = performance.now();
      if (lastAnswers.get(socket) !== response) return;
      lastAnswers.delete(socket);
      if (connection === undefined) return;
      Object.assign(connection, { usedAtMs: tracked.endedAtMs, bytesAtUse: socket.bytesRead });
    });
  });
  return tracked;
}

/**
 * Whether the server does not read: the request waits for its permit, or its body for memory. Then the client does not
 * stall.
 */
export const isUnread = ({ req, headersSent }: ServerResponse): boolean =>
  !req.complete && !headersSent && (req.readableFlowing === null || req.readableLength > 0);

/**
 * Closes the connections on which nothing is in progress. Node counts a connection that has sent nothing as a slow
 * request, and leaves it open.
 */
export function closeIdle(server: Server, { connections }: TrackedConnections): void {
  server.closeIdleConnections();
  for (const [socket, { isUnused }] of connections) if (isUnused && socket.bytesRead === 0) socket.destroy();
}

type State = 'works' | 'arrives' | 'idle';

/** A connection that has never sent anything counts as one whose first request is arriving. */
function stateOf(socket: Socket, { isUnused, bytesAtUse }: Connection, last?: ServerResponse): State {
  if (last !== undefined)
    return last.req.complete || last.headersSent || isUnread(last) ? 'works' : 'arrives';
  return isUnused || socket.bytesRead > bytesAtUse ? 'arrives' : 'idle';
}

/**
 * Whether too little of a request has arrived since it was first seen. A request that is fast enough is measured anew.
 */
function isSlow(socket: Socket, connection: Connection, nowMs: number): boolean {
  connection.arriving ??= { sinceMs: nowMs, bytes: socket.bytesRead };
  const { sinceMs, bytes } = connection.arriving;
  if (nowMs - sinceMs < ARRIVAL_MS) return false;
  if (socket.bytesRead - bytes < (nowMs - sinceMs) * LEAST_BYTES_PER_MS) return true;
  connection.arriving = { sinceMs: nowMs, bytes: socket.bytesRead };
  return false;
}

/** Connections that may be closed: those whose requests arrive too slowly, then idle ones, each the oldest first. */
function findClosable({ connections, lastAnswers }: TrackedConnections, areRatesKnown: boolean): Socket[] {
  const nowMs = performance.now();
  const [slow, idle]: [[Socket, Connection][], [Socket, Connection][]] = [[], []];
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
 * Closes new connections beyond `max`, and keeps some free. While few are free, it lets `cutOff` end requests that do
 * not arrive, and closes unused connections. It never closes a connection whose request is in progress, or that was
 * used just now.
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
      // Bytes that came in time may not be read yet: the event loop reads its sockets before it runs this.
      setImmediate(() => socket.bytesRead === bytesRead && close(socket));
    }
  };
  server.on('connection', makeRoom);
  server.on('drop', makeRoom);
}
