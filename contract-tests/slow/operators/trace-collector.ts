/** A collector of OpenTelemetry traces, which keeps the requests for tests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request: its path, its Authorization header, and its body in protobuf. */
type TraceRequest = { target: string; authorization: string; bytes: Buffer };

/** Starts a collector on a free port of the loopback interface. */
export async function startTraceCollector() {
  const collected: TraceRequest[] = [];
  const server = createServer(async (request, response) => {
    const { url: target = '', headers } = request;
    collected.push({ target, authorization: headers.authorization ?? '', bytes: await buffer(request) });
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { address: `http://127.0.0.1:${port}`, collected, close: () => void server.close() };
}
