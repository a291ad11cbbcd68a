/** When a file was put into the queue again: its wait counts from then on, and no longer from its creation. */
import { type Kysely, sql } from 'kysely';

/** NULL: it was never put into the queue again. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE documents ADD COLUMN queued_at timestamptz`.execute(database);
  await sql`DROP INDEX documents_waiting`.execute(database);
  await sql`CREATE INDEX documents_waiting ON documents (coalesce(queued_at, created_at))
    WHERE status IN ('pending', 'processing') AND processing_since IS NULL`.execute(database);
}
