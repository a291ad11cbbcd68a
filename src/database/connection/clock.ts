/** The time by the database's clock, which all servers share; their own clocks may be minutes apart. */
import { sql } from 'kysely';
import type { Queryable } from './database.ts';
import { prepare } from './prepared.ts';

/**
 * SQL for the start of the transaction, in milliseconds, the precision of JavaScript's Date. The cursor of a list must
 * equal the stored time; with microseconds it would be a little less.
 */
export const databaseNow = sql<Date>`date_trunc('milliseconds', now())`;

const readTime = prepare('read_time', [], () => sql<{ now: Date }>`SELECT ${databaseNow} AS now`);

/** The current time, for values made outside of the database: an upload address, a response. */
export async function readDatabaseTime(database: Queryable): Promise<Date> {
  const [row] = await readTime(database, {});
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}

/** A clock that continues from a time that the database has just returned. The server's own clock may be wrong. */
export function clockFrom(time: Date): () => Date {
  const startedAtMs = performance.now();
  return () => new Date(time.getTime() + performance.now() - startedAtMs);
}
