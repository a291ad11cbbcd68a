/** Limits the requests of one API key in a minute, exactly and over all servers of a database. */
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { createRateLimitCounter } from '../database/rate-limit-counters.ts';
import { rateLimited } from '../errors.ts';

const WINDOW_SECONDS = 60;
/** Keys that are known to have used up their minute. They are refused without a query. */
const SPENT_KEYS = 10_000;

/** Header fields of an answer with the rest of the limit (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateFields = Record<string, string>;

const NO_FIELDS: RateFields = {};

const secondsUntil = (timeMs: number): number => Math.max(1, Math.ceil((timeMs - performance.now()) / 1000));

/**
 * Makes a function that counts one request of `keyId` at each call. A request that the database cannot count is not
 * answered: its answer would need the database as well, and an attacker could try to force a limit that opens when the
 * database fails.
 * @param requestsPerMinute 0: no limit, and no header fields.
 * @throws RATE_LIMITED with the seconds until the end of the window.
 */
export function createRateLimit(
  database: Database,
  requestsPerMinute: number,
): (keyId: string) => Promise<RateFields> {
  if (requestsPerMinute === 0) return async () => NO_FIELDS;
  const count = createRateLimitCounter(database, WINDOW_SECONDS);
  const spent = new LRUCache<string, number>({ max: SPENT_KEYS });
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
