/** Node's fetch reads a Blob as the client expects it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { blobReadBy } from './fetch-insides.ts';

test('fetch sends a Blob by its method `stream`, with its size as the length and its type', async () => {
  const server = createServer(async (request, response) => {
    const { 'content-length': length, 'content-type': type } = request.headers;
    response.end(JSON.stringify({ length, type, body: await text(request) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const blob = new Blob(['some bytes'], { type: 'text/plain' });
  let calls = 0;
  const body = blobReadBy(blob, () => {
    calls++;
    return blob.stream();
  });
  const answer = await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json();
  expect(calls, 'fetch no longer calls the method `stream` of a Blob: see fetch-insides.ts').toBe(1);
  expect(answer).toEqual({ length: '10', type: 'text/plain', body: 'some bytes' });
  server.close();
  server.closeAllConnections();
});
