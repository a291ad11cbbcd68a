/** A receiver of webhooks on this machine, which verifies every signature by the reference implementation. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, vi } from 'vitest';
import type { WebhookEvent } from '../../../generated/types.gen.ts';
import { problems, schemas } from '../../../src/contract-check/spec/read-spec.ts';

/** A request that has arrived. */
export type ReceivedEvent = { headers: IncomingHttpHeaders; body: string };

export type Receiver = {
  /** On 127.0.0.1. */
  url: string;
  received: ReceivedEvent[];
  /** Resolves with all events, in their order, as soon as there are `count`. They have been verified. */
  untilReceived(count: number, secret: string): Promise<WebhookEvent[]>;
  close(): void;
};

const LATEST_MS = 100_000;

/** Verifies a request, and checks its body against the spec. */
export function verify({ headers, body }: ReceivedEvent, secret: string): WebhookEvent {
  const event = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(problems(schemas.WebhookEvent ?? {}, event)).toEqual([]);
  return event as WebhookEvent; // by the spec
}

/** Starts a receiver. `statusOf` returns the status for the n-th request, from 0; undefined: it never answers. */
export async function startReceiver(
  statusOf: (n: number) => number | undefined = () => 200,
  answer = '',
): Promise<Receiver> {
  const received: ReceivedEvent[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ headers: request.headers, body });
    const status = statusOf(received.length - 1);
    if (status !== undefined) response.writeHead(status).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async untilReceived(count, secret) {
      await vi.waitUntil(() => received.length >= count, { timeout: LATEST_MS, interval: 20 });
      return received.map((each) => verify(each, secret));
    },
    close,
  };
}

/** A receiver that is closed at the end of the test. */
export async function keepReceiver(...options: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...options);
  onTestFinished(receiver.close);
  return receiver;
}
