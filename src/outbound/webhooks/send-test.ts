/** Sends test events at once, while their owner waits. */
import { v7 as uuidv7 } from 'uuid';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { REQUEST_WAIT_MAX_MS, type RemainingWait } from '../../concurrency/wait-queue.ts';
import { clockFrom } from '../../database/connection/clock.ts';
import type { Delivery } from '../../database/rows/webhooks/deliveries.ts';
import { openConnections } from '../connections.ts';
import { type ReceiverRules, toAddressRules } from './receivers.ts';
import { sendEvent } from './send-event.ts';

/** Tests of one server at a time. Each holds a connection for ten seconds at most. */
const TESTS = 16;

type TestedWebhook = { id: string; accountId: string; url: string; secret: Buffer };
type TestOptions = { createdAt: Date; signal: AbortSignal; remainingWait: RemainingWait | undefined };

/**
 * Sends a test event to the receiver. Returns the attempt, and the beginning of the receiver's answer if there was one.
 * @throws SERVICE_UNAVAILABLE when too many tests run
 */
export type SendTest = (
  webhook: TestedWebhook,
  options: TestOptions,
) => Promise<{ delivery: Delivery; answer: string | undefined }>;

export function createSendTest(rules: ReceiverRules): SendTest {
  const permits = createFairSemaphore(TESTS);
  return async ({ accountId, ...webhook }, { createdAt, signal, remainingWait }) => {
    const now = clockFrom(createdAt);
    await permits.acquire(accountId, { signal, remainingWait, waitMaxMs: REQUEST_WAIT_MAX_MS });
    const connections = openConnections(webhook.url, 1, toAddressRules(rules));
    try {
      const event = { id: uuidv7(), type: 'webhook.test', createdAt, data: { id: webhook.id } } as const;
      const { answer, ...result } = await sendEvent(webhook, event, { connections, signal, now });
      return { delivery: { eventId: event.id, eventType: event.type, attempt: 1, ...result }, answer };
    } finally {
      connections.close();
      permits.release(accountId);
    }
  };
}
