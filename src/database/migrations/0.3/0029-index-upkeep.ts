/**
 * Settings of the tables with passages.
 *
 * Imports move the pending entries of the index of lexemes themselves, long before the list is full. The limit at which
 * PostgreSQL does so, in whatever import comes next, is only for imports of earlier versions from now on.
 *
 * An import that has failed leaves rows and index entries that nobody is charged for. Autovacuum removes them once they
 * are a twentieth of the table, and not a fifth.
 */
import { type Kysely, sql } from 'kysely';

const statements = [
  sql`ALTER INDEX passage_lexemes_by_lexeme SET (gin_pending_list_limit = 16384)`, // kB
  sql`ALTER TABLE passage_lexemes SET (autovacuum_vacuum_scale_factor = 0.05)`,
  sql`ALTER TABLE passages SET (autovacuum_vacuum_scale_factor = 0.05)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
