/** Keys that see only the documents that a filter matches. */
import { type Kysely, sql } from 'kysely';

/**
 * - `filter`: in the form of the contract; NULL: the key sees all documents.
 * - `filter_expires_at`: when a key with a filter expires; NULL: never. Its `expires_at` has passed long ago: so
 *   servers of earlier versions, which do not know the filter, refuse the key and all that stands for it.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE api_keys
    ADD COLUMN filter jsonb,
    ADD COLUMN filter_expires_at timestamptz,
    ADD CONSTRAINT api_keys_filter_check CHECK (CASE WHEN filter IS NULL THEN filter_expires_at IS NULL
      ELSE scope = 'search' AND expires_at IS NOT NULL AND expires_at = '1970-01-01T00:00:00Z' END)`.execute(
    database,
  );
}
