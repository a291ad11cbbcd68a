/**
 * Chooses the next import. Each account has a lane, in which its imports wait in order of arrival; importers go round
 * the lanes with waiting imports. The lane is the jobs' priority, because pg-boss's index of waiting jobs begins with
 * it. So finding the next job costs as much with a million jobs as with one, and enqueuing costs nothing more.
 */
import type { PgBoss } from 'pg-boss';

/** The largest value of pg-boss's column. */
const LANE_MAX = 2 ** 31 - 1;

/**
 * The account's lane. Two accounts may share one, and then take turns as one account. Among 1,000 accounts that has a
 * probability of 1 in 4,000. The last bits of a version 7 UUID are random.
 */
export const laneOf = (accountId: string): number => Number.parseInt(accountId.slice(-8), 16) >>> 1;

/** Lanes from `max` down to `min`, both included. */
export type LaneRange = { min: number; max: number };

/** Splits `range` at the lanes `without`; the parts are in descending order. */
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

/** All lanes except `without`, in round-robin order; `last` comes last. */
const roundFrom = (last: number, excluded: number[]): LaneRange[] =>
  [
    { min: 0, max: last - 1 },
    { min: last, max: LANE_MAX },
  ].flatMap((range) => (range.min > range.max ? [] : splitAt(range, excluded)));

const only = (lane: number): LaneRange => ({ min: lane, max: lane });

/** The first lane of `ranges`, in their order, with a waiting job of `queue`; undefined when there is none. */
export async function findLane(
  database: ReturnType<PgBoss['getDb']>,
  queue: string,
  ranges: LaneRange[],
): Promise<number | undefined> {
  if (ranges.length === 0) return undefined;
  const { rows } = await database.executeSql(
    `SELECT waiting.priority AS lane
      FROM unnest($2::int[], $3::int[]) WITH ORDINALITY AS range (min, max, place),
        LATERAL (
          SELECT priority FROM pgboss.job
          WHERE name = $1 AND state < 'active' AND NOT blocked AND start_after <= now()
            AND priority BETWEEN range.min AND range.max
          ORDER BY priority DESC LIMIT 1) AS waiting
      ORDER BY place LIMIT 1`,
    [queue, ranges.map(({ min }) => min), ranges.map(({ max }) => max)],
  );
  return rows[0]?.lane;
}

export type ImportTurns = {
  /**
   * The ranges of lanes to search for the next import, in order, until one has a job. Lanes below their share come
   * first. Empty when no importer is free.
   */
  nextLanes(): LaneRange[];
  /** Records that an importer works for this lane from now on. */
  take(lane: number): void;
  /** Records that it has ended. */
  leave(lane: number): void;
};

/**
 * Turns for `importers`. One lane may have all of them while no other waits; then other lanes get each one that ends,
 * until the lane has half of them, rounded up. In addition there are `visitors`, each for a lane without an importer: an account
 * that arrives while another one has all importers is served at once.
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
