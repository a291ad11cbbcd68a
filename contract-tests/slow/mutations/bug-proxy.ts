/** A proxy in front of a service. It changes the service's answers as a bug would. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { type Answer, exchange, type Sent } from '../../../src/contract-check/requests/exchange.ts';
import { OPERATION_IDS, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import type { Change, Exchanged } from './bug.ts';

/** Headers that the proxy does not forward: hop-by-hop ones (RFC 9110, 7.6.1), and the length, which may change. */
const NOT_FORWARDED = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];

export type BugProxy = {
  address: string;
  /** Applies this change from now on, and counts the changed answers from 0. */
  use(change: Change): void;
  /** The number of changed answers. @throws the error of the change, if any: it would look like a caught bug */
  changed(): number;
  close(): void;
};

async function readSent(request: IncomingMessage): Promise<Sent> {
  const { method = '', url: path = '', headers } = request;
  const { connection: _, ...forwarded } = headers;
  const body = await buffer(request);
  return { method, path, headers: forwarded, body: body.byteLength > 0 ? body : undefined };
}

/** The same answer: status, headers and bytes. */
const isSame = (one: Answer, other: Answer): boolean =>
  isDeepStrictEqual([one.status, one.headers, one.text], [other.status, other.headers, other.text]);

const findOperation = (path: string) => OPERATION_IDS.find((id) => ROUTES[id].path === path.split('?')[0]);

/** Starts a proxy to `upstream`, at first without a change. */
export async function openBugProxy(upstream: string, apiKey: string): Promise<BugProxy> {
  let change: Change = ({ answer }) => answer;
  let changed = 0;
  let fault: unknown;

  async function forward(sent: Sent): Promise<Answer> {
    const answer = await exchange(upstream, sent);
    const resend = (other: Partial<Sent>) => exchange(upstream, { ...sent, ...other });
    const exchanged: Exchanged = { operationId: findOperation(sent.path), sent, answer, apiKey, resend };
    const altered = await change(exchanged);
    if (!isSame(answer, altered)) changed += 1;
    return altered;
  }

  const server = createServer(async (request, response) => {
    try {
      const { status, headers, text } = await forward(await readSent(request));
      const forwarded = Object.entries(headers).filter(([name]) => !NOT_FORWARDED.includes(name));
      response.writeHead(status, Object.fromEntries(forwarded));
      response.end(text);
    } catch (thrown) {
      fault ??= thrown;
      response.destroy();
    }
  });
  // Dredd blocks this process for seconds while it reads the spec. Its next request would go out over a connection
  // whose time is already over, and get no answer.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    address: `http://127.0.0.1:${port}`,
    use(other) {
      change = other;
      changed = 0;
      fault = undefined;
    },
    changed() {
      if (fault !== undefined) throw fault;
      return changed;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
