/**
 * Restricts types to the contract's: some file extensions were once mistaken for names of JavaScript's own objects.
 */
import { type Kysely, sql } from 'kysely';

const TYPES = sql`('pdf', 'docx', 'pptx', 'xlsx', 'xls', 'html', 'txt', 'csv', 'xml', 'md', 'json', 'odt', 'odp', 'ods',
  'rtf', 'epub', 'text', 'unknown')`;

/** Rows with another type belong to files that could not be extracted; their documents have failed. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`UPDATE documents SET type = 'unknown' WHERE type NOT IN ${TYPES}`.execute(database);
  await sql`ALTER TABLE documents ADD CHECK (type IN ${TYPES})`.execute(database);
}
