/** The locks that transactions of a test wait for. */
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isDistributed } from '../distribution/distribution.ts';

const COUNT_WAITING = `
  SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE NOT granted AND datname = current_database()`;

/** Returns the number of locks that transactions of this database wait for, on all of its servers. */
export async function countWaitingLocks(database: Database): Promise<number> {
  const { rows } = (await isDistributed(database))
    ? await sql<{ count: number }>`
      SELECT sum(result::bigint)::bigint AS count FROM run_command_on_all_nodes(${COUNT_WAITING})`.execute(
        database,
      )
    : await sql<{ count: number }>`${sql.raw(COUNT_WAITING)}`.execute(database);
  return rows[0]?.count ?? 0;
}
