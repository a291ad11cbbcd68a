/** The queue of jobs, which were in the schema of pg-boss until now. */
import { type Kysely, sql } from 'kysely';

/**
 * The jobs in the schema `pgboss` stay there: another program may use it too, and servers of the version before still
 * do. The workers find out by themselves which jobs the documents need (jobs/missing-jobs.ts).
 *
 * A nil UUID in a column: the job is not about one account, knowledge base or document.
 */
const statements = [
  // A row is updated at each try and with each heartbeat: with this room, the new version stays on its page.
  sql`CREATE TABLE knowledge_jobs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    queue text NOT NULL,
    account_id uuid NOT NULL,
    knowledge_base_id uuid NOT NULL,
    document_id uuid NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz
  ) WITH (fillfactor = 70)`,
  // Without a column that changes while a job waits or runs, so that such an update touches no index.
  sql`CREATE INDEX knowledge_jobs_not_ended ON knowledge_jobs (queue, account_id, created_at) WHERE ended_at IS NULL`,
  sql`CREATE UNIQUE INDEX knowledge_jobs_by_subject ON knowledge_jobs (knowledge_base_id, document_id)
    WHERE ended_at IS NULL`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
