/**
 * The HTTP server around the application: time-outs, answers to invalid HTTP, and the drain at shutdown.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError, toErrorEnvelope } from '../../terms/errors.ts';
import { SECURITY_HEADERS } from '../access/security-headers.ts';
import {
  closeIdle,
  connectionsMax,
  isUnread,
  limitConnections,
  type TrackedConnections,
  trackConnections,
} from './connections.ts';
import { stopListening } from './node-insides.ts';
import { createPieceLimitedRequest } from './piece-limit.ts';
import { handleInOrder } from './pipelines.ts';

/** Headers arrive together, except from a client that holds connections on purpose (Slowloris). */
const HEADERS_TIMEOUT_MS = 20_000;
/** The largest upload (50 MiB) over a link of 1 Mbit/s takes seven minutes. */
const REQUEST_TIMEOUT_MS = 600_000;
/**
 * Idle time-out of a request or response in progress: the client has neither sent nor read a byte for this long. The
 * time that the server takes, as for a wait or a large import, does not count.
 */
const STALL_TIMEOUT_MS = 30_000;
/** After this long without traffic, TCP probes the connection (tcp(7)), and closes it ten seconds later. */
const KEEP_ALIVE_PROBE_MS = 30_000;
/** The longest delay until a time-out is noticed. */
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than load balancers keep idle connections (60 s), so that the balancer closes them. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** A drain closes idle connections when no answer has ended for this long. Busy clients send again sooner. */
const QUIET_MS = 1_000;
const IDLE_CHECK_INTERVAL_MS = 50;

/** The error of a body in pieces of a few bytes: see piece-limit.ts. */
const TINY_PIECES = Object.assign(new Error('the pieces of the body are too small'), {
  code: 'TINY_PIECES',
});

/**
 * Delay of the answer to such a body. Otherwise a client that repeats it on new connections would cost more than the
 * body itself.
 */
const TINY_PIECES_DELAY_MS = 1_000;

/** Turns an error of Node's parser into the error of the service. */
function toProtocolError({ code }: NodeJS.ErrnoException): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('HEADERS_TOO_LARGE', 'The request line and headers are too large.');
    case TINY_PIECES.code:
      return new ServiceError(
        'MALFORMED_REQUEST',
        'The pieces of the body are too small: send it in larger ones.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
    default:
      return new ServiceError('MALFORMED_REQUEST', 'This is not an HTTP request.');
  }
}

const trackedOf = new WeakMap<Server, TrackedConnections>();

type Refuse = (error: NodeJS.ErrnoException, socket: Duplex) => void;

/** Answers invalid HTTP after the answers to the earlier requests of the connection. */
const refuseInOrder = ({ lastAnswers }: TrackedConnections): Refuse =>
  function refuse(error, socket) {
    const last = lastAnswers.get(socket);
    // A request with a broken body (not `complete`) gets no answer of its own: do not wait for it.
    if (last?.req.complete && !last.closed) last.once('close', () => refuse(error, socket));
    else answerProtocolError(error, socket);
  };

