/** The state of each queue's jobs, for metrics and for the command line's check. */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import type { JobFigures } from '../telemetry/telemetry.ts';
import { QUEUE_NAMES } from './queue-policies.ts';

/** Whether the table of jobs exists in this database. */
export async function hasJobs(database: Queryable): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    SELECT to_regclass('knowledge_jobs') IS NOT NULL AS exists`.execute(database);
  return rows[0]?.exists === true;
}

/** Returns the figures of all queues in the order of their names. A job that comes again does not wait until then. */
export async function readJobFigures(database: Queryable): Promise<JobFigures[]> {
  const { rows } = await sql<JobFigures>`
    SELECT name AS queue, count(*) FILTER (WHERE waits) AS waiting,
      count(*) FILTER (WHERE started_at IS NOT NULL) AS active,
      coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE waits)), 0)::float8 AS "oldestWaitingSeconds"
    FROM unnest(${QUEUE_NAMES}::text[]) AS queues (name)
      LEFT JOIN knowledge_jobs ON queue = name AND ended_at IS NULL
      CROSS JOIN LATERAL (SELECT started_at IS NULL AND created_at <= now() AS waits) AS state
    GROUP BY name ORDER BY name`.execute(database);
  return rows;
}

/**
 * Finds the queues that make progress: within the last `seconds` a worker has finished a job, or begun one for the
 * first time. A job that begins again has failed before: other jobs may still be stuck. Also reads the ended jobs: for
 * an operator's command, not for metrics.
 */
export async function findMovingQueues(database: Queryable, seconds: number): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ queue: string }>`
    SELECT DISTINCT queue FROM knowledge_jobs
    WHERE ended_at > now() - make_interval(secs => ${seconds})
      OR ended_at IS NULL AND tries = 1 AND started_at > now() - make_interval(secs => ${seconds})`.execute(
    database,
  );
  return new Set(rows.map(({ queue }) => queue));
}
