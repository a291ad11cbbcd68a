/**
 * Load shedding: when a lane takes no more requests. Imports may wait for 50 s. Other requests are refused as soon as
 * their account's queue moves slowly.
 */
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import type { FairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { REQUEST_WAIT_MAX_MS } from '../../concurrency/wait-queue.ts';

/** A queue with longer waits is slow: a retry elsewhere or later has better odds. Retry-After is a second too. */
const SLOW_WAIT_MS = 1_000;
/** A sample of the service rate takes at least this long. It expires after SAMPLE_KEPT_MS without a queue. */
const SAMPLE_MS = 200;
const SAMPLE_KEPT_MS = 10_000;
/** This many requests may wait even where the lane moves slowly, as after a start. */
const BURST = 32;
/** The longest wait of a request that is no import. */
const OTHERS_WAIT_MAX_MS = 2_000;
/** The most waiting requests of all accounts. Each holds a connection and at most 64 KiB of its body. */
const WAITING_MAX = 1_000;
/** Accounts whose service rate is remembered: those whose requests waited last. */
const RATES_MAX = 1_000;

/**
 * Measures how fast an account is served. `perMs`: requests a millisecond in the last sample; infinite without one.
 */
function createServiceRate() {
  let [sinceMs, served, perMs, lastMs] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    perMs: () => perMs,
    /** Call it when a request joins the lane. Drops a sample older than SAMPLE_KEPT_MS. */
    onJoined(): void {
      const nowMs = performance.now();
      if (nowMs - lastMs > SAMPLE_KEPT_MS) perMs = Number.POSITIVE_INFINITY;
      if (nowMs - lastMs > SAMPLE_MS) [sinceMs, served] = [nowMs, 0];
      lastMs = nowMs;
    },
    /** Call it when a request gets its permit. */
    onServed(): void {
      served++;
      lastMs = performance.now();
      if (lastMs - sinceMs < SAMPLE_MS) return;
      [sinceMs, served, perMs] = [lastMs, 0, served / (lastMs - sinceMs)];
    },
  };
}

/** The waiting requests of one lane. */
export type Lane = {
  /** The longest wait of a request. */
  waitMaxMs: number;
  isFull(owner: string): boolean;
  /** Call it when a request of the owner joins the lane. */
  joined(owner: string): void;
  /** Call it when a request of the owner gets its permit after a wait. */
  served(owner: string): void;
};

/**
 * Creates the lane of the requests that wait for permits of `semaphore`. `waitsWhenSlow`: requests join the lane even
 * where it moves slowly.
 */
export function createLane(semaphore: FairSemaphore, { waitsWhenSlow }: { waitsWhenSlow: boolean }): Lane {
  const rates = createBoundedCache<ReturnType<typeof createServiceRate>>(RATES_MAX);
  const isSlow = (owner: string): boolean => {
    const first = semaphore.queueOf(owner)?.first();
    const length = semaphore.queueOf(owner)?.length() ?? 0;
    if (first === undefined || length < BURST) return false;
    const perMs = rates.get(owner)?.perMs() ?? Number.POSITIVE_INFINITY;
    return length >= perMs * SLOW_WAIT_MS || performance.now() - first.sinceMs > SLOW_WAIT_MS;
  };
  const isFull = (owner: string): boolean => {
    const length = semaphore.queueOf(owner)?.length() ?? 0;
    const ownMax = Math.max(BURST, WAITING_MAX / semaphore.ownerCount());
    return length >= ownMax || (!waitsWhenSlow && isSlow(owner));
  };
  return {
    waitMaxMs: waitsWhenSlow ? REQUEST_WAIT_MAX_MS : OTHERS_WAIT_MAX_MS,
    isFull,
    joined(owner) {
      if (waitsWhenSlow || !semaphore.queueOf(owner)) return;
      const rate = rates.get(owner) ?? createServiceRate();
      rates.set(owner, rate);
      rate.onJoined();
    },
    served: (owner) => rates.get(owner)?.onServed(),
  };
}
