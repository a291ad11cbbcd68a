/**
 * The kept answers to requests with an Idempotency-Key. It is a table of accounts, not of contents: where knowledge
 * bases are distributed it stays on the coordinator, and so refers to no table.
 */
import { type Kysely, sql } from 'kysely';

const statements = [
  // json, not jsonb: the answer is returned character by character. It is null only within the transaction that makes
  // it.
  sql`CREATE TABLE first_answers (
    account_id uuid NOT NULL,
    operation text NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    request_hash bytea NOT NULL,
    answer json,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, operation, idempotency_key)
  ) WITH (fillfactor = 80)`,
  sql`CREATE INDEX first_answers_by_creation ON first_answers (created_at)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
