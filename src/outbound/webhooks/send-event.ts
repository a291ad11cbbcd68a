/**
 * Sends one event to its receiver. The receiver is a stranger: it may be slow, redirect, answer without end, or have a
 * name that leads into our own network.
 */
import type http from 'node:http';
import type { WebhookEventType } from '../../../generated/types.gen.ts';
import { codeOf } from '../../terms/problem.ts';
import { RefusedAddress } from '../address-rules.ts';
import { type Connections, onConnected, openRequest } from '../connections.ts';
import { signedHeaders } from './sign.ts';

/** From the look-up of the name to the end of the answer. Standard Webhooks allows 15 to 30 s; most services less. */
const SEND_TIMEOUT_MS = 10_000;
/** Bytes of an answer that are read: enough for an error message. The connection of a longer answer is closed. */
const ANSWER_MAX_BYTES = 4_096;
/** Characters of an answer that are returned. The spec has the same bound. */
const ANSWER_MAX_LENGTH = 1_000;

export type SentEvent = { id: string; type: WebhookEventType; createdAt: Date; data: object };
export type Receiver = { url: string; secret: Buffer };

/** The result of one attempt. `error` null: the receiver has accepted the event. */
export type SendResult = {
  sentAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  /** The beginning of the answer; undefined where there was none. */
  answer: string | undefined;
};

/** Reads the beginning of an answer. An answer that breaks off is not an error: its status has arrived. */
async function readBeginning(response: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      pieces.push(piece);
      length += piece.length;
      // Leaving the loop closes the connection.
      if (length > ANSWER_MAX_BYTES) break;
    }
  } catch {}
  return [...Buffer.concat(pieces).toString()].slice(0, ANSWER_MAX_LENGTH).join('');
}

/** Thrown instead of sending an event too late: another server may deliver the events of this webhook by then. */
export class TooLate extends Error {}

type Posted = { headers: http.OutgoingHttpHeaders; body: string; signal: AbortSignal; latestAtMs: number };

/**
 * Posts a body and reads the beginning of the answer.
 * @throws when no status arrives in time; TooLate when the connection is ready after `latestAtMs` only
 */
async function post(
  url: URL,
  connections: Connections,
  { headers, body, signal, latestAtMs }: Posted,
): Promise<{ status: number; answer: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = openRequest(url, connections, { method: 'POST', headers, signal });
  // A server that was paused sees the connection before its timers.
  const send = () => (performance.now() > latestAtMs ? request.destroy(new TooLate()) : request.end(body));
  onConnected(request, connections, send);
  request.on('response', resolve).on('error', reject);
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('an answer with status 101'));
  });
  const response = await promise;
  return { status: response.statusCode ?? 0, answer: await readBeginning(response) };
}

/** Why a status does not mean that the event was received; null if it does. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver answered with status ${status}; redirects are not followed.`;
  return `The receiver answered with status ${status}.`;
}

/** Why no answer came. Addresses within a network do not appear: only codes are named. */
function describeFailure(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  if (error instanceof Error && error.name === 'AbortError')
    return `The receiver did not answer within ${SEND_TIMEOUT_MS / 1000} seconds.`;
  return `The connection failed (${codeOf(error) || 'no valid HTTP answer'}).`;
}

export type SendOptions = {
  /** They lead to the receiver. */
  connections: Connections;
  signal: AbortSignal;
  /** The database's clock: receivers refuse a signature that is minutes old. */
  now: () => Date;
  /** By `performance.now()`. Nothing is sent later. */
  latestAtMs?: number;
};

/**
 * Sends an event and waits for the answer, ten seconds at most.
 * @throws only the reason of `signal`, and TooLate
 */
export async function sendEvent(
  { url, secret }: Receiver,
  { id, type, createdAt, data }: SentEvent,
  { connections, signal, now, latestAtMs = Number.POSITIVE_INFINITY }: SendOptions,
): Promise<SendResult> {
  const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), data });
  const [sentAt, startedAtMs] = [now(), performance.now()];
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'knowledge-retrieval-webhooks',
    ...signedHeaders(secret, { id, sentAt, body }),
  };
  const measured = () => ({ sentAt, durationMs: Math.round(performance.now() - startedAtMs) });
  try {
    if (connections.problem !== undefined) throw new RefusedAddress(`The address ${connections.problem}.`);
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
    const posted = { headers, body, signal: inTime, latestAtMs };
    const { status, answer } = await post(new URL(url), connections, posted);
    return { ...measured(), status, error: describeStatus(status), answer };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TooLate) throw error;
    return { ...measured(), status: null, error: describeFailure(error), answer: undefined };
  }
}
