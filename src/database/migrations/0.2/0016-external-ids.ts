/** The callers' own ids of documents, the hashes of contents, and the bytes that each document counts as stored. */
import { type Kysely, sql } from 'kysely';

const statements = [
  // The generated column rewrites the table, which holds no contents.
  sql`ALTER TABLE documents
    ADD COLUMN external_id text COLLATE "C",
    ADD COLUMN sha256 bytea,
    ADD COLUMN replaces uuid,
    ADD COLUMN storage_bytes bigint NOT NULL GENERATED ALWAYS AS (
      size_bytes + coalesce(octet_length(nullif(attributes, '{}')::text), 0)
      + coalesce(octet_length(source_url), 0) + coalesce(octet_length(external_id), 0)) STORED`,
  sql`ALTER TABLE files ADD COLUMN duplicate_of uuid`,
  // The texts of earlier versions have no hash: their next import counts as changed.
  sql`UPDATE documents SET sha256 = files.sha256 FROM files
    WHERE files.knowledge_base_id = documents.knowledge_base_id AND files.id = documents.file_id`,
  sql`UPDATE knowledge_base_statistics AS counters SET storage_bytes = counters.storage_bytes + described.bytes
    FROM (SELECT knowledge_base_id, sum(storage_bytes - size_bytes) AS bytes FROM documents GROUP BY 1) AS described
    WHERE described.knowledge_base_id = counters.knowledge_base_id AND described.bytes > 0`,
  sql`CREATE INDEX documents_by_external_id
    ON documents (knowledge_base_id, external_id, created_at, id) WHERE external_id IS NOT NULL`,
  sql`CREATE INDEX documents_by_sha256 ON documents (knowledge_base_id, sha256) WHERE sha256 IS NOT NULL`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
