/** Speaks to the service byte by byte, for what no HTTP client would send. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { Answer } from './exchange.ts';

/** How long the service may hold a connection that it should close. */
const TIMEOUT_MS = 10_000;

function openSocket(address: string) {
  const { hostname, port } = new URL(address);
  return connect(Number(port), hostname);
}

/** Everything that comes back until the service closes the connection. */
export async function sendBytes(bytes: string | Uint8Array, address = inject('address')): Promise<string> {
  const socket = openSocket(address);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the service keeps the connection open')));
  socket.write(bytes);
  return await text(socket);
}

/** Sends the bytes and hangs up without a word. */
export async function sendAndHangUp(bytes: string, address = inject('address')): Promise<void> {
  const socket = openSocket(address);
  await once(socket, 'connect');
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  socket.destroy();
}

/** The one answer in what came back over a connection; its body was sent with a length, not in chunks. */
export function parseAnswer(received: string): Answer {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = rest.join('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  return { status, headers, text: body, body: body === '' ? undefined : JSON.parse(body) };
}
