/** Names of the field for four tables, their keys and indexes. */
import { type Kysely, sql } from 'kysely';

const statements = [
  sql`ALTER TABLE first_answers RENAME TO idempotency_keys`,
  sql`ALTER INDEX first_answers_pkey RENAME TO idempotency_keys_pkey`,
  sql`ALTER INDEX first_answers_by_creation RENAME TO idempotency_keys_by_creation`,
  sql`ALTER TABLE request_counts RENAME TO rate_limit_counters`,
  sql`ALTER INDEX request_counts_pkey RENAME TO rate_limit_counters_pkey`,
  sql`ALTER TABLE lexeme_statistics RENAME TO document_frequencies`,
  sql`ALTER INDEX lexeme_statistics_pkey RENAME TO document_frequencies_pkey`,
  sql`ALTER INDEX lexeme_statistics_by_account RENAME TO document_frequencies_by_account`,
  sql`ALTER TABLE lexeme_changes RENAME TO document_frequency_deltas`,
  sql`ALTER INDEX lexeme_changes_pkey RENAME TO document_frequency_deltas_pkey`,
];

/** It changes the catalog alone: no row is rewritten. Servers of an older version fail on the database after it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
