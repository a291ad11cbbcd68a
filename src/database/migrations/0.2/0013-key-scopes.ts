/** What API keys may do, in which knowledge bases, and when they were used. */
import { type Kysely, sql } from 'kysely';

/**
 * The keys of earlier versions may do everything, as before.
 *
 * - `knowledge_base_ids`: NULL for all of the account. An array instead of a table, so that the deletion of its last
 *   knowledge base cannot open all others to a key.
 * - `last_used_at`: the first use on the last day of use; NULL: not used since this migration.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE api_keys
    ADD COLUMN scope text NOT NULL DEFAULT 'write' CHECK (scope IN ('search', 'write')),
    ADD COLUMN knowledge_base_ids uuid[] CHECK (cardinality(knowledge_base_ids) > 0),
    ADD COLUMN last_used_at timestamptz`.execute(database);
}
