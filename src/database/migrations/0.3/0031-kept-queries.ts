/** The last queries of accounts that want them kept. */
import { type Kysely, sql } from 'kysely';

/**
 * A row in `query_histories`: the account wants its queries kept. It is not referred to, since a restore drops its
 * index to load it, and backups have no kept queries. `bytes`: of the request, so that no request has to be read for
 * them. `knowledge_base_ids`: those that the request names.
 */
const statements = [
  sql`CREATE TABLE query_histories (
    account_id uuid PRIMARY KEY REFERENCES accounts,
    kept_since timestamptz NOT NULL
  )`,
  sql`CREATE TABLE kept_queries (
    account_id uuid NOT NULL,
    sent_at timestamptz NOT NULL,
    id uuid NOT NULL,
    request json NOT NULL,
    bytes integer NOT NULL,
    knowledge_base_ids uuid[] NOT NULL,
    result_count integer NOT NULL,
    duration_ms integer NOT NULL,
    PRIMARY KEY (account_id, sent_at, id)
  )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
