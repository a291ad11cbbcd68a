/** When an import has begun: its deadline counts from then on, and no longer from its document's creation. */
import { type Kysely, sql } from 'kysely';

/** NULL: it is still queued. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE documents ADD COLUMN processing_since timestamptz`.execute(database);
  await sql`UPDATE documents SET processing_since = updated_at WHERE status = 'processing'`.execute(database);
  await sql`DROP INDEX documents_unfinished`.execute(database);
  await sql`CREATE INDEX documents_processing ON documents (processing_since)
    WHERE status IN ('pending', 'processing') AND processing_since IS NOT NULL`.execute(database);
  await sql`CREATE INDEX documents_waiting ON documents (created_at)
    WHERE status IN ('pending', 'processing') AND processing_since IS NULL`.execute(database);
}
