/**
 * Limits the requests of an API key per minute over all servers of a database. RATE_LIMIT_PER_MINUTE says to how many
 * (config/config.ts).
 */
import type { Database } from '../../database/connection/database.ts';
import { rateLimited } from '../../terms/errors.ts';
import { createRateLimitLeases } from './rate-limit-leases.ts';

const WINDOW_SECONDS = 60;

/** Header fields with the limit and what is left of it (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateFields = Record<string, string>;

const NO_FIELDS: RateFields = {};

const secondsUntil = (timeMs: number): number => Math.max(1, Math.ceil((timeMs - performance.now()) / 1000));

/**
 * Creates a function that counts one request of `keyId` at each call. All servers together never let more than
 * `requestsPerMinute` pass. A server may refuse while others still hold unused leases, each at most a
 * tenth of what was left of the limit. The header fields count unused leases as left.
 *
 * It rejects when the database has to count and cannot (fail closed): the answer would need the database as well, and
 * a limit that fails open invites attacks on the database.
 * @param requestsPerMinute 0: no limit, and no header fields.
 * @throws RATE_LIMITED with the seconds until the end of the window.
 */
export function createRateLimit(
  database: Database,
  requestsPerMinute: number,
): (keyId: string) => Promise<RateFields> {
  if (requestsPerMinute === 0) return async () => NO_FIELDS;
  const count = createRateLimitLeases(database, {
    requestsPerWindow: requestsPerMinute,
    windowSeconds: WINDOW_SECONDS,
  });
  const policy = `"default";q=${requestsPerMinute};w=${WINDOW_SECONDS}`;

  return async (keyId) => {
    const { ordinal, endsAtMs } = await count(keyId);
    const seconds = secondsUntil(endsAtMs);
    const remaining = Math.max(0, requestsPerMinute - ordinal);
    const fields: RateFields = {
      'ratelimit-policy': policy,
      ratelimit: `"default";r=${remaining};t=${seconds}`,
    };
    if (ordinal > requestsPerMinute) throw rateLimited(seconds, fields);
    return fields;
  };
}
