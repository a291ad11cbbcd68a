/** Takes what an OpenTelemetry collector takes, for tests to look at. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What has been sent: its path, its Authorization header, and the protobuf. */
export type Sending = { target: string; authorization: string; bytes: Buffer };

/** Starts it on any port of loopback. */
export async function startTraceCollector() {
  const collected: Sending[] = [];
  const server = createServer(async (request, response) => {
    const { url: target = '', headers } = request;
    collected.push({ target, authorization: headers.authorization ?? '', bytes: await buffer(request) });
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { address: `http://127.0.0.1:${port}`, collected, close: () => void server.close() };
}
