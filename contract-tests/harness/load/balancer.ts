/** A simple load balancer. It sends requests in turn to the servers that were ready at the last check. No retries. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { KEPT } from '../../../src/contract-check/requests/exchange.ts';

/** Interval of readiness checks. After a single 503, or no answer, a server gets no requests. */
export const READINESS_INTERVAL_MS = 200;
/**
 * A server whose readiness check takes longer counts as not ready. Real balancers wait for two seconds three times: on
 * a busy machine a single late answer would leave no server while the other one stops.
 */
const READINESS_TIMEOUT_MS = 6_000;
/** The longest start of a server on a busy machine. */
const READY_TIMEOUT_MS = 60_000;

/** Longer than the clients' time-out, like the service's own: the client must be the first to close. */
const KEEP_ALIVE_TIMEOUT_MS = KEPT.timeout + 5_000;

/** A server behind the balancer. Its address changes when it is restarted. */
type Backend = { address: string; isReady: boolean };

async function checkReadiness({ address }: Backend): Promise<boolean> {
  const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS);
  const answer = await fetch(`${address}/readyz`, { signal }).catch(() => undefined);
  await answer?.text().catch(() => {});
  return answer?.ok === true;
}

/** Forwards a request over a kept connection, and the answer or error to the client. */
function forward(agent: http.Agent, address: string, request: IncomingMessage, response: ServerResponse) {
  const { method, url, headers } = request;
  const { hostname, port } = new URL(address);
  const { connection: _connection, ...requestHeaders } = headers;
  const forwarded = http.request({ agent, hostname, port, method, path: url, headers: requestHeaders });
  forwarded.on('response', (answer) => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...answerHeaders } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answerHeaders);
    answer.pipe(response).on('error', () => {});
    answer.on('error', (error) => {
      // The client must see a cut answer, too.
      process.stderr.write(`the balancer lost ${address} within an answer to ${url}: ${error}\n`);
      response.destroy();
    });
  });
  forwarded.on('error', (error) => {
    if (response.headersSent) return void response.destroy();
    response.writeHead(502, { 'content-type': 'text/plain' }).end(`the balancer lost ${address}: ${error}`);
  });
  request.pipe(forwarded);
}

/**
 * Starts the balancer in front of the servers at `addresses`.
 * @returns its own address; `replace`, which replaces a backend's server and resolves once the new one gets requests;
 * `counts`, the number of requests to each backend
 */
export async function startBalancer(addresses: string[]) {
  const backends: Backend[] = addresses.map((address) => ({ address, isReady: true }));
  const counts = backends.map(() => 0);
  const agent = new http.Agent(KEPT);
  let turn = 0;
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (request, response) => {
    const ready = backends.filter(({ isReady }) => isReady);
    const backend = ready[turn++ % ready.length];
    if (backend === undefined) return void response.writeHead(502).end('the balancer knows no ready server');
    const index = backends.indexOf(backend);
    counts[index] = (counts[index] ?? 0) + 1;
    forward(agent, backend.address, request, response);
  });
  const closing = new AbortController();
  const watch = async (backend: Backend) => {
    while (!closing.signal.aborted) {
      backend.isReady = await checkReadiness(backend);
      await delay(READINESS_INTERVAL_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  const watching = Promise.all(backends.map(watch));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    address: `http://127.0.0.1:${port}`,
    counts,
    async replace(index: number, address: string): Promise<void> {
      const backend = backends[index];
      if (backend === undefined) throw new Error(`there is no backend ${index}`);
      backend.address = address;
      await vi.waitUntil(() => backend.isReady, { timeout: READY_TIMEOUT_MS, interval: 20 });
    },
    async close(): Promise<void> {
      closing.abort();
      await watching;
      server.closeAllConnections();
      agent.destroy();
      server.close();
    },
  };
}
