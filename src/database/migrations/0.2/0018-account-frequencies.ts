/** Sums the document frequencies of an account from an index alone, without a page of the table for each count. */
import { type Kysely, sql } from 'kysely';

/**
 * Imports, searches and deletions of documents go on while the large index is built: 34 s for 18 million rows. Merges
 * of document frequencies wait. What excludes searches comes last, and takes a moment.
 */
const statements = [
  // Equal entries share their space. So the index is as large as the replaced index, 195 MB for these rows. With
  // the ids of knowledge bases no entries are equal: the primary key takes 948 MB.
  sql`CREATE INDEX document_frequencies_with_count ON document_frequencies (account_id, lexeme, passage_count)`,
  sql`CREATE INDEX knowledge_bases_deleted ON knowledge_bases (account_id) WHERE deleted_at IS NOT NULL`,
  // No update can keep its index entries any more (0004), so its row need not stay on its page.
  sql`ALTER TABLE document_frequencies RESET (fillfactor)`,
  sql`DROP INDEX document_frequencies_by_account`,
  sql`ALTER INDEX document_frequencies_with_count RENAME TO document_frequencies_by_account`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
