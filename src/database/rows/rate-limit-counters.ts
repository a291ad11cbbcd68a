/**
 * Counts requests by key and window over all servers of a database, and leases further ones to the server that asks.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** A limit of requests for each key and window. */
export type RatePolicy = { requestsPerWindow: number; windowSeconds: number };

/** What a server asks for a key: `waiting` requests to count now, and `ahead` further ones to lease. */
export type Ask = { keyId: string; waiting: number; ahead: number };

/**
 * The numbers of a key's requests within its window, from 1, that the statement has counted: the waiting ones have the
 * `waiting` numbers up to `counted`, the leased ones those after it, up to `total`. The limit may lie before `counted`,
 * never between `counted` and `total`. `endsAtMs` (`performance.now()`): the earliest end of the window.
 */
export type Count = { keyId: string; counted: number; total: number; endsAtMs: number };

/** A key's row after the statement; `leftMs`: the time left in its window. */
type Counter = { keyId: string; total: number; leased: number; leftMs: number };

type Sql = RawBuilder<unknown>;

/** A lease takes at most this part of what is left of the limit, so that other servers find enough. */
const LEASED_PART = 10;

/** The longest that a statement may have waited for another one: its own now() is from before. */
const WAITED_MAX_SECONDS = 60;

/**
 * A window begins with the first request after the end of the last one, by the database's clock. A statement that had
 * to wait for another one counts in the window that it then finds, also when its own now() is earlier. A window that
 * would last longer is over: the clock was set back since. The keys are sorted, so that two servers cannot deadlock.
 *
 * The row of `excluded` belongs to a new window. An open window has at most as much left, so its lease is at most as
 * large as the new window's.
 */
const countAndLease = prepare(
  'count_and_lease',
  ['keyIds', 'waiting', 'ahead', 'requestsPerWindow', 'windowSeconds'],
  (given) => {
    const longestLeft = sql`make_interval(secs => ${given.windowSeconds}::float8 + ${sql.lit(WAITED_MAX_SECONDS)})`;
    const isOpen = sql`(counter.ends_at > now() AND counter.ends_at <= now() + ${longestLeft})`;
    const limit = sql`${given.requestsPerWindow}::bigint`;
    const before = sql`CASE WHEN ${isOpen} THEN counter.requests ELSE 0 END`;
    const counted = sql`${before} + excluded.requests - excluded.leased`;
    const toLease = (ahead: Sql, used: Sql) =>
      sql`least(${ahead}, greatest(${limit} - (${used}), 0) / ${sql.lit(LEASED_PART)})`;
    const leased = toLease(sql`excluded.leased`, counted);
    return sql<Counter>`
    INSERT INTO rate_limit_counters AS counter (key_id, requests, leased, ends_at)
    SELECT key_id, waiting + leased, leased, now() + make_interval(secs => ${given.windowSeconds}::float8)
    FROM unnest(${given.keyIds}::text[], ${given.waiting}::bigint[], ${given.ahead}::bigint[])
        AS asked (key_id, waiting, ahead)
    CROSS JOIN LATERAL (SELECT ${toLease(sql`ahead`, sql`waiting`)} AS leased) AS of_new_window
    ORDER BY key_id COLLATE "C"
    ON CONFLICT (key_id) DO UPDATE SET
      requests = ${counted} + ${leased},
      leased = ${leased},
      ends_at = CASE WHEN ${isOpen} THEN counter.ends_at ELSE excluded.ends_at END
    RETURNING key_id AS "keyId", requests AS total, leased,
      (extract(epoch FROM ends_at - now()) * 1000)::float8 AS "leftMs"`;
  },
);

/**
 * Counts the waiting requests of distinct keys in one statement, and leases further ones. What is leased counts as used
 * until the end of the window, whether the server uses it or not: so a killed server's lease lets nothing more pass.
 */
export async function countRequests(
  database: Queryable,
  policy: RatePolicy,
  asks: readonly Ask[],
): Promise<Count[]> {
  const sentAtMs = performance.now();
  const counters = await countAndLease(database, {
    keyIds: asks.map(({ keyId }) => keyId),
    waiting: asks.map(({ waiting }) => waiting),
    ahead: asks.map(({ ahead }) => ahead),
    ...policy,
  });
  return counters.map(({ keyId, total, leased, leftMs }) => ({
    keyId,
    counted: total - leased,
    total,
    endsAtMs: sentAtMs + leftMs,
  }));
}
