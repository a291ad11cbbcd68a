/** The pages, and cues of subtitles, that begin inside a passage: a match in it has the last one before it. */
import { type Kysely, sql } from 'kysely';

/** Without a default, so that no row is rewritten. The servers of the version before insert without this column. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE passages ADD COLUMN later_starts jsonb`.execute(database);
}
