/**
 * A file's position in the queue of imports, for clients that poll. A server reads only the queue's index, once a
 * second at most, however many clients poll; it calculates each position from that in memory.
 */
import { sql } from 'kysely';
import type { Database } from '../database/connection/database.ts';
import { IMPORT_QUEUE } from './queue-policies.ts';

/** A position is at most this old, or twenty times as old as one read of the queue takes, if that is longer. */
const FRESH_MS = 1_000;
const FRESH_PER_READ = 20;

/** Account → the times when its waiting imports were enqueued: in milliseconds since 1970, ascending. */
type Waiting = ReadonlyMap<string, Float64Array>;

export type QueuePositions = {
  /**
   * Returns the position of an account's file, given the time of its import request; 1 is the next. Accounts take
   * turns. The file is one of the next `position` imports to begin, unless further accounts come.
   */
  positionOf(document: { accountId: string; createdAt: Date }): Promise<number>;
};

async function readWaiting(database: Database): Promise<Waiting> {
  const { rows } = await sql<{ accountId: string; times: number[] }>`
    SELECT account_id AS "accountId", array_agg(floor(extract(epoch FROM created_at) * 1000)::float8) AS times
    FROM knowledge_jobs WHERE queue = ${IMPORT_QUEUE} AND ended_at IS NULL AND started_at IS NULL
    GROUP BY account_id`.execute(database);
  return new Map(rows.map(({ accountId, times }) => [accountId, Float64Array.from(times).sort()]));
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

/** The queue positions of a database. Reads the queue only when a position is requested. */
export function createQueuePositions(database: Database): QueuePositions {
  let read: Promise<Waiting> | undefined;
  let isFreshUntilMs = 0;
  const waitingNow = (): Promise<Waiting> => {
    if (read !== undefined && performance.now() < isFreshUntilMs) return read;
    const startedAtMs = performance.now();
    isFreshUntilMs = Number.POSITIVE_INFINITY;
    read = readWaiting(database).finally(() => {
      const tookMs = performance.now() - startedAtMs;
      isFreshUntilMs = startedAtMs + Math.max(FRESH_MS, tookMs * FRESH_PER_READ);
    });
    read.catch(() => {
      isFreshUntilMs = 0; // the next call reads the database
    });
    return read;
  };
  return {
    async positionOf({ accountId, createdAt }) {
      const waiting = await waitingNow();
      const round = countBefore(waiting.get(accountId) ?? new Float64Array(), createdAt.getTime()) + 1;
      let position = round;
      for (const [other, { length }] of waiting) if (other !== accountId) position += Math.min(length, round);
      return position;
    },
  };
}