/** Answers invalid HTTP, and closes the connection. */
const answerProtocolError: Refuse = (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const answer = toProtocolError(error);
  const body = JSON.stringify(toErrorEnvelope(answer));
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${answer.status} ${answer.errorCode}\r\n${lines.join('')}\r\n${body}`);
};

const TIMED_OUT = Object.assign(new Error('the body stalls'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/**
 * Cuts off a client when its request or answer has made no progress for STALL_TIMEOUT_MS. Closes a connection without
 * a request in progress.
 */
const cutStalled =
  ({ lastAnswers }: TrackedConnections, refuse: Refuse) =>
  (socket: Socket): void => {
    const { bytesRead, writableLength } = socket;
    // The event loop runs timers before it reads sockets. After a long computation, bytes may have arrived in time and
    // not be read yet.
    setImmediate(() => {
      if (socket.bytesRead !== bytesRead || socket.writableLength !== writableLength) return;
      const last = lastAnswers.get(socket);
      if (last === undefined) socket.destroy();
      else if (isUnread(last)) socket.setTimeout(socket.timeout ?? 0);
      else if (!last.req.complete && !last.headersSent) refuse(TIMED_OUT, socket);
      else if (socket.writableLength > 0) socket.destroy();
    });
  };

/**
 * A server with Node's own bounds. It does not listen yet. `onTinyPieces`: a body comes in pieces that are too small.
 */
const createBoundedServer = (handle: RequestListener, onTinyPieces: (socket: Socket) => void): Server =>
  createServer(
    {
      IncomingMessage: createPieceLimitedRequest(onTinyPieces),
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Node would answer a request without Host itself, without the service's envelope.
      requireHostHeader: false,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    },
    handleInOrder(handle),
  );

/** Ends a connection whose body comes in tiny pieces, with an answer if it has none yet. */
const endTinyPieces = (socket: Socket, { lastAnswers }: TrackedConnections): void => {
  const last = lastAnswers.get(socket);
  if (last?.headersSent) return void socket.destroy();
  answerProtocolError(TINY_PIECES, socket);
  // Do not wait for the client to close its end.
  socket.destroySoon();
};

/** Answers what Node would answer itself, without the service's envelope or in the wrong order. */
function answerInstead(server: Server, refuse: Refuse): void {
  server.on('clientError', refuse);
  // Node would write `100 Continue` into an answer that waits for earlier answers.
  server.on('checkContinue', (request, response) => {
    if (response.socket !== null) response.writeContinue();
    server.emit('request', request, response);
  });
  // Node would close the connection without an answer. It leaves errors of this socket to this listener.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(new Error('CONNECT is not supported'), socket);
  });
  // Node would answer an unknown expectation itself, without the service's envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

type ListenOptions = { host: string; port: number; stallTimeoutMs?: number; maxConnections?: number };

/**
 * Starts to listen. `port` 0: any free port.
 * @returns the server and its address
 */
export async function listen(
  handle: RequestListener,
  { host, port, stallTimeoutMs = STALL_TIMEOUT_MS, maxConnections = connectionsMax() }: ListenOptions,
): Promise<{ server: Server; address: string }> {
  const server = createBoundedServer(handle, (socket) => {
    setTimeout(() => endTinyPieces(socket, tracked), TINY_PIECES_DELAY_MS).unref();
  });
  const tracked = trackConnections(server);
  trackedOf.set(server, tracked);
  const refuse = refuseInOrder(tracked);
  limitConnections(server, tracked, {
    max: maxConnections,
    cutOff(socket) {
      refuse(TIMED_OUT, socket);
      // Do not wait for the client to close its end.
      socket.destroySoon();
    },
  });
  server.setTimeout(stallTimeoutMs, cutStalled(tracked, refuse));
  answerInstead(server, refuse);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo; // listening on TCP
  const name = host.includes(':') ? `[${host}]` : host;
  return { server, address: `http://${name}:${actualPort}` };
}

/**
 * From now on each connection ends with its next answer (`Connection: close`). When a packet holds several requests,
 * the connection ends with the answer to the last of them.
 */
function announceEnd(server: Server, { lastAnswers }: TrackedConnections): void {
  for (const answer of lastAnswers.values()) if (!answer.headersSent) answer.setHeader('Connection', 'close');
  const answersBefore = new Map(lastAnswers);
  server.prependListener('request', ({ socket }, response) => {
    const before = answersBefore.get(socket);
    if (before && !before.headersSent) before.setHeader('Connection', 'keep-alive');
    response.setHeader('Connection', 'close');
    answersBefore.set(socket, response);
  });
}

/**
 * Closes idle connections when no answer has ended for QUIET_MS. Until then a busy client may send its next request,
 * and learn from its answer that the connection ends.
 * @returns the function that stops this
 */
function closeWhenQuiet(server: Server, tracked: TrackedConnections): () => void {
  const beganAtMs = performance.now();
  const timer = setInterval(() => {
    const quietMs = performance.now() - Math.max(beganAtMs, tracked.endedAtMs);
    // `setImmediate` runs after the event loop has read its sockets: on a busy loop, a connection's next request may
    // have arrived and not be read yet.
    if (quietMs >= QUIET_MS) setImmediate(() => closeIdle(server, tracked));
  }, IDLE_CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/**
 * Stops listening. Resolves when every running request has its answer, or after `timeoutMs`. A client that keeps
 * sending is told by its next answer to use another connection. Idle connections are closed without notice, as after
 * any keep-alive time-out.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const tracked = trackedOf.get(server) ?? trackConnections(server);
  const closed = stopListening(server);
  announceEnd(server, tracked);
  const stopClosing = closeWhenQuiet(server, tracked);
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
  stopClosing();
}
