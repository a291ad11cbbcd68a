/** When a passage begins in a recording, for passages of subtitles. */
import { type Kysely, sql } from 'kysely';

/** Without a default, so that no row is rewritten. The servers of the version before insert without this column. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE passages ADD COLUMN time_ms integer`.execute(database);
}
