/** Webhooks, the events that wait for their delivery, and the log of the last deliveries. */
import { type Kysely, sql } from 'kysely';

/**
 * Events and deliveries do not refer to their webhook by a foreign key: an import would have to lock each webhook, and
 * a deletion would have to wait for all imports. Garbage collection removes the rows of deleted webhooks.
 */
const statements = [
  // `events`, `knowledge_base_ids`: NULL for all. `leased_until`: one server has its turn to deliver.
  sql`CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    url text NOT NULL,
    secret bytea NOT NULL,
    events text[],
    knowledge_base_ids uuid[],
    created_at timestamptz NOT NULL,
    failing_since timestamptz,
    failures integer NOT NULL DEFAULT 0,
    retry_at timestamptz NOT NULL,
    leased_until timestamptz,
    disabled_at timestamptz,
    disabled_reason text
  )`,
  sql`CREATE INDEX webhooks_by_account ON webhooks (account_id, created_at DESC, id DESC)`,
  // The positions of one document's events ascend: whoever records an event holds a lock on the document.
  sql`CREATE TABLE webhook_events (
    webhook_id uuid NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    account_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    knowledge_base_id uuid NOT NULL,
    document_id uuid,
    data json NOT NULL,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    PRIMARY KEY (webhook_id, position)
  )`,
  sql`CREATE INDEX webhook_events_by_due ON webhook_events (webhook_id, due_at, position)`,
  sql`CREATE INDEX webhook_events_by_document
    ON webhook_events (webhook_id, knowledge_base_id, document_id, position)`,
  sql`CREATE TABLE webhook_deliveries (
    webhook_id uuid NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    account_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    attempt integer NOT NULL,
    sent_at timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    error text,
    PRIMARY KEY (webhook_id, position)
  )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
