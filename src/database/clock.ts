/** The time by the database's clock, which all servers share: their own clocks may be minutes apart. */
import { sql } from 'kysely';
import type { Queryable } from './database.ts';
import { prepare } from './prepared.ts';

/**
 * SQL for when the transaction has begun. In milliseconds, as JavaScript reads it: the cursor of a list must be the
 * stored time, not one that is less by some microseconds.
 */
export const databaseNow = sql<Date>`date_trunc('milliseconds', now())`;

const readTime = prepare('read_time', [], () => sql<{ now: Date }>`SELECT ${databaseNow} AS now`);

/** The time now, for what is made of it outside of the database: an address, an answer. */
export async function readDatabaseTime(database: Queryable): Promise<Date> {
  const [row] = await readTime(database, {});
  if (row === undefined) throw new Error('the database told no time');
  return row.now;
}
