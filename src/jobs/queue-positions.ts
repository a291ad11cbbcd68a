/**
 * A file's position in the queue of imports, for clients that poll. A server reads only the queue's index, once a
 * second at most, however many clients poll; it calculates each position from that in memory.
 */
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { laneOf } from './import-lanes.ts';
import { IMPORT_QUEUE } from './job-queue.ts';

/** Maximum age of a position; when reading the queue is slow, twenty times the reading's duration. */
const FRESH_MS = 1_000;
const FRESH_PER_READING = 20;

/** For each lane, when its waiting imports were enqueued: in milliseconds, ascending. */
type Lanes = ReadonlyMap<number, Float64Array>;

export type QueuePositions = {
  /**
   * The position of an account's file by the time of its import request; 1 is the next. Accounts take turns. At most
   * this many imports begin before and with it, unless further accounts come.
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

/** The queue positions of a database, which is read only on demand. */
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
      isFreshUntilMs = 0; // the next call reads the database
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
