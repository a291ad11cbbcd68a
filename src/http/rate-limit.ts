/** Limits the requests of an API key per minute, exactly, over all servers of a database. */
import { createBoundedCache } from '../bounded-cache.ts';
import type { Database } from '../database/database.ts';
import { createRateLimitCounter } from '../database/rate-limit-counters.ts';
import { rateLimited } from '../errors.ts';

const WINDOW_SECONDS = 60;
/** The most keys that are remembered as having used up their limit. They are refused without a query. */
const SPENT_KEYS = 10_000;

/** Header fields with the limit and what is left of it (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateFields = Record<string, string>;

const NO_FIELDS: RateFields = {};

const secondsUntil = (timeMs: number): number => Math.max(1, Math.ceil((timeMs - performance.now()) / 1000));

/**
 * Creates a function that counts one request of `keyId` at each call. It rejects when the database cannot count (fail
 * closed): the answer would need the database as well, and a limit that fails open invites attacks on the database.
 * @param requestsPerMinute 0: no limit, and no header fields.
 * @throws RATE_LIMITED with the seconds until the end of the window.
 */
export function createRateLimit(
  database: Database,
  requestsPerMinute: number,
): (keyId: string) => Promise<RateFields> {
  if (requestsPerMinute === 0) return async () => NO_FIELDS;
  const count = createRateLimitCounter(database, WINDOW_SECONDS);
  const spent = createBoundedCache<number>(SPENT_KEYS);
  const policy = `"default";q=${requestsPerMinute};w=${WINDOW_SECONDS}`;

  const fieldsOf = (remaining: number, seconds: number): RateFields => ({
    'ratelimit-policy': policy,
    ratelimit: `"default";r=${remaining};t=${seconds}`,
  });
  const refuseUntil = (endsAtMs: number) => {
    const seconds = secondsUntil(endsAtMs);
    return rateLimited(seconds, fieldsOf(0, seconds));
  };

  return async (keyId) => {
    const spentUntilMs = spent.get(keyId) ?? 0;
    if (spentUntilMs > performance.now()) throw refuseUntil(spentUntilMs);
    const { ordinal, endsAtMs } = await count(keyId);
    if (ordinal >= requestsPerMinute) spent.set(keyId, endsAtMs);
    if (ordinal > requestsPerMinute) throw refuseUntil(endsAtMs);
    return fieldsOf(requestsPerMinute - ordinal, secondsUntil(endsAtMs));
  };
}
