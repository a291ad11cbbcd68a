/** Receives uploads as S3 does at a presigned address: it refuses a body without Content-Length. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Answers the three requests of an upload like a service with such a store, and no others.
 * @returns its address; `sizes`, the bytes of each body that was stored; `close`
 */
export async function startStrictStore() {
  const sizes: number[] = [];
  const server = createServer(async (request, response) => {
    let sizeBytes = 0;
    for await (const piece of request) sizeBytes += piece.length;
    const { port } = server.address() as AddressInfo; // listening on TCP
    const ticket = { fileId: 'f', uploadUrl: `http://127.0.0.1:${port}/f`, method: 'PUT', headers: {} };
    if (request.method === 'PUT' && request.headers['content-length'] === undefined)
      return response.writeHead(411).end();
    if (request.method === 'PUT') sizes.push(sizeBytes);
    response.end(JSON.stringify({ success: true, data: { ...ticket, id: 'd', status: 'pending' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { address: `http://127.0.0.1:${port}`, sizes, close: () => server.close() };
}
