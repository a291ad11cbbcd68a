/** Sends one HTTP request exactly as given and returns the whole answer. */
import http, { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';

/** `path` includes the query. A body gets a Content-Length, unless the headers have `transfer-encoding: chunked`. */
export type Sent = {
  method: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array | undefined;
};

/** `body`: the parsed JSON of `text`; undefined without JSON. */
export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown };

/**
 * Keeps connections open, so that thousands of requests need only a few.
 * The client closes an idle one before the server does: a request sent while the server closes would get no answer.
 * Node's agent heeds the server's announced time only if it has a `timeout` of its own.
 */
export const KEPT = { keepAlive: true, maxSockets: 64, timeout: 60_000 };
const AGENTS = { http: new http.Agent(KEPT), https: new https.Agent(KEPT) };

/** Time-out of a request, unless the caller has another. */
const TIMEOUT_MS = 30_000;

/** The longest body that is received: a file of the largest size, and more than any answer in JSON. */
const BODY_MAX_BYTES = 64 * 2 ** 20;

/** @throws when the connection breaks or the body is longer than BODY_MAX_BYTES: a service may send without end */
async function receive(response: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    // Leaving the loop closes the connection.
    if (bytes > BODY_MAX_BYTES) throw new Error(`the answer has more than ${BODY_MAX_BYTES / 2 ** 20} MiB`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** The value of a JSON text; undefined for invalid JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Sends the request to `address`. A path in `address` precedes the path of the request.
 * @throws when the connection breaks, no answer comes within `timeoutMs`, or it is too long
 */
export async function exchange(
  address: string,
  { method, path, headers = {}, body }: Sent,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> {
  const { protocol, hostname, port, pathname } = new URL(address);
  const signal = AbortSignal.timeout(timeoutMs);
  const target = { hostname, port, method, path: pathname.replace(/\/$/, '') + path, headers, signal };
  const sent =
    protocol === 'https:'
      ? https.request({ ...target, agent: AGENTS.https })
      : http.request({ ...target, agent: AGENTS.http });
  const answered = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const received = await receive(response).catch(reject);
      if (received === undefined) return;
      const { statusCode: status = 0, headers: answerHeaders } = response;
      resolve({ status, headers: answerHeaders, text: received, body: parseJson(received) });
    });
  });
  sent.end(body);
  return await answered;
}

/**
 * Whether `exchange` threw because no answer came in time. Node's error is the same for every reason of the signal.
 */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AbortError';
