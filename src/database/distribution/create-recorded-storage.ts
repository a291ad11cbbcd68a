/** The table in which Citus's coordinator records what each knowledge base stores: see recorded-storage.ts. */
import { sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';

/** SQL for whether a file without a document counts: its bytes are stored, or may arrive at any time. */
export const isArriving = sql`document_id IS NULL
        AND (uploaded_at IS NOT NULL OR reserved_until IS NULL OR reserved_until > now())`;

/** Creates the table with the rows of all knowledge bases, unless it exists. */
export async function createRecordedStorage(transaction: Queryable): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('recorded_storage', 0))`.execute(transaction);
  const { rows } = await sql<{ isThere: boolean }>`
    SELECT to_regclass('recorded_storage') IS NOT NULL AS "isThere"`.execute(transaction);
  if (rows[0]?.isThere) return;
  await sql`
    CREATE TABLE recorded_storage (
      knowledge_base_id uuid PRIMARY KEY,
      account_id uuid NOT NULL,
      storage_bytes bigint NOT NULL,
      passage_count bigint NOT NULL,
      distinct_lexemes bigint NOT NULL,
      arriving_bytes bigint NOT NULL
    ) WITH (fillfactor = 50)`.execute(transaction);
  await sql`CREATE INDEX recorded_storage_by_account ON recorded_storage (account_id)`.execute(transaction);
  await sql`
    INSERT INTO recorded_storage
    SELECT counters.knowledge_base_id, counters.account_id, storage_bytes, passage_count, distinct_lexemes,
      coalesce(bytes, 0)
    FROM knowledge_base_statistics AS counters JOIN knowledge_bases USING (knowledge_base_id) LEFT JOIN (
      SELECT knowledge_base_id, sum(size_bytes)::bigint AS bytes FROM files WHERE ${isArriving}
      GROUP BY knowledge_base_id) AS arriving USING (knowledge_base_id)
    WHERE deleted_at IS NULL`.execute(transaction);
}
