/**
 * Where a file stands in the queue of imports, for whoever polls. A server reads the queue once a second at most, however
 * many ask, and only its index; from that each place is reckoned in memory.
 */
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { laneOf } from './import-lanes.ts';
import { IMPORT_QUEUE } from './job-queue.ts';

/** How old what is told may be; where reading the queue takes long, twenty times that. */
const FRESH_MS = 1_000;
const FRESH_PER_READING = 20;

/** When the waiting imports of each lane were enqueued, in milliseconds, the earliest first. */
type Lanes = ReadonlyMap<number, Float64Array>;

export type QueuePositions = {
  /**
   * The place of an account's file that was imported at that time, 1 for the next, as accounts take turns: at the latest
   * that many imports begin until it has begun, unless further accounts come.
   */
  positionOf(document: { accountId: string; createdAt: Date }): Promise<number>;
};

async function readLanes(database: Database): Promise<Lanes> {
  const { rows } = await sql<{ lane: number; times: number[] }>`
    SELECT priority AS lane, array_agg(floor(extract(epoch FROM created_on) * 1000)::float8) AS times
    FROM pgboss.job WHERE name = ${IMPORT_QUEUE} AND state < 'active' AND NOT blocked
    GROUP BY priority`.execute(database);
  return new Map(rows.map(({ lane, times }) => [lane, Float64Array.from(times).sort()]));
}

/** How many of the sorted `times` are earlier than `timeMs`. */
function countBefore(times: Float64Array, timeMs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < timeMs)
      low = middle + 1; // middle < length
    else high = middle;
  }
  return low;
}

/** The queue of a database, read when somebody asks. */
export function createQueuePositions(database: Database): QueuePositions {
  let read: Promise<Lanes> | undefined;
  let isFreshUntilMs = 0;
  const lanesNow = (): Promise<Lanes> => {
    if (read !== undefined && performance.now() < isFreshUntilMs) return read;
    const startedAtMs = performance.now();
    isFreshUntilMs = Number.POSITIVE_INFINITY;
    read = readLanes(database).finally(() => {
      const tookMs = performance.now() - startedAtMs;
      isFreshUntilMs = startedAtMs + Math.max(FRESH_MS, tookMs * FRESH_PER_READING);
    });
    read.catch(() => {
      isFreshUntilMs = 0; // whoever asks next, asks the database
    });
    return read;
  };
  return {
    async positionOf({ accountId, createdAt }) {
      const [lanes, own] = [await lanesNow(), laneOf(accountId)];
      const turn = countBefore(lanes.get(own) ?? new Float64Array(), createdAt.getTime()) + 1;
      let position = turn;
      for (const [lane, { length }] of lanes) if (lane !== own) position += Math.min(length, turn);
      return position;
    },
  };
}
