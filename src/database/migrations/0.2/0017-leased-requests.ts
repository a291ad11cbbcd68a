/** Requests of a key that one server may let through without asking again. */
import { type Kysely, sql } from 'kysely';

/** A default, since servers of the version before, which lease nothing, insert without this column. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE rate_limit_counters ADD COLUMN leased bigint NOT NULL DEFAULT 0`.execute(database);
}
