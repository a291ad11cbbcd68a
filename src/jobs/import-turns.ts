/**
 * Chooses the next import: round robin over the accounts. Each account has a lane, in which its imports wait in order
 * of arrival. The lane is stored as the jobs' priority, because pg-boss's index of waiting jobs begins with the
 * priority. So finding the next job costs as much with a million jobs as with one, and enqueuing costs nothing more.
 */
import type { PgBoss } from 'pg-boss';

/** The largest value of the column `priority`, an int. */
const LANE_MAX = 2 ** 31 - 1;

/**
 * Returns the account's lane: the last 31 random bits of its version 7 UUID. Two accounts in one lane take turns as one
 * account. Among 1,000 accounts, the probability of a shared lane is 1 in 4,000.
 */
export const laneOf = (accountId: string): number => Number.parseInt(accountId.slice(-8), 16) >>> 1;

/** Lanes from `max` down to `min`, both included. */
export type LaneRange = { min: number; max: number };

/** Returns `range` without the `excluded` lanes, as ranges in descending order. */
function splitAt({ min, max }: LaneRange, excluded: number[]): LaneRange[] {
  const ranges: LaneRange[] = [];
  let top = max;
  for (const lane of excluded.filter((lane) => lane >= min && lane <= max).sort((a, b) => b - a)) {
    if (lane < top) ranges.push({ min: lane + 1, max: top });
    top = lane - 1;
  }
  if (top >= min) ranges.push({ min, max: top });
  return ranges;
}

/** Returns all lanes without the `excluded` ones, in round-robin order: `last` − 1 … 0, maximum … `last`. */
const roundFrom = (last: number, excluded: number[]): LaneRange[] =>
  [
    { min: 0, max: last - 1 },
    { min: last, max: LANE_MAX },
  ].flatMap((range) => (range.min > range.max ? [] : splitAt(range, excluded)));

const only = (lane: number): LaneRange => ({ min: lane, max: lane });

/** Finds the first lane of `ranges`, in their order, with a waiting job of `queue`; undefined when there is none. */
export async function findLane(
  database: ReturnType<PgBoss['getDb']>,
  queue: string,
  ranges: LaneRange[],
): Promise<number | undefined> {
  if (ranges.length === 0) return undefined;
  const { rows } = await database.executeSql(
    `SELECT waiting.priority AS lane
      FROM unnest($2::int[], $3::int[]) WITH ORDINALITY AS range (min, max, nth),
        LATERAL (
          SELECT priority FROM pgboss.job
          WHERE name = $1 AND state < 'active' AND NOT blocked AND start_after <= now()
            AND priority BETWEEN range.min AND range.max
          ORDER BY priority DESC LIMIT 1) AS waiting
      ORDER BY nth LIMIT 1`,
    [queue, ranges.map(({ min }) => min), ranges.map(({ max }) => max)],
  );
  return rows[0]?.lane;
}

export type ImportTurns = {
  /**
   * Returns the ranges of lanes to search for the next import, in this order. Lanes with less than half of the
   * importers come first. Empty when no importer is free.
   */
  nextLanes(): LaneRange[];
  /** Records that an importer has begun to work for this lane. */
  take(lane: number): void;
  /** Records that an importer has finished its work for this lane. */
  leave(lane: number): void;
};

/**
 * Distributes `importers` over the lanes. One lane may have all of them while no other lane waits. When others come,
 * they get each importer that becomes free, until the first lane has half of them, rounded up. The `extra` importers
 * serve only lanes without an importer: an account is served at once, although another one has all importers.
 */
export function createImportTurns(importers: number, extra: number): ImportTurns {
  const held = new Map<number, number>();
  const half = Math.ceil(importers / 2);
  let [taken, last] = [0, 0];
  return {
    nextLanes() {
      if (taken >= importers + extra) return [];
      if (taken >= importers) return roundFrom(last, [...held.keys()]);
      const served = [...held].filter(([, count]) => count >= half).map(([lane]) => lane);
      return [...roundFrom(last, served), ...served.map(only)];
    },
    take(lane) {
      held.set(lane, (held.get(lane) ?? 0) + 1);
      taken++;
      last = lane;
    },
    leave(lane) {
      const count = (held.get(lane) ?? 0) - 1;
      if (count > 0) held.set(lane, count);
      else held.delete(lane);
      taken--;
    },
  };
}
