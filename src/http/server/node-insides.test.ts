/** Node's HTTP server works as the service expects it. */
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createCountingRequest, stopListening } from './node-insides.ts';

async function listen(handle: RequestListener, Request?: typeof IncomingMessage) {
  const server = createServer(Request === undefined ? {} : { IncomingMessage: Request }, handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { server, port };
}

test('Node calls `push` with each piece of a body, and reads no further when it is refused', async () => {
  const counted: [number, number][] = [];
  const refused = Promise.withResolvers<void>();
  const Request = createCountingRequest(
    (pieces, bytes) => counted.push([pieces, bytes]) === 3,
    (socket) => {
      refused.resolve();
      socket.end();
    },
  );
  const { server, port } = await listen((request) => request.resume(), Request);
  const client = connect(port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (const piece of ['ab', 'cde', 'f', 'ghi', 'j']) client.write(`${piece.length}\r\n${piece}\r\n`);
  await refused.promise;
  await text(client);
  expect(
    counted,
    'Node’s parser no longer calls `IncomingMessage.push` with each piece of a body: see node-insides.ts',
  ).toEqual([
    [1, 2],
    [2, 5],
    [3, 6],
  ]);
  server.closeAllConnections();
  await stopListening(server);
});

test('an HTTP server stops to listen, and answers further requests on the connections that it has', async () => {
  const { server, port } = await listen((_request, response) => response.end('here'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const [response] = await once(get({ port, host: '127.0.0.1', agent }), 'response');
    return await text(response);
  };
  expect(await ask()).toBe('here');
  const stopped = stopListening(server);
  expect(server.listening).toBe(false);
  // Longer than one event loop iteration, after which an idle connection would be cut off.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(
    await ask(),
    'Node’s `net.Server.prototype.close` now closes the idle connections of an HTTP server: see node-insides.ts',
  ).toBe('here');
  agent.destroy();
  await stopped;
});
