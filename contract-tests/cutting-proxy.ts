/** A TCP proxy before a server that lets one answer get lost: the server has sent it, the client never has it whole. */
import { createServer, connect as openSocket, type Socket } from 'node:net';

/** Where a connection is cut: after so many bytes of its answer, or so many milliseconds after its request. */
export type Cut = { answerBytes: number } | { afterMs: number };

/** Cuts the client off within the answer; the server is heard to its end, which is what it has answered. */
async function cutAnswer(client: Socket, server: Socket, answerBytes: number): Promise<string> {
  const received: Buffer[] = [];
  for await (const bytes of server) {
    if (received.length === 0) client.write(bytes.subarray(0, answerBytes), () => client.destroy());
    received.push(bytes);
  }
  return Buffer.concat(received).toString();
}

/** Cuts both sides off; nobody knows how far the server has come. */
async function cutRequest(client: Socket, server: Socket, afterMs: number): Promise<string> {
  await new Promise((resolve) => client.once('data', resolve));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  client.destroy();
  server.destroy();
  return '';
}

/**
 * Starts it before `target`, for requests that fit into one packet and close their connection.
 * @returns `cutNext`, which says how the next connection is cut and resolves with what the server has sent over it.
 */
export async function startCuttingProxy(target: string) {
  const { hostname, port: targetPort } = new URL(target);
  let take: ((client: Socket, server: Socket) => void) | undefined;
  const proxy = createServer((client) => {
    const server = openSocket(Number(targetPort), hostname);
    for (const socket of [client, server]) socket.on('error', () => {});
    take?.(client, server);
    client.on('data', (bytes) => server.write(bytes));
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number }; // listening on TCP

  const cutNext = (cut: Cut): Promise<string> =>
    new Promise((resolve, reject) => {
      take = (client, server) => {
        const lost =
          'afterMs' in cut
            ? cutRequest(client, server, cut.afterMs)
            : cutAnswer(client, server, cut.answerBytes);
        lost.then(resolve, reject);
      };
    });
  return { address: `http://127.0.0.1:${port}`, cutNext, close: () => void proxy.close() };
}
