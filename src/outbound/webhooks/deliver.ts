/**
 * Delivers the events that wait in the database. A server leases a webhook and sends a few events to its receiver, in
 * parallel, but never two events of the same document. So events of a document stay in order, and a slow receiver
 * occupies only the leases of its own webhook.
 */
import type { Logger } from 'pino';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { repeatOrWake } from '../../concurrency/repeat.ts';
import { withTimeout } from '../../concurrency/timeout.ts';
import { clockFrom } from '../../database/connection/clock.ts';
import type { Database } from '../../database/connection/database.ts';
import { logDeliveries } from '../../database/rows/webhooks/deliveries.ts';
import {
  type DueWebhook,
  endLease,
  findDueWebhooks,
  type Lease,
  type Outcome,
  takeLease,
} from '../../database/rows/webhooks/leases.ts';
import {
  type DueEvent,
  delayEvents,
  findDueEvents,
  postponeBlockedEvents,
  removeEvents,
} from '../../database/rows/webhooks/webhook-events.ts';
import { disableWebhook } from '../../database/rows/webhooks/webhooks.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { openConnections } from '../connections.ts';
import { type ReceiverRules, toAddressRules } from './receivers.ts';
import { type SendOptions, type SendResult, sendEvent } from './send-event.ts';

/** How late an event may be sent: nothing announces the commit of its transaction. */
const POLL_INTERVAL_MS = 500;
/** How soon the database is queried again after a failure. */
const FAILED_POLL_INTERVAL_MS = 2_000;

/** How long a stop waits for running leases, by default. */
const STOP_TIMEOUT_MS = 1_000;

/** Leases of one server at a time. An account may have half of them while other accounts wait. */
const LEASES = 16;
/** Further leases for accounts without any: they need not wait for a slow receiver of another account. */
const RESERVED_LEASES = 8;

/** Requests to one receiver at a time. */
const PARALLEL = 4;
/** Events of one lease. One event would need as many statements. */
const EVENTS_MAX = 32;
/**
 * No request begins later than this after the begin of its lease. Each takes ten seconds at most, and so ends before
 * the lease. A server that was paused sends no old event after newer ones that another server has sent meanwhile.
 */
const SENDING_MS = 5_000;

/** Standard Webhooks: the receiver is gone, and wants no more events. */
const GONE = 410;

/** Pause after the first failure. Each further failure doubles it, up to an hour. */
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 3_600;

/**
 * Returns the seconds until the next attempt after `failures` ones. Random, between half and all of the pause, so that
 * receivers that failed together are not tried together.
 */
export function pauseAfter(failures: number): number {
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (failures - 1), LONGEST_PAUSE_SECONDS);
  return pause * (0.5 + Math.random() / 2);
}

export type DeliveryContext = Readonly<{
  database: Database;
  rules: ReceiverRules;
  /** How long an event is sent again before it is given up, and a receiver before it is disabled. */
  retrySeconds: number;
  telemetry: Telemetry;
  log: Logger;
}>;

type Attempt = { event: DueEvent; result: SendResult };

/**
 * Sends events to one receiver, until all are sent, the time for them is over, or one of them fails: then the receiver
 * may be down. Returns the attempts that have ended.
 */
async function sendAll(
  { rules, telemetry }: DeliveryContext,
  { lease, events, ...options }: { lease: Lease; events: DueEvent[] } & Omit<SendOptions, 'connections'>,
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  const connections = openConnections(lease.url, PARALLEL, toAddressRules(rules));
  const { signal, latestAtMs = 0 } = options;
  const isOver = () =>
    signal.aborted || performance.now() > latestAtMs || attempts.some(({ result }) => result.error !== null);
  const waiting = events.values();
  const sendWaiting = async () => {
    while (!isOver()) {
      const { value: event } = waiting.next();
      if (event === undefined) return;
      const result = await telemetry.step('delivering', () =>
        sendEvent(lease, event, { connections, ...options }),
      );
      telemetry.eventSent(result.error === null ? 'received' : 'failed');
      attempts.push({ event, result });
    }
  };
  // An aborted request, or one that is too late, is no attempt: another server sends the event again.
  await Promise.allSettled(Array.from({ length: PARALLEL }, sendWaiting));
  connections.close();
  return attempts;
}

/** Why the receiver is disabled after these attempts; undefined if it is not. */
function findReasonToDisable(lease: Lease, attempts: Attempt[]): string | undefined {
  if (attempts.some(({ result }) => result.status === GONE))
    return `The receiver answered with status ${GONE}: it wants no more events.`;
  if (!lease.isOverdue || attempts.some(({ result }) => result.error === null)) return undefined;
  const since = lease.failingSince?.toISOString();
  return `The receiver has accepted nothing since ${since}. Last problem: ${attempts.at(-1)?.result.error}`;
}

function outcomeOf({ failures }: Lease, attempts: Attempt[]): Outcome {
  if (attempts.some(({ result }) => result.error === null)) return { works: true };
  return attempts.length === 0 ? undefined : { works: false, retrySeconds: pauseAfter(failures + 1) };
}

