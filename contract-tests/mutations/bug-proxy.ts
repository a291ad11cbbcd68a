/** A server in front of a service, which hands its answers on with a bug in them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { OPERATION_IDS, ROUTES } from '../harness/contract-check.ts';
import { type Answer, exchange, type Sent } from '../harness/exchange.ts';
import type { Change, Exchanged } from './bug.ts';

/** What of an answer's headers is said anew for what is handed on (RFC 9110, 7.6.1; its length may change). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];

export type Front = {
  address: string;
  /** Hands answers on with this change, and counts from 0 the answers that it has made others. */
  use(change: Change): void;
  /** @throws what the change has thrown: a fault of the bug's is not a bug of the contract. */
  changed(): number;
  close(): void;
};

async function readSent(request: IncomingMessage): Promise<Sent> {
  const { method = '', url: path = '', headers } = request;
  const { connection: _, ...passed } = headers;
  const body = await buffer(request);
  return { method, path, headers: passed, body: body.byteLength > 0 ? body : undefined };
}

/** The same answer: status, headers and bytes. */
const isSame = (one: Answer, other: Answer): boolean =>
  isDeepStrictEqual([one.status, one.headers, one.text], [other.status, other.headers, other.text]);

const findOperation = (path: string) => OPERATION_IDS.find((id) => ROUTES[id].path === path.split('?')[0]);

/** Stands in front of `upstream`, without a bug at first. */
export async function openFront(upstream: string, apiKey: string): Promise<Front> {
  let change: Change = ({ answer }) => answer;
  let changed = 0;
  let fault: unknown;

  async function pass(sent: Sent): Promise<Answer> {
    const answer = await exchange(upstream, sent);
    const ask = (other: Partial<Sent>) => exchange(upstream, { ...sent, ...other });
    const exchanged: Exchanged = { operationId: findOperation(sent.path), sent, answer, apiKey, ask };
    const given = await change(exchanged);
    if (!isSame(answer, given)) changed += 1;
    return given;
  }

  const server = createServer(async (request, response) => {
    try {
      const { status, headers, text } = await pass(await readSent(request));
      const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      response.writeHead(status, Object.fromEntries(kept));
      response.end(text);
    } catch (thrown) {
      fault ??= thrown;
      response.destroy();
    }
  });
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
