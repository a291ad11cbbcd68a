/** The number of requests of each key in its current minute. Like the accounts' tables it stays on the coordinator. */
import { type Kysely, sql } from 'kysely';

/**
 * One row for each key, rewritten each minute, so that no garbage remains. Unlogged: nothing waits for the disk, and a
 * crash of the database only restarts the current minute. Half of each page stays free, so that an update never
 * touches an index.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`CREATE UNLOGGED TABLE request_counts (
    key_id text COLLATE "C" PRIMARY KEY,
    requests bigint NOT NULL,
    ends_at timestamptz NOT NULL
  ) WITH (fillfactor = 50)`.execute(database);
}
