/** The side that sends requests closes idle connections. Otherwise a request may be sent into a closing connection. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { exchange } from '../harness/exchange.ts';
import { startBalancer } from './balancer.ts';

/** The shortest time-out that a server can announce and a client can undercut by a second. */
const KEEP_ALIVE_TIMEOUT_MS = 2_000;

/** Starts a server that answers every request, and reports which side closes a request's connection. */
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
  ['the tests', async (address: string) => ({ address, close: async () => {} })],
  ['a balancer', async (address: string) => await startBalancer([address])],
])('an idle connection of %s is closed from there, not by the server', async (_who, startBefore) => {
  const server = await startServer();
  const before = await startBefore(server.address);
  const closing = server.closer('/asked');
  expect((await exchange(before.address, { method: 'GET', path: '/asked' })).status).toBe(200);
  expect(await closing).toBe('client');
  await before.close();
  server.close();
});
