/** Sends requests as clients with many queries do, with as little time of the client's own as possible. */
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';

/** Keeps connections open, where the server does, and closes idle ones before the service does (65 s). */
const agent = new Agent({ keepAlive: true, timeout: 60_000 });

/** Posts `body` and reads the answer as JSON. `fetch` would take about 0.2 ms more of the client's own time. */
export const post = (
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number | undefined; answer: unknown }> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      json(response).then((answer) => resolve({ status: response.statusCode, answer }), reject);
    });
    sent.on('error', reject).end(body);
  });
