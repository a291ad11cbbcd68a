/** The state of each queue's jobs, for metrics and for the command line's check. */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import type { JobFigures } from '../telemetry/telemetry.ts';

/**
 * Returns the figures of all queues in the order of their names. Reads only pg-boss's partial index of waiting jobs
 * (job_i11), never the many ended jobs. No index serves to count active jobs: pg-boss's own count is used.
 */
export async function readJobFigures(database: Queryable): Promise<JobFigures[]> {
  const { rows } = await sql<JobFigures>`
    SELECT queue.name AS queue, waiting.count AS waiting, active_count AS active,
      coalesce(extract(epoch FROM now() - waiting.since), 0)::float8 AS "oldestWaitingSeconds"
    FROM pgboss.queue
      CROSS JOIN LATERAL (
        SELECT count(*) AS count, min(created_on) AS since FROM pgboss.job
        WHERE job.name = queue.name AND state < 'active' AND NOT blocked) AS waiting
    WHERE NOT starts_with(queue.name, '__pgboss')
    ORDER BY queue.name`.execute(database);
  return rows;
}

/**
 * Finds the queues that make progress: within the last `seconds` a worker has finished a job, or begun one for the
 * first time. A job that begins again has failed before: other jobs may still be stuck. Also reads the many ended jobs:
 * for an operator's command, not for metrics.
 */
export async function findMovingQueues(database: Queryable, seconds: number): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ queue: string }>`
    SELECT queue.name AS queue FROM pgboss.queue
    WHERE EXISTS (
      SELECT FROM pgboss.job WHERE job.name = queue.name
        AND (state = 'completed' AND completed_on > now() - make_interval(secs => ${seconds})
          OR retry_count = 0 AND started_on > now() - make_interval(secs => ${seconds})))`.execute(database);
  return new Set(rows.map(({ queue }) => queue));
}
