/**
 * Imports move the pending entries of the index of lexemes themselves, long before the list is full. The limit at which
 * PostgreSQL does so, in whatever import comes next, is only for imports of earlier versions from now on.
 */
import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER INDEX passage_lexemes_by_lexeme SET (gin_pending_list_limit = 16384)`.execute(database); // kB
}