/**
 * Ends a lease, and records what its attempts have shown. Records nothing if another server has taken over meanwhile:
 * that one sends the events again.
 */
async function recordAttempts(
  { database, log }: DeliveryContext,
  lease: Lease,
  attempts: Attempt[],
): Promise<void> {
  const failed = attempts.filter(({ result }) => result.error !== null).map(({ event }) => event);
  const givenUp = failed.filter(({ isOverdue }) => isOverdue);
  const received = attempts.filter(({ result }) => result.error === null).map(({ event }) => event);
  const reason = attempts.length > 0 ? findReasonToDisable(lease, attempts) : undefined;
  const isRecorded = await database.transaction().execute(async (transaction) => {
    if (!(await endLease(transaction, lease, outcomeOf(lease, attempts)))) return false;
    if (attempts.length === 0) await postponeBlockedEvents(transaction, lease.id);
    else {
      const ended = [...received, ...givenUp].map(({ position }) => position);
      await removeEvents(transaction, lease.id, ended);
      const delays = failed.map(({ position, attempts }) => ({
        position,
        seconds: pauseAfter(attempts + 1),
      }));
      await delayEvents(transaction, lease.id, delays);
      await logDeliveries(transaction, lease, attempts.map(toDelivery));
    }
    if (reason !== undefined) await disableWebhook(transaction, lease.id, reason);
    return true;
  });
  if (!isRecorded) return;
  const webhook = { accountId: lease.accountId, webhookId: lease.id };
  for (const { id, type } of givenUp) log.warn({ ...webhook, event: id, type }, 'an event was given up');
  if (reason !== undefined) log.warn({ ...webhook, reason }, 'a webhook was disabled');
}

const toDelivery = ({ event, result: { answer: _, ...result } }: Attempt) => ({
  eventId: event.id,
  eventType: event.type,
  attempt: event.attempts + 1,
  ...result,
});

/** Takes a lease of a webhook, and delivers. Returns whether it has sent anything. */
async function deliverTo(
  context: DeliveryContext,
  webhook: DueWebhook,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, retrySeconds } = context;
  const latestAtMs = performance.now() + SENDING_MS;
  const lease = await takeLease(database, webhook.id, retrySeconds);
  if (lease === undefined) return false;
  const now = clockFrom(lease.beganAt);
  // A receiver that has failed gets one event at a time, until it accepts one.
  const limit = lease.failures > 0 ? 1 : EVENTS_MAX;
  const events = await findDueEvents(database, lease.id, { limit, retrySeconds });
  const attempts = await sendAll(context, { lease, events, now, latestAtMs, signal });
  await recordAttempts(context, lease, attempts);
  return attempts.length > 0;
}

export type Deliveries = {
  /** Takes no further lease. */
  end(): Promise<void>;
  /**
   * Lets running leases end within `timeoutMs`. Then it aborts their requests: other servers send those events again.
   */
  stop(timeoutMs?: number): Promise<void>;
};

/** Takes a lease of each webhook that is due. Returns how long to wait until the next look. */
async function beginDue(
  { database, log }: DeliveryContext,
  begin: (webhook: DueWebhook) => void,
): Promise<number> {
  try {
    for (const webhook of await findDueWebhooks(database)) begin(webhook);
    return POLL_INTERVAL_MS;
  } catch (error) {
    log.warn({ err: error }, 'the waiting events could not be read');
    return FAILED_POLL_INTERVAL_MS;
  }
}

/** Starts to deliver. Any number of servers may do so on one database. */
export function startDeliveries(context: DeliveryContext): Deliveries {
  const leases = createFairSemaphore(LEASES, () => {}, RESERVED_LEASES);
  const stopping = new AbortController();
  /** The webhooks whose leases run or wait here. */
  const underWay = new Map<string, Promise<void>>();

  const wait = async (webhook: DueWebhook): Promise<void> => {
    await leases.acquire(webhook.accountId);
    const hasSent = await deliverTo(context, webhook, stopping.signal).finally(() =>
      leases.release(webhook.accountId),
    );
    underWay.delete(webhook.id);
    // The next lease of this webhook need not wait for the interval.
    if (hasSent) polling.wake();
  };
  const begin = (webhook: DueWebhook): void => {
    if (underWay.has(webhook.id)) return;
    const ended = wait(webhook).catch((error) => {
      underWay.delete(webhook.id);
      if (!stopping.signal.aborted) context.log.warn({ err: error }, 'delivering events failed');
    });
    underWay.set(webhook.id, ended);
  };
  const polling = repeatOrWake(() => beginDue(context, begin));
  return {
    end: polling.stop,
    async stop(timeoutMs = STOP_TIMEOUT_MS) {
      await polling.stop();
      const running = Promise.all(underWay.values());
      await withTimeout(running, timeoutMs, () => {});
      stopping.abort();
      leases.rejectAll(() => new Error('the server stops'));
      await running;
    },
  };
}
