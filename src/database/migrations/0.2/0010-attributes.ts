/** What callers say about a document: its attributes, and the address of its original. */
import { type Kysely, sql } from 'kysely';

/** It changes the catalog alone: PostgreSQL stores a constant default for all present rows at once. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE documents
    ADD COLUMN attributes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attributes) = 'object'),
    ADD COLUMN source_url text`.execute(database);
}
