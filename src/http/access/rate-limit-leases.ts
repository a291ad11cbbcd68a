/**
 * Numbers the requests of a key within its window: from a lease in memory, or by a statement for all keys that wait.
 * So a busy key costs each server about one statement a second, and a key that has used up its limit none.
 */
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import { withTimeout } from '../../concurrency/timeout.ts';
import type { Database } from '../../database/connection/database.ts';
import { type Count, countRequests, type RatePolicy } from '../../database/rows/rate-limit-counters.ts';
import { serviceUnavailable } from '../../terms/errors.ts';

/**
 * A request above the limit has a greater `ordinal`. `endsAtMs` (`performance.now()`): the earliest end of its window.
 */
export type Counted = { ordinal: number; endsAtMs: number };

/**
 * What the last statement has counted of a key, between `before` and `total`. The numbers up to `ordinal` are used.
 * `askedAtMs`: when the statement was sent.
 */
type Lease = { before: number; ordinal: number; total: number; endsAtMs: number; askedAtMs: number };

type WaitingRequest = { resolve(counted: Counted): void; reject(error: unknown): void };

/** A lease is meant to last this long: other servers miss at most what the key sends to this one in that time. */
const LEASE_MS = 1_000;
/**
 * The most keys whose leases are kept. One that is dropped is lost until the end of the window; at least 5,000 other
 * keys have been used since.
 */
const MAX_LEASES = 10_000;
/** A slower statement hangs, on a dead connection or in a wait for a lock. The next one must not wait for it. */
const STATEMENT_TIMEOUT_MS = 2_000;

/** The next number of a lease; undefined: the database has to be asked. */
function takeNext(lease: Lease, requestsPerWindow: number): Counted | undefined {
  if (lease.endsAtMs <= performance.now()) return undefined;
  const { endsAtMs } = lease;
  if (lease.ordinal < lease.total) {
    lease.ordinal += 1;
    return { ordinal: lease.ordinal, endsAtMs };
  }
  return lease.total >= requestsPerWindow ? { ordinal: requestsPerWindow + 1, endsAtMs } : undefined;
}

/**
 * How many requests to lease beyond those that wait: as many as the key sends within `LEASE_MS`, but at most twice as
 * many as it has used of what the last statement counted, within `elapsedMs` since then.
 *
 *     used 1 in 1200 ms, 1 waiting → 0      used 8 in 20 ms, 1 waiting → 15
 *     used 1 in 20 ms, 1 waiting → 1        used 100 in 1000 ms, 1 waiting → 99
 */
export function leaseAhead(used: number, elapsedMs: number, waiting: number): number {
  const expected = Math.floor((used * LEASE_MS) / elapsedMs);
  return Math.max(0, Math.min(2 * used, expected) - waiting);
}

const refuse = () => {
  throw serviceUnavailable();
};

/** The requests that wait for a number, by their keys, in the order of arrival. */
function createWaiting() {
  const waiting = new Map<string, WaitingRequest[]>();
  return {
    waiting,
    wait: (keyId: string): Promise<Counted> =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(keyId);
        if (queue) queue.push({ resolve, reject });
        else waiting.set(keyId, [{ resolve, reject }]);
      }),
    /** Takes the first requests of a key out of the queue. */
    dequeue(keyId: string, length: number): WaitingRequest[] {
      const queue = waiting.get(keyId) ?? [];
      const taken = queue.splice(0, length);
      if (queue.length === 0) waiting.delete(keyId);
      return taken;
    },
  };
}

/** The leases of keys. */
function createLeases({ requestsPerWindow }: RatePolicy) {
  const leases = createBoundedCache<Lease>(MAX_LEASES);
  return {
    set: leases.set,
    take(keyId: string): Counted | undefined {
      const lease = leases.get(keyId);
      return lease && takeNext(lease, requestsPerWindow);
    },
    /** How many requests to lease for a key beyond those that wait. */
    aheadOf(keyId: string, askedAtMs: number, waiting: number): number {
      const last = leases.get(keyId);
      return last ? leaseAhead(last.ordinal - last.before, askedAtMs - last.askedAtMs, waiting) : 0;
    },
  };
}

/**
 * Creates the function that numbers the requests of a statement in the order of arrival, and those that came later as
 * far as the lease goes.
 */
const createSettle =
  (leases: ReturnType<typeof createLeases>, { waiting, dequeue }: ReturnType<typeof createWaiting>) =>
  ({ keyId, counted, total, endsAtMs }: Count, length: number, askedAtMs: number): void => {
    const before = counted - length;
    leases.set(keyId, { before, ordinal: counted, total, endsAtMs, askedAtMs });
    dequeue(keyId, length).forEach(({ resolve }, index) => {
      resolve({ ordinal: before + index + 1, endsAtMs });
    });
    while (waiting.has(keyId)) {
      const next = leases.take(keyId);
      if (next === undefined) return;
      for (const { resolve } of dequeue(keyId, 1)) resolve(next);
    }
  };

/**
 * Returns a function that numbers one request of a key within its window, exactly, also when other servers count at
 * the same time: no number up to the limit is used twice. Without a lease, a single request goes to the database at
 * once. Requests that arrive while a statement runs share the next one, unless it leases enough for them. The function
 * rejects when the database is unavailable or hangs. Such a request may then be counted or not.
 */
export function createRateLimitLeases(database: Database, policy: RatePolicy) {
  const leases = createLeases(policy);
  const queues = createWaiting();
  const { waiting, wait, dequeue } = queues;
  let isCounting = false;

  const settle = createSettle(leases, queues);
  const countWaiting = async () => {
    const askedAtMs = performance.now();
    const asks = [...waiting].map(([keyId, { length }]) => {
      return { keyId, waiting: length, ahead: leases.aheadOf(keyId, askedAtMs, length) };
    });
    const lengths = new Map(asks.map((ask) => [ask.keyId, ask.waiting]));
    const settleAll = (counts: Count[]) => {
      for (const count of counts) settle(count, lengths.get(count.keyId) ?? 0, askedAtMs);
    };
    const rejectAll = (error: unknown) => {
      for (const [keyId, length] of lengths) for (const { reject } of dequeue(keyId, length)) reject(error);
    };
    const counting = countRequests(database, policy, asks);
    await withTimeout(counting, STATEMENT_TIMEOUT_MS, refuse).then(settleAll, rejectAll);
  };
  const countAll = async () => {
    isCounting = true;
    while (waiting.size > 0) await countWaiting();
    isCounting = false;
  };

  return (keyId: string): Counted | Promise<Counted> => {
    const taken = leases.take(keyId);
    if (taken !== undefined) return taken;
    const waited = wait(keyId);
    if (!isCounting) countAll();
    return waited;
  };
}
