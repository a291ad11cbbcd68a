/** Sends raw bytes to the service, which need not be valid HTTP. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { type Answer, parseJson } from '../../../src/contract-check/requests/exchange.ts';

/** Time-out for a connection that the service should close. */
const TIMEOUT_MS = 10_000;

function openSocket(address: string) {
  const { hostname, port } = new URL(address);
  return connect(Number(port), hostname);
}

/** Sends the bytes. Returns everything that is received until the service closes the connection. */
export async function sendBytes(bytes: string | Uint8Array, address = inject('address')): Promise<string> {
  const socket = openSocket(address);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the service keeps the connection open')));
  socket.write(bytes);
  return await text(socket);
}

/**
 * Sends the slices in turn, and listens until the service closes the connection.
 * @param quietMs after this time without a byte the client ends its side: the service may wait for more
 * @returns everything received; `isReset`: the connection was reset, and bytes in transit may be lost
 */
export async function sendSlices(
  slices: Uint8Array[],
  { address, timeoutMs, quietMs }: { address: string; timeoutMs: number; quietMs?: number },
): Promise<{ received: Buffer; isReset: boolean }> {
  const socket = openSocket(address);
  socket.setNoDelay(true);
  const late = setTimeout(
    () => socket.destroy(new Error('the service keeps the connection open')),
    timeoutMs,
  );
  let quiet: NodeJS.Timeout | undefined;
  const write = async () => {
    for (const slice of slices) await new Promise<void>((resolve) => socket.write(slice, () => resolve()));
    if (quietMs !== undefined) quiet = setTimeout(() => socket.end(), quietMs);
  };
  void write();
  const received: Buffer[] = [];
  let isReset = false;
  try {
    for await (const bytes of socket) {
      received.push(bytes);
      quiet?.refresh();
    }
  } catch (error) {
    isReset = error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(`${error.code}`);
    if (!isReset) throw error;
  } finally {
    clearTimeout(late);
    clearTimeout(quiet);
  }
  return { received: Buffer.concat(received), isReset };
}

/** Sends the bytes and closes the connection at once. */
export async function sendAndHangUp(bytes: string | Uint8Array, address = inject('address')): Promise<void> {
  const socket = openSocket(address);
  socket.on('error', () => {}); // The other side may be the first to hang up.
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  socket.destroy();
}

/** Answers that never have a body, whatever their headers are (RFC 9112, section 6.3). */
const isBodiless = (status: number): boolean => status < 200 || status === 204 || status === 304;

/** The answer at the start of the bytes, and the bytes after it. Expects a body with a length, not in chunks. */
function readAnswer(received: Buffer): { answer: Answer; rest: Buffer } {
  const headEnd = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (headEnd < 0 || Number.isNaN(status))
    throw new Error(`this is no answer: ${received.subarray(0, 200).toString('latin1')}`);
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const bodyStart = headEnd + 4;
  const length = isBodiless(status) ? 0 : Number(headers['content-length'] ?? received.length - bodyStart);
  const text = received.subarray(bodyStart, bodyStart + length).toString();
  const answer = { status, headers, text, body: parseJson(text) };
  return { answer, rest: received.subarray(bodyStart + length) };
}

/** All answers on a connection, in order. */
export function parseAnswers(received: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const next = readAnswer(rest);
    answers.push(next.answer);
    rest = next.rest;
  }
  return answers;
}

/** The only answer on a connection. */
export function parseAnswer(received: string): Answer {
  const [answer, ...more] = parseAnswers(Buffer.from(received));
  if (answer === undefined || more.length > 0) throw new Error(`expected one answer, received ${received}`);
  return answer;
}
