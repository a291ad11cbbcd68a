/**
 * The lanes in which the requests of an account wait for a permit. Imports wait for long; other requests are refused
 * when they are served slowly.
 */
import { LRUCache } from 'lru-cache';
import type { FairSemaphore } from '../concurrency/fair-semaphore.ts';

/**
 * The longest wait for a search. After that, a retry elsewhere or later has better odds: Retry-After is a second, too.
 */
const SLOW_WAIT_MS = 1_000;
/**
 * Time to measure how many requests a second a lane can serve. Without a queue, the result holds for SAMPLE_KEPT_MS.
 */
const SAMPLE_MS = 200;
const SAMPLE_KEPT_MS = 10_000;
/** Requests that may wait in any case. A burst is served even where the lane moves slowly, as after a start. */
const BURST = 32;
/** No request of a burst waits longer than this. */
const WAIT_MAX_MS = 2_000;
/** Below a minute, after which most clients and proxies give up. */
const IMPORT_WAIT_MAX_MS = 50_000;
/**
 * Waiting requests of all accounts together. Each holds a connection, and at most 64 KiB of its body that have arrived.
 */
const WAITING_MAX = 1_000;
/** Accounts whose pace is remembered: those whose requests waited last. */
const RATES_MAX = 1_000;

export type LaneName = 'imports' | 'others';

/** The operations that import a document, from its ticket to the end of its import. */
const IMPORT_PATHS: ReadonlySet<string> = new Set([
  '/v1/presignUploadUrl',
  '/v1/importFile',
  '/v1/importTextContent',
  '/v1/getDocumentStatus',
]);

export const laneOf = (path: string): LaneName => (IMPORT_PATHS.has(path) ? 'imports' : 'others');

/**
 * How fast an account is served, by its last sample: `perMs` requests a millisecond, infinite while nothing is known.
 */
function createServiceRate() {
  let [sinceMs, served, perMs, lastMs] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    perMs: () => perMs,
    /** A request joins the lane. After SAMPLE_KEPT_MS without a queue, the last sample is dropped. */
    onJoined(): void {
      const nowMs = performance.now();
      if (nowMs - lastMs > SAMPLE_KEPT_MS) perMs = Number.POSITIVE_INFINITY;
      if (nowMs - lastMs > SAMPLE_MS) [sinceMs, served] = [nowMs, 0];
      lastMs = nowMs;
    },
    /** A request gets its turn. */
    onServed(): void {
      served++;
      lastMs = performance.now();
      if (lastMs - sinceMs < SAMPLE_MS) return;
      [sinceMs, served, perMs] = [lastMs, 0, served / (lastMs - sinceMs)];
    },
  };
}

/** The requests of a lane. */
export type Lane = {
  /** The longest wait of a request. */
  waitMaxMs: number;
  isFull(owner: string): boolean;
  /** A request of the owner joins the lane. */
  joined(owner: string): void;
  /** A request of the owner that waited gets its turn. */
  served(owner: string): void;
};

/**
 * The requests that wait for their owner's share of `shares`. `isPatient`: they wait even where they are served slowly.
 */
export function createLane(semaphore: FairSemaphore, { waitsWhenSlow }: { waitsWhenSlow: boolean }): Lane {
  const rates = new LRUCache<string, ReturnType<typeof createServiceRate>>({ max: RATES_MAX });
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
    waitMaxMs: waitsWhenSlow ? IMPORT_WAIT_MAX_MS : WAIT_MAX_MS,
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
