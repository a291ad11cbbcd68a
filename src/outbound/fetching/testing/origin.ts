/** A web server on this machine. Tests decide what it answers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import type { AddressRules } from '../../address-rules.ts';

/** Answers the n-th request, from 0. */
export type Respond = (request: IncomingMessage, response: ServerResponse, n: number) => void;

export type Origin = {
  /** Without a slash at the end. */
  url: string;
  port: number;
  /** The requests so far: `GET /path`, and their headers. */
  received: { line: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
};

export async function startOrigin(respond: Respond): Promise<Origin> {
  const received: Origin['received'] = [];
  const listen: RequestListener = (request, response) => {
    response.on('error', () => {});
    received.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    respond(request, response, received.length - 1);
  };
  const server = createServer(listen).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Allows 127.0.0.1, where the origins are, and no other private place. */
export function rulesForOrigins(): AddressRules {
  const networks = new BlockList();
  networks.addAddress('127.0.0.1');
  return { protocols: ['https:', 'http:'], allowedPrivate: { names: new Set(), networks } };
}
