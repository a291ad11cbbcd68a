/** A receiver of events on this machine. Tests decide what it answers. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from '../../../../generated/types.gen.ts';

/** A request that has arrived. */
export type ReceivedEvent = { id: string; body: string; headers: IncomingHttpHeaders; event: WebhookEvent };

/** Answers the n-th request, from 0; the default is 204. */
export type Answer = (received: ReceivedEvent, n: number, ...http: Parameters<RequestListener>) => void;

export type TestReceiver = {
  url: string;
  /** All requests so far, in their order. */
  received: ReceivedEvent[];
  /** How many requests wait for their answer, and the most at any time. */
  open: { now: number; most: number };
  close(): Promise<void>;
};

/** @throws as the reference implementation of Standard Webhooks does when the signature is wrong */
export const verify = (secret: string, { body, headers }: ReceivedEvent): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

/** Starts a receiver on a free port of 127.0.0.1. */
export async function startReceiver(
  answer: Answer = (_, __, ___, response) => response.writeHead(204).end(),
): Promise<TestReceiver> {
  const received: ReceivedEvent[] = [];
  const open = { now: 0, most: 0 };
  const server = createServer(async (request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => (open.now -= 1));
    const body = Buffer.concat(await request.toArray()).toString();
    const { headers } = request;
    const event = JSON.parse(body) as WebhookEvent; // tests check its fields
    const each = { id: String(headers['webhook-id']), body, headers, event };
    received.push(each);
    answer(each, received.length - 1, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    open,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
