/** Sends one HTTP request exactly as it is written down and gives the whole answer. */
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** `path` with its query. A body gets a Content-Length, unless `transfer-encoding: chunked` is among the headers. */
export type Sent = {
  method: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array | undefined;
};

/** `body`: the parsed JSON of `text`; undefined when there is none. */
export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown };

/** Connections are kept, so that thousands of requests need a few of them only. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** No request of the tests may take longer. */
const TIMEOUT_MS = 30_000;

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** @throws when the connection breaks or no answer comes within `timeoutMs`. */
export async function exchange(
  address: string,
  { method, path, headers = {}, body }: Sent,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> {
  const { hostname, port } = new URL(address);
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = request({ hostname, port, method, path, headers, agent, signal });
  const answered = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const received = await text(response).catch(reject);
      if (received === undefined) return;
      const { statusCode: status = 0, headers: answerHeaders } = response;
      resolve({ status, headers: answerHeaders, text: received, body: parseJson(received) });
    });
  });
  sent.end(body);
  return await answered;
}
