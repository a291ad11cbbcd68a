/** The HTTP server around the application: timeouts, answers to what is no HTTP, and the drain at its end. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError, toErrorEnvelope } from './errors.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Headers arrive at once or the client is playing for time. */
const HEADERS_TIMEOUT_MS = 20_000;
/** The largest upload (50 MiB) over a link of 1 Mbit/s takes seven minutes. */
const REQUEST_TIMEOUT_MS = 600_000;
/** How late a timeout is noticed at most. */
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than load balancers keep idle connections (60 s), so that it is they who close them. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** What Node's parser could not make a request of. */
function toProtocolError({ code }: NodeJS.ErrnoException): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('HEADERS_TOO_LARGE', 'The request line and headers are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
    default:
      return new ServiceError('MALFORMED_REQUEST', 'This is not an HTTP request.');
  }
}

/** The last answer of each connection. */
const lastAnswers = new WeakMap<Duplex, ServerResponse>();

/** Answers what is no HTTP, behind the answers to what came before it on the connection. */
function answerProtocolError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const last = lastAnswers.get(socket);
  // Of a request whose body is what is broken no answer can come.
  if (last?.req.complete && !last.closed) {
    last.once('close', () => answerProtocolError(error, socket));
    return;
  }
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
}

/** Starts to listen; `port` 0: any free one. Gives the server and the address that it answers at. */
export async function listen(
  handle: Parameters<typeof createServer>[1],
  { host, port }: { host: string; port: number },
): Promise<{ server: Server; address: string }> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Node would answer a request without Host by itself, and not in our envelope.
      requireHostHeader: false,
    },
    handle,
  );
  server.on('request', ({ socket }, response) => lastAnswers.set(socket, response));
  server.on('clientError', answerProtocolError);
  // Node would put it behind the head of an answer that waits for those before it.
  server.on('checkContinue', (request, response) => {
    if (response.socket !== null) response.writeContinue();
    server.emit('request', request, response);
  });
  // Node would close the connection without a word; it leaves the errors of a tunnel's socket to who takes it.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    answerProtocolError(new Error('no tunnels here'), socket);
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

/** Stops listening and resolves when every running request has its answer, or after `timeoutMs`. */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // A connection becomes idle when its answer is out; new requests on it would only delay the end.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}
