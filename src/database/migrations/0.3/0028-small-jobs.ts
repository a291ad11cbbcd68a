/** Jobs that a worker may take together with others. */
import { type Kysely, sql } from 'kysely';

/** The servers of the version before take each job alone, and enqueue none that may be taken together. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE knowledge_jobs ADD COLUMN is_small boolean NOT NULL DEFAULT false`.execute(database);
}
