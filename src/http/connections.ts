/** What is under way on a server's connections, and which of them make room where there are too many. */
import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Open connections: an idle one takes some 9 KiB of memory, and clients of one service have far fewer. */
const CONNECTIONS_MAX = 10_000;
/** Of the files that the system lets this process open, for connections. */
const CONNECTIONS_SHARE = 3 / 4;
/** Connections are closed while fewer than this share are free, until twice as many are. */
const ROOM_SHARE = 1 / 16;
/** How often the connections are looked at while room is short: 10,000 take some milliseconds. */
const LOOK_INTERVAL_MS = 250;
/** After this long without a look nothing is known of how fast requests have arrived. */
const LOOKS_KEPT_MS = 5_000;
/** While room is short, a request has so long to arrive, or comes at the least rate below. */
const ARRIVAL_MS = 2_000;
const LEAST_BYTES_PER_MS = 16;
/** While room is short, a connection stays this long after its last answer. */
const IDLE_MS = 5_000;

/** How many connections this process may have; where the system does not say how many files it may open, many. */
export function connectionsMax(): number {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return Math.min(CONNECTIONS_MAX, Math.floor(Number(files ?? Infinity) * CONNECTIONS_SHARE));
  } catch {
    return CONNECTIONS_MAX;
  }
}

/**
 * `isUnused`: no request has come yet. `usedAtMs`: when its last answer ended, or it began, and `bytesAtUse` what had come
 * by then. `arriving`: since when a request has been on its way, as far as is known, and what had come of the connection.
 */
type Connection = {
  isUnused: boolean;
  usedAtMs: number;
  bytesAtUse: number;
  arriving?: { sinceMs: number; bytes: number } | undefined;
};

/**
 * What is under way on a server: its connections, of each the answer to its last request, and when any answer last ended.
 */
export type Exchanges = {
  connections: Map<Socket, Connection>;
  lastAnswers: Map<Duplex, ServerResponse>;
  endedAtMs: number;
};

/** To be called before anything else listens to the server. */
export function noteExchanges(server: Server): Exchanges {
  const exchanges: Exchanges = { connections: new Map(), lastAnswers: new Map(), endedAtMs: 0 };
  const { connections, lastAnswers } = exchanges;
  server.on('connection', (socket) => {
    connections.set(socket, { isUnused: true, usedAtMs: performance.now(), bytesAtUse: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection !== undefined) Object.assign(connection, { isUnused: false, arriving: undefined });
    lastAnswers.set(socket, response);
    response.once('close', () => {
      exchanges.endedAtMs = performance.now();
      if (lastAnswers.get(socket) !== response) return;
      lastAnswers.delete(socket);
      if (connection === undefined) return;
      Object.assign(connection, { usedAtMs: exchanges.endedAtMs, bytesAtUse: socket.bytesRead });
    });
  });
  return exchanges;
}

/**
 * Whether the request waits for its turn, or what has come of its body for memory: then it is not the client that stalls,
 * but the server that does not read.
 */
export const isUnread = ({ req, headersSent }: ServerResponse): boolean =>
  !req.complete && !headersSent && (req.readableFlowing === null || req.readableLength > 0);

/** Closes the connections on which nothing is under way. Node takes one that has sent nothing yet for a slow request. */
export function closeIdle(server: Server, { connections }: Exchanges): void {
  server.closeIdleConnections();
  for (const [socket, { isUnused }] of connections) if (isUnused && socket.bytesRead === 0) socket.destroy();
}

type State = 'works' | 'arrives' | 'idle';

/** A connection that has never sent anything is one whose first request is on its way. */
function stateOf(socket: Socket, { isUnused, bytesAtUse }: Connection, last?: ServerResponse): State {
  if (last !== undefined)
    return last.req.complete || last.headersSent || isUnread(last) ? 'works' : 'arrives';
  return isUnused || socket.bytesRead > bytesAtUse ? 'arrives' : 'idle';
}

/** Whether too little of a request has arrived since it was first seen; what is fast enough is watched anew. */
function isSlow(socket: Socket, connection: Connection, nowMs: number): boolean {
  connection.arriving ??= { sinceMs: nowMs, bytes: socket.bytesRead };
  const { sinceMs, bytes } = connection.arriving;
  if (nowMs - sinceMs < ARRIVAL_MS) return false;
  if (socket.bytesRead - bytes < (nowMs - sinceMs) * LEAST_BYTES_PER_MS) return true;
  connection.arriving = { sinceMs: nowMs, bytes: socket.bytesRead };
  return false;
}

/** Connections that may be closed: first those whose requests arrive too slowly, then idle ones, each the oldest first. */
function findDispensable({ connections, lastAnswers }: Exchanges, isKnown: boolean): Socket[] {
  const nowMs = performance.now();
  const [slow, idle]: [[Socket, Connection][], [Socket, Connection][]] = [[], []];
  for (const entry of connections) {
    const [socket, connection] = entry;
    const state = stateOf(socket, connection, lastAnswers.get(socket));
    if (state !== 'arrives' || !isKnown) connection.arriving = undefined;
    if (state === 'arrives' && isSlow(socket, connection, nowMs)) slow.push(entry);
    if (state === 'idle' && nowMs - connection.usedAtMs > IDLE_MS) idle.push(entry);
  }
  idle.sort(([, left], [, right]) => left.usedAtMs - right.usedAtMs);
  return [...slow, ...idle].map(([socket]) => socket);
}

/**
 * Refuses connections beyond the most by closing them, and keeps some free for those that come: while these are short,
 * it lets `cutOff` end requests that do not arrive, and closes connections that are not used. Never one whose request
 * works, or that was used just now.
 */
export function limitConnections(
  server: Server,
  exchanges: Exchanges,
  { max, cutOff }: { max: number; cutOff(socket: Socket): void },
): void {
  server.maxConnections = max;
  const room = Math.ceil(max * ROOM_SHARE);
  const { connections, lastAnswers } = exchanges;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const close = (socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    if (stateOf(socket, connection, lastAnswers.get(socket)) === 'idle') socket.destroy();
    else cutOff(socket);
  };
  const makeRoom = () => {
    const nowMs = performance.now();
    if (connections.size <= max - room || nowMs - lookedAtMs < LOOK_INTERVAL_MS) return;
    const dispensable = findDispensable(exchanges, nowMs - lookedAtMs < LOOKS_KEPT_MS);
    lookedAtMs = nowMs;
    const tooMany = connections.size - (max - 2 * room);
    for (const socket of dispensable.slice(0, tooMany)) {
      const { bytesRead } = socket;
      // What has come in time may not be read yet: the loop reads its sockets before it comes to this.
      setImmediate(() => socket.bytesRead === bytesRead && close(socket));
    }
  };
  server.on('connection', makeRoom);
  server.on('drop', makeRoom);
}
