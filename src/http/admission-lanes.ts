/**
 * The lanes in which the requests of an account wait for a permit. Imports wait for long; other requests are refused
 * when they are served slowly.
 */
import { LRUCache } from 'lru-cache';
import type { FairSemaphore } from '../concurrency/fair-semaphore.ts';

/**
 * The longest wait for a search. After that, a retry elsewhere or later has better odds: Retry-After is a second, too.
 */
const SOON_MS = 1_000;
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
const PACES_MAX = 1_000;

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
  let [sinceMs, steps, perMs, lastMs] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    perMs: () => perMs,
    /** A request joins the lane. After SAMPLE_KEPT_MS without a queue, the last sample is dropped. */
    begin(): void {
      const nowMs = performance.now();
      if (nowMs - lastMs > SAMPLE_KEPT_MS) perMs = Number.POSITIVE_INFINITY;
      if (nowMs - lastMs > SAMPLE_MS) [sinceMs, steps] = [nowMs, 0];
      lastMs = nowMs;
    },
    /** A request gets its turn. */
    step(): void {
      steps++;
      lastMs = performance.now();
      if (lastMs - sinceMs < SAMPLE_MS) return;
      [sinceMs, steps, perMs] = [lastMs, 0, steps / (lastMs - sinceMs)];
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
export function createLane(shares: FairSemaphore, { isPatient }: { isPatient: boolean }): Lane {
  const paces = new LRUCache<string, ReturnType<typeof createServiceRate>>({ max: PACES_MAX });
  const isSlow = (owner: string): boolean => {
    const first = shares.queueOf(owner)?.first();
    const length = shares.queueOf(owner)?.length() ?? 0;
    if (first === undefined || length < BURST) return false;
    const perMs = paces.get(owner)?.perMs() ?? Number.POSITIVE_INFINITY;
    return length >= perMs * SOON_MS || performance.now() - first.sinceMs > SOON_MS;
  };
  const isFull = (owner: string): boolean => {
    const length = shares.queueOf(owner)?.length() ?? 0;
    const ownMax = Math.max(BURST, WAITING_MAX / shares.ownerCount());
    return length >= ownMax || (!isPatient && isSlow(owner));
  };
  return {
    waitMaxMs: isPatient ? IMPORT_WAIT_MAX_MS : WAIT_MAX_MS,
    isFull,
    joined(owner) {
      if (isPatient || !shares.queueOf(owner)) return;
      const pace = paces.get(owner) ?? createServiceRate();
      paces.set(owner, pace);
      pace.begin();
    },
    served: (owner) => paces.get(owner)?.step(),
  };
}
