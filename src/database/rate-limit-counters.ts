/** Counts requests by key and window over all servers of a database, many requests in one statement. */
import { sql } from 'kysely';
import { withTimeout } from '../concurrency/timeout.ts';
import { serviceUnavailable } from '../errors.ts';
import type { Database } from './database.ts';
import { prepare } from './prepared.ts';

/**
 * `ordinal`: the request's number within its key's window, from 1. `endsAtMs` (`performance.now()`): the earliest end
 * of that window.
 */
export type Counted = { ordinal: number; endsAtMs: number };

/** A key's state after this statement's requests: their total in the window, and the time left in it. */
type Total = { keyId: string; requests: number; leftMs: number };

/**
 * A window begins with the first request after the end of the last one, by the database's clock. A statement that had
 * to wait for another one counts in the window that it then finds, also when its own now() is earlier. The keys are
 * sorted, so that two servers cannot deadlock.
 */
const addRequests = prepare('add_requests', ['keyIds', 'requests', 'windowSeconds'], (given) => {
  const isOpen = sql`counted.ends_at > now()`;
  return sql<Total>`
    INSERT INTO rate_limit_counters AS counted (key_id, requests, ends_at)
    SELECT key_id, requests, now() + make_interval(secs => ${given.windowSeconds}::float8)
    FROM unnest(${given.keyIds}::text[], ${given.requests}::bigint[]) AS given (key_id, requests)
    ORDER BY key_id COLLATE "C"
    ON CONFLICT (key_id) DO UPDATE SET
      requests = CASE WHEN ${isOpen} THEN counted.requests ELSE 0 END + excluded.requests,
      ends_at = CASE WHEN ${isOpen} THEN counted.ends_at ELSE excluded.ends_at END
    RETURNING key_id AS "keyId", requests, (extract(epoch FROM ends_at - now()) * 1000)::float8 AS "leftMs"`;
});

type PendingRequest = { keyId: string; resolve(counted: Counted): void; reject(error: unknown): void };

/** Counts a batch in one statement; its requests get their numbers in the order of arrival. */
async function countBatch(database: Database, windowSeconds: number, batch: PendingRequest[]): Promise<void> {
  const byKey = Map.groupBy(batch, ({ keyId }) => keyId);
  const sentAtMs = performance.now();
  const totals = await addRequests(database, {
    keyIds: [...byKey.keys()],
    requests: [...byKey.values()].map(({ length }) => length),
    windowSeconds,
  });
  for (const { keyId, requests, leftMs } of totals) {
    const own = byKey.get(keyId) ?? [];
    own.forEach(({ resolve }, index) => {
      resolve({ ordinal: requests - own.length + index + 1, endsAtMs: sentAtMs + leftMs });
    });
  }
}

/** A slower statement hangs, on a dead connection or in a wait for a lock. The next one must not wait for it. */
const BATCH_TIMEOUT_MS = 2_000;

const refuse = () => {
  throw serviceUnavailable();
};

/**
 * Returns a function that counts one request of a key, exactly, also when other servers count at the same time. A
 * single request goes to the database at once. Requests that arrive while a statement runs share the next one, so that
 * under load each request costs a small part of a statement. The function rejects when the database is unavailable or
 * hangs. The request may then be counted or not.
 */
export function createRateLimitCounter(
  database: Database,
  windowSeconds: number,
): (keyId: string) => Promise<Counted> {
  let pending: PendingRequest[] = [];
  let isCounting = false;

  const countAll = async () => {
    isCounting = true;
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      const counting = countBatch(database, windowSeconds, batch);
      await withTimeout(counting, BATCH_TIMEOUT_MS, refuse).catch((error) => {
        for (const { reject } of batch) reject(error);
      });
    }
    isCounting = false;
  };
  return (keyId) =>
    new Promise((resolve, reject) => {
      pending.push({ keyId, resolve, reject });
      if (!isCounting) countAll();
    });
}
