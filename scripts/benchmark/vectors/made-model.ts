/** A server that makes vectors by chance at once, in place of a model: what is measured is the service alone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeTextVector } from './made-vectors.ts';

/** Runs `use` with its address. Texts are about the topics of `passages` passages. */
export async function withMadeModel<T>(passages: number, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] }; // as the service asks
    const data = input.map((text, index) => {
      const { buffer } = makeTextVector(text, passages);
      return { object: 'embedding', index, embedding: Buffer.from(buffer).toString('base64') };
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
