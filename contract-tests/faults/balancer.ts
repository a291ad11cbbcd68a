/** A load balancer before servers, as simple ones are: by turns to those that were ready when last asked, and no second try. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { KEPT } from '../harness/exchange.ts';

/** How often each server is asked; one 503, or no answer, takes it out at once. */
export const READINESS_INTERVAL_MS = 200;
/** A server that takes longer to say that it is ready counts as not ready, as with real ones. */
const READINESS_TIMEOUT_MS = 2_000;
/** A busy machine takes this long to start a server at most. */
const READY_TIMEOUT_MS = 60_000;

/** Longer than its clients keep an idle connection, as the service's own. */
const KEEP_ALIVE_TIMEOUT_MS = KEPT.timeout + 5_000;

/** A place for a server; a restarted one comes back to its place, at whatever address. */
type Place = { address: string; isReady: boolean };

async function askReadiness({ address }: Place): Promise<boolean> {
  const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS);
  const answer = await fetch(`${address}/readyz`, { signal }).catch(() => undefined);
  await answer?.text().catch(() => {});
  return answer?.ok === true;
}

/** Passes a request on over a connection that is kept; what breaks there is the client's to see. */
function forward(agent: http.Agent, address: string, request: IncomingMessage, response: ServerResponse) {
  const { method, url, headers } = request;
  const { hostname, port } = new URL(address);
  const { connection: _hop, ...passed } = headers;
  const onward = http.request({ agent, hostname, port, method, path: url, headers: passed });
  onward.on('response', (answer) => {
    const { connection: _theirs, 'keep-alive': _theirTime, ...given } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, given);
    answer.pipe(response).on('error', () => {});
    answer.on('error', (error) => {
      // To the client a cut answer looks like a connection that the balancer has closed.
      process.stderr.write(`the balancer lost ${address} within an answer to ${url}: ${error}\n`);
      response.destroy();
    });
  });
  onward.on('error', (error) => {
    if (response.headersSent) return void response.destroy();
    response.writeHead(502, { 'content-type': 'text/plain' }).end(`the balancer lost ${address}: ${error}`);
  });
  request.pipe(onward);
}

/**
 * Starts it before `addresses`.
 * @returns its own address; `replace`, which puts a server in the place of another and resolves once it gets requests;
 * `counts`, how many requests went to each place.
 */
export async function startBalancer(addresses: string[]) {
  const places: Place[] = addresses.map((address) => ({ address, isReady: true }));
  const counts = places.map(() => 0);
  const agent = new http.Agent(KEPT);
  let turn = 0;
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (request, response) => {
    const ready = places.filter(({ isReady }) => isReady);
    const place = ready[turn++ % ready.length];
    if (place === undefined) return void response.writeHead(502).end('the balancer knows no ready server');
    const index = places.indexOf(place);
    counts[index] = (counts[index] ?? 0) + 1;
    forward(agent, place.address, request, response);
  });
  const closing = new AbortController();
  const watch = async (place: Place) => {
    while (!closing.signal.aborted) {
      place.isReady = await askReadiness(place);
      await delay(READINESS_INTERVAL_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  const watching = Promise.all(places.map(watch));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    address: `http://127.0.0.1:${port}`,
    counts,
    async replace(index: number, address: string): Promise<void> {
      const place = places[index];
      if (place === undefined) throw new Error(`there is no place ${index}`);
      place.address = address;
      await vi.waitUntil(() => place.isReady, { timeout: READY_TIMEOUT_MS, interval: 20 });
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
