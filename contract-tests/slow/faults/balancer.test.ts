/** The client side closes idle connections. Otherwise it might send a request while the server closes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { startBalancer } from '../../harness/load/balancer.ts';

/** The shortest usable time-out: servers announce whole seconds, and Node's client closes a second earlier. */
const KEEP_ALIVE_TIMEOUT_MS = 2_000;

/**
 * Starts a server that answers every request.
 * `closer` resolves with the side that closes the connection of the next request for `path`.
 */
async function startServer() {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (_request, response) => {
    response.end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  const closer = async (path: string): Promise<string> => {
    const socket = await new Promise<Socket>((resolve) => {
      server.on('request', (request) => {
        if (request.url === path) resolve(request.socket);
      });
    });
    const byClient = once(socket, 'end').then(() => 'client');
    return await Promise.race([byClient, once(socket, 'timeout').then(() => 'server')]);
  };
  return { address: `http://127.0.0.1:${port}`, closer, close: () => server.close() };
}

test.each([
  ['the client of the tests', async (address: string) => ({ address, close: async () => {} })],
  ['a balancer', async (address: string) => await startBalancer([address])],
])('%s closes an idle connection before the server does', async (_name, startFront) => {
  const server = await startServer();
  const front = await startFront(server.address);
  const closing = server.closer('/once');
  expect((await exchange(front.address, { method: 'GET', path: '/once' })).status).toBe(200);
  expect(await closing).toBe('client');
  await front.close();
  server.close();
});
