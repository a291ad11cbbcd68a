/** A first-in, first-out queue of requests that wait for a scarce resource: a permit, or memory for a body. */
import { clientHungUp, overloaded } from '../terms/errors.ts';

/** The part of a ServerResponse that shows when the client has hung up. */
export type Client = {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
};

/** `sinceMs`: the start of its wait, by `performance.now()`. `wanted`: the resource that it waits for. */
export type Waiter<Wanted> = { sinceMs: number; wanted: Wanted };

type QueuedWaiter<Wanted> = Waiter<Wanted> & { serve(): void; reject(error: Error): void };

export type WaitQueue<Wanted> = {
  length(): number;
  first(): Waiter<Wanted> | undefined;
  /**
   * Waits at the end of the queue until it is served.
   * @throws SERVICE_UNAVAILABLE after `waitMaxMs`, or when the remaining wait is spent; MALFORMED_REQUEST, for the log
   * only, when the client hangs up; the signal's reason when that aborts
   */
  wait(wanted: Wanted, limits: WaitLimits): Promise<void>;
  /** Ends the first wait. */
  serveFirst(): void;
  /** Calls `tryGrant` with each wanted resource, in order of arrival. Ends the waits for which it returns true. */
  serveWhere(tryGrant: (wanted: Wanted) => boolean): void;
  /** Rejects every wait with this error. */
  rejectAll(error: () => Error): void;
};

/** The time left for all waits of one request together. Each wait subtracts its duration. */
export type RemainingWait = { leftMs: number };

/** The longest wait of a request: below a minute, after which most clients and proxies give up. */
export const REQUEST_WAIT_MAX_MS = 50_000;
/** The longest wait during shutdown: an answer has to reach its client before the connections close. */
export const SHUTDOWN_WAIT_MAX_MS = 2_000;

/** The client of a waiting request, and the limits of its wait. Without limits it may wait for ever. */
export type WaitLimits = {
  client?: Client;
  signal?: AbortSignal;
  waitMaxMs?: number;
  remainingWait?: RemainingWait | undefined;
};

/** Waits at the end of the queue, until the wait is served or rejected. */
const untilServed = <Wanted>(
  queue: QueuedWaiter<Wanted>[],
  wanted: Wanted,
  { client, signal, remainingWait, waitMaxMs }: WaitLimits & { waitMaxMs: number },
): Promise<void> =>
  new Promise((resolvePromise, rejectPromise) => {
    const leave = () => {
      clearTimeout(timer);
      if (remainingWait) remainingWait.leftMs -= performance.now() - waiter.sinceMs;
      client?.off('close', hangUp);
      signal?.removeEventListener('abort', abort);
      queue.splice(queue.indexOf(waiter), 1);
    };
    const serve = () => {
      leave();
      resolvePromise();
    };
    const reject = (error: Error) => {
      leave();
      rejectPromise(error);
    };
    const hangUp = () => reject(clientHungUp());
    const abort = () => reject(signal?.reason);
    const waiter = { sinceMs: performance.now(), wanted, serve, reject };
    const timer = waitMaxMs === Infinity ? undefined : setTimeout(() => reject(overloaded()), waitMaxMs);
    client?.once('close', hangUp);
    signal?.addEventListener('abort', abort);
    queue.push(waiter);
  });

/** Creates an empty queue. When a client hangs up, its request leaves the queue and no longer counts. */
export function createWaitQueue<Wanted>(): WaitQueue<Wanted> {
  const queue: QueuedWaiter<Wanted>[] = [];
  return {
    length: () => queue.length,
    first: () => queue[0],
    async wait(wanted, limits) {
      // The time of earlier waits may have spent more than there was: a timer takes no negative time.
      const leftMs = Math.min(limits.waitMaxMs ?? Infinity, limits.remainingWait?.leftMs ?? Infinity);
      if (limits.client?.closed) throw clientHungUp();
      limits.signal?.throwIfAborted();
      await untilServed(queue, wanted, { ...limits, waitMaxMs: Math.max(0, leftMs) });
    },
    serveFirst: () => queue[0]?.serve(),
    serveWhere(tryGrant) {
      for (const { wanted, serve } of [...queue]) if (tryGrant(wanted)) serve();
    },
    rejectAll: (error) => {
      for (const { reject } of [...queue]) reject(error());
    },
  };
}
