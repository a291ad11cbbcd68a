/** A program: a minimal `node:http` server, which measures the machine's speed. Prints its port, ends by SIGTERM. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As long as the service's answers to small requests. */
const answer = JSON.stringify({ success: true, data: { credits: 1_000_000 } });

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(answer);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a TCP port
  process.stdout.write(`${port}\n`);
});
