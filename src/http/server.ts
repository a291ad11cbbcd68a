/** The HTTP server around the application: timeouts, answers to what is no HTTP, and the drain at its end. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError, toErrorEnvelope } from '../errors.ts';
import {
  closeIdle,
  connectionsMax,
  type Exchanges,
  isUnread,
  limitConnections,
  noteExchanges,
} from './connections.ts';
import { createPiecedRequest } from './pieced-request.ts';
import { handleInOrder } from './pipelines.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Headers arrive at once or the client is playing for time. */
const HEADERS_TIMEOUT_MS = 20_000;
/** The largest upload (50 MiB) over a link of 1 Mbit/s takes seven minutes. */
const REQUEST_TIMEOUT_MS = 600_000;
/**
 * Who neither sends nor takes a byte of what is under way for this long plays for time, or is gone. What we take longer
 * for, a wait or a large import, does not count: then nothing is under way.
 */
const STALL_TIMEOUT_MS = 30_000;
/** A connection on which nothing is said is asked for its other end then (tcp(7)), and after ten more seconds given up. */
const KEEP_ALIVE_PROBE_MS = 30_000;
/** How late a timeout is noticed at most. */
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than load balancers keep idle connections (60 s), so that it is they who close them. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** How long nothing may have ended before a drain closes idle connections: clients under load send sooner. */
const QUIET_MS = 1_000;
const SWEEP_INTERVAL_MS = 50;

/** The body comes in pieces of a few bytes. */
const CRUMBS = Object.assign(new Error('the body comes in crumbs'), { code: 'CRUMBS' });

/** Whoever sends such bodies again and again is answered this late: a new connection costs more than they do. */
const CRUMBS_PAUSE_MS = 1_000;

/** What Node's parser could not make a request of. */
function toProtocolError({ code }: NodeJS.ErrnoException): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('HEADERS_TOO_LARGE', 'The request line and headers are too large.');
    case CRUMBS.code:
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

const exchangesOf = new WeakMap<Server, Exchanges>();

type Refuse = (error: NodeJS.ErrnoException, socket: Duplex) => void;

/** Answers what is no HTTP, behind the answers to what came before it on the connection. */
const refuseBehind = ({ lastAnswers }: Exchanges): Refuse =>
  function refuse(error, socket) {
    const last = lastAnswers.get(socket);
    // Of a request whose body is what is broken no answer can come.
    if (last?.req.complete && !last.closed) last.once('close', () => refuse(error, socket));
    else answerProtocolError(error, socket);
  };

/** Answers what is no HTTP, and closes the connection. */
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

/** Cuts off a client in the middle of whose request or answer nothing has moved for so long, and who asks no more. */
const cutStalled =
  ({ lastAnswers }: Exchanges, refuse: Refuse) =>
  (socket: Socket): void => {
    const { bytesRead, writableLength } = socket;
    // The loop looks at its timers first and reads its sockets afterwards: after a stall a request may have come in time
    // and not been read.
    setImmediate(() => {
      if (socket.bytesRead !== bytesRead || socket.writableLength !== writableLength) return;
      const last = lastAnswers.get(socket);
      if (last === undefined) socket.destroy();
      else if (isUnread(last)) socket.setTimeout(socket.timeout ?? 0);
      else if (!last.req.complete && !last.headersSent) refuse(TIMED_OUT, socket);
      else if (socket.writableLength > 0) socket.destroy();
    });
  };

/** Starts to listen; `port` 0: any free one. Gives the server and the address that it answers at. */
export async function listen(
  handle: RequestListener,
  {
    host,
    port,
    stallTimeoutMs = STALL_TIMEOUT_MS,
    maxConnections = connectionsMax(),
  }: { host: string; port: number; stallTimeoutMs?: number; maxConnections?: number },
): Promise<{ server: Server; address: string }> {
  // Once the server is there, and its requests.
  const onCrumbs: Parameters<typeof createPiecedRequest>[0] = (socket) => {
    const end = () => {
      const last = exchanges.lastAnswers.get(socket);
      if (last?.headersSent) return void socket.destroy();
      answerProtocolError(CRUMBS, socket);
      // Its client would not close its end.
      socket.destroySoon();
    };
    setTimeout(end, CRUMBS_PAUSE_MS).unref();
  };
  const server = createServer(
    {
      IncomingMessage: createPiecedRequest(onCrumbs),
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Node would answer a request without Host by itself, and not in our envelope.
      requireHostHeader: false,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    },
    handleInOrder(handle),
  );
  const exchanges = noteExchanges(server);
  exchangesOf.set(server, exchanges);
  const refuse = refuseBehind(exchanges);
  limitConnections(server, exchanges, {
    max: maxConnections,
    cutOff(socket) {
      refuse(TIMED_OUT, socket);
      // Its client would not close its end.
      socket.destroySoon();
    },
  });
  server.setTimeout(stallTimeoutMs, cutStalled(exchanges, refuse));
  server.on('clientError', refuse);
  // Node would put it behind the head of an answer that waits for those before it.
  server.on('checkContinue', (request, response) => {
    if (response.socket !== null) response.writeContinue();
    server.emit('request', request, response);
  });
  // Node would close the connection without a word; it leaves the errors of a tunnel's socket to who takes it.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(new Error('no tunnels here'), socket);
  });
  // Node would answer an unknown expectation by itself, and not in our envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo; // listening on TCP
  const name = host.includes(':') ? `[${host}]` : host;
  return { server, address: `http://${name}:${actualPort}` };
}

/**
 * From now on each connection's last answer says that it is the last (`Connection: close`). One that has a further
 * request behind it already, which came in the same packet, is not.
 */
function announceEnd(server: Server, { lastAnswers }: Exchanges): void {
  for (const answer of lastAnswers.values()) answer.shouldKeepAlive = false;
  const answersBefore = new Map(lastAnswers);
  server.prependListener('request', ({ socket }, response) => {
    const before = answersBefore.get(socket);
    if (before && !before.headersSent) before.shouldKeepAlive = true;
    response.shouldKeepAlive = false;
    answersBefore.set(socket, response);
  });
}

/**
 * Closes idle connections once nothing has ended for a while: under load a client may be just about to send its next
 * request, and is to hear that it is the last. Gives the function that stops it.
 */
function closeWhenQuiet(server: Server, exchanges: Exchanges): () => void {
  const beganAtMs = performance.now();
  const timer = setInterval(() => {
    const quietMs = performance.now() - Math.max(beganAtMs, exchanges.endedAtMs);
    // Behind the sockets' turn of the loop: on a busy one a connection's next request may have come, and not been read.
    if (quietMs >= QUIET_MS) setImmediate(() => closeIdle(server, exchanges));
  }, SWEEP_INTERVAL_MS);
  return () => clearInterval(timer);
}

/**
 * Stops listening and resolves when every running request has its answer, or after `timeoutMs`. A client that goes on
 * sending on its connection learns by its next answer that it has to take another one; only those that send nothing for
 * a while are cut off without a word, as they are at the end of any idle time.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const exchanges = exchangesOf.get(server) ?? noteExchanges(server);
  // http's own close would cut off at once who has an answer and is just about to send the next request.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  announceEnd(server, exchanges);
  const stopClosing = closeWhenQuiet(server, exchanges);
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
  stopClosing();
}
