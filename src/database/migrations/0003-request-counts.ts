/** How many requests each key has sent in its running minute. Like the accounts' tables it stays on the coordinator. */
import { type Kysely, sql } from 'kysely';

/**
 * One row a key, written anew each minute, so that nothing has to be swept. Unlogged: nothing waits for the disk, and
 * all that a crash of the database costs is that the running minute begins again. Half of each page stays free, so that
 * an update never touches an index.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`CREATE UNLOGGED TABLE request_counts (
    key_id text COLLATE "C" PRIMARY KEY,
    requests bigint NOT NULL,
    ends_at timestamptz NOT NULL
  ) WITH (fillfactor = 50)`.execute(database);
}
