/**
 * The first schema. It keeps the rules for a later distribution by knowledge base (Citus): every content table and
 * each of its keys begins with `knowledge_base_id`, the account is on every row, tables are created one after the
 * other, and there are no triggers, no sequences and no volatile functions in updates.
 */
import { type Kysely, sql } from 'kysely';

const statements = [
  sql`CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    storage_limit_bytes bigint CHECK (storage_limit_bytes >= 0),
    knowledge_base_limit integer CHECK (knowledge_base_limit >= 0),
    created_at timestamptz NOT NULL
  )`,

  sql`CREATE TABLE account_balances (
    account_id uuid PRIMARY KEY REFERENCES accounts,
    credits bigint NOT NULL CHECK (credits >= 0)
  ) WITH (fillfactor = 50)`,

  sql`CREATE TABLE api_keys (
    id text PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz
  )`,
  sql`CREATE INDEX api_keys_by_account ON api_keys (account_id)`,

  sql`CREATE TABLE knowledge_bases (
    knowledge_base_id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts,
    name text NOT NULL,
    description text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz
  )`,
  sql`CREATE INDEX knowledge_bases_by_account
    ON knowledge_bases (account_id, created_at DESC, knowledge_base_id DESC) WHERE deleted_at IS NULL`,

  sql`CREATE TABLE knowledge_base_statistics (
    knowledge_base_id uuid PRIMARY KEY REFERENCES knowledge_bases,
    account_id uuid NOT NULL,
    document_count bigint NOT NULL DEFAULT 0 CHECK (document_count >= 0),
    storage_bytes bigint NOT NULL DEFAULT 0 CHECK (storage_bytes >= 0),
    passage_count bigint NOT NULL DEFAULT 0 CHECK (passage_count >= 0),
    passage_length_total bigint NOT NULL DEFAULT 0 CHECK (passage_length_total >= 0)
  ) WITH (fillfactor = 50)`,
  sql`CREATE INDEX knowledge_base_statistics_by_account ON knowledge_base_statistics (account_id)`,

  sql`CREATE TABLE language_statistics (
    knowledge_base_id uuid NOT NULL,
    language text NOT NULL,
    account_id uuid NOT NULL,
    passage_count bigint NOT NULL CHECK (passage_count >= 0),
    PRIMARY KEY (knowledge_base_id, language)
  ) WITH (fillfactor = 50)`,

  // No foreign key: an import writes thousands of these rows, and each would look its parent up again.
  sql`CREATE TABLE lexeme_statistics (
    knowledge_base_id uuid NOT NULL,
    lexeme text COLLATE "C" NOT NULL,
    account_id uuid NOT NULL,
    passage_count bigint NOT NULL,
    PRIMARY KEY (knowledge_base_id, lexeme)
  ) WITH (fillfactor = 80)`,
  // A search over many knowledge bases of an account reads a lexeme's counters by this index.
  sql`CREATE INDEX lexeme_statistics_by_account ON lexeme_statistics (account_id, lexeme)`,

  // Deltas of imports and deletions to lexeme_statistics, until a worker has merged them. A transaction writes one row
  // here instead of thousands there, and transactions never wait for each other's rows.
  sql`CREATE TABLE lexeme_changes (
    knowledge_base_id uuid NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    passage_counts jsonb NOT NULL,
    PRIMARY KEY (knowledge_base_id, id)
  )`,
  // Uncompressed: a row lives for a second, and every search of its knowledge base reads all of it meanwhile.
  sql`ALTER TABLE lexeme_changes ALTER COLUMN passage_counts SET STORAGE EXTERNAL`,

  sql`CREATE TABLE documents (
    knowledge_base_id uuid NOT NULL REFERENCES knowledge_bases,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    title text NOT NULL,
    source text NOT NULL,
    type text NOT NULL,
    size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
    status text NOT NULL CHECK (status IN ('pending', 'processing', 'processed', 'failed', 'timeout')),
    error_code text,
    error_message text,
    warnings jsonb NOT NULL DEFAULT '[]',
    page_count integer,
    passage_count integer NOT NULL DEFAULT 0 CHECK (passage_count >= 0),
    file_id uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (knowledge_base_id, id),
    CHECK ((status IN ('failed', 'timeout')) = (error_code IS NOT NULL AND error_message IS NOT NULL)),
    CHECK (status = 'processed' OR passage_count = 0)
  )`,
  sql`CREATE INDEX documents_by_creation ON documents (knowledge_base_id, created_at DESC, id DESC)`,
  sql`CREATE INDEX documents_unfinished ON documents (created_at) WHERE status IN ('pending', 'processing')`,
  sql`CREATE UNIQUE INDEX documents_by_file ON documents (knowledge_base_id, file_id)`,

  sql`CREATE TABLE files (
    knowledge_base_id uuid NOT NULL REFERENCES knowledge_bases,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    file_name text NOT NULL,
    size_bytes bigint NOT NULL CHECK (size_bytes > 0),
    object_name text,
    sha256 bytea,
    document_id uuid,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    uploaded_at timestamptz,
    PRIMARY KEY (knowledge_base_id, id),
    CHECK ((uploaded_at IS NULL) = (object_name IS NULL)),
    CHECK (uploaded_at IS NOT NULL OR sha256 IS NULL)
  )`,
  sql`CREATE UNIQUE INDEX files_by_document ON files (knowledge_base_id, document_id)`,
  // For the sum of the storage that open tickets reserve, over an account's unimported files.
  sql`CREATE INDEX files_not_imported ON files (account_id) WHERE document_id IS NULL`,

  sql`CREATE TABLE passages (
    knowledge_base_id uuid NOT NULL,
    document_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    content text NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    page integer,
    headings jsonb NOT NULL,
    language text NOT NULL,
    PRIMARY KEY (knowledge_base_id, document_id, position),
    FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents (knowledge_base_id, id)
  )`,

  // Read by scoring, and separate from the text shown: a search scores hundreds of passages and shows ten. Rows stay
  // uncompressed in their page. With the content in the row, scoring takes twice as long; compressed, 3.5 times.
  sql`CREATE TABLE passage_lexemes (
    knowledge_base_id uuid NOT NULL,
    document_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    length integer NOT NULL,
    lexemes tsvector NOT NULL,
    PRIMARY KEY (knowledge_base_id, document_id, position),
    FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents (knowledge_base_id, id)
  ) WITH (toast_tuple_target = 8160)`,
  // A separate statement, because CREATE TABLE accepts it only since PostgreSQL 16.
  sql`ALTER TABLE passage_lexemes ALTER COLUMN lexemes SET STORAGE EXTERNAL`,
  // A search has ten conditions on this column, and the planner reads its statistics again for each. A smaller target
  // takes a third off the planning time, and the plan stays the same.
  sql`ALTER TABLE passage_lexemes ALTER COLUMN lexemes SET STATISTICS 10`,
  // The knowledge base is a lexeme of its passages as well (reserved-lexemes.ts), and is intersected like any other.
  sql`CREATE INDEX passage_lexemes_by_lexeme ON passage_lexemes USING gin (lexemes)`,
];

/** Creates every table, each after the tables that it refers to. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
