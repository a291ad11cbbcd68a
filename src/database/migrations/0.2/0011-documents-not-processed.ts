/** Finds the documents of a knowledge base that are not processed, to count its documents by status. */
import { type Kysely, sql } from 'kysely';

/**
 * Most documents are processed, and not in this index: counting the others costs the same in any knowledge base, and
 * the import of a text writes no further index.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`CREATE INDEX documents_not_processed ON documents (knowledge_base_id, status)
    WHERE status <> 'processed'`.execute(database);
}
