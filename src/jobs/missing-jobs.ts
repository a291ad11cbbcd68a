/** Enqueues the jobs that must exist and do not, and hastens those that wait for a clock which was set back. */
import { sql } from 'kysely';
import { MAX, NIL } from 'uuid';
import { repeat } from '../concurrency/repeat.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/connection/database.ts';
import { isDistributed } from '../database/distribution/distribution.ts';
import { enqueueOnce } from '../database/rows/jobs.ts';
import type { JobContext } from './job-context.ts';
import {
  DEAD_LETTER_QUEUE,
  EMBEDDING_QUEUE,
  FETCH_QUEUE,
  GARBAGE_QUEUE,
  IMPORT_QUEUE,
  PURGE_QUEUE,
  VECTORS_QUEUE,
} from './queue-policies.ts';

/** Interval between two searches, unless the queue is so long that one takes seconds. */
const INTERVAL_MS = 60_000;
/** They occupy the database for at most a twentieth of the time. */
const PAUSE_FACTOR = 19;
/** Imports enqueued by one search: more than are read until the next one. */
const ENQUEUED_MAX = 100_000;

/**
 * SQL for which of the unfinished documents have no job. On a busy machine with 300,000 that have one it takes 0.5 s.
 * Where Citus distributes the documents, all are tried instead, in 6 s: the jobs are on the coordinator.
 */
const WITHOUT_JOB = sql`
  AND NOT EXISTS (
    SELECT FROM knowledge_jobs AS job
    WHERE job.knowledge_base_id = documents.knowledge_base_id AND document_id = documents.id AND ended_at IS NULL)
  ORDER BY coalesce(queued_at, created_at) LIMIT ${sql.lit(ENQUEUED_MAX)}`;

/**
 * Enqueues the import of each unfinished document without a job, in the order of their requests: documents of a
 * restored backup, and documents by a server of version 0.2.0 or earlier, which has a queue of its own. Such a server
 * may import one of them at the same time. Then one of both results is stored. An unfinished document without a file is
 * of an address. Also enqueues the first garbage collection.
 * @returns how many documents had no job, and have one now
 */
export async function enqueueMissingJobs(database: Database): Promise<number> {
  await enqueueOnce(database, { queue: GARBAGE_QUEUE, knowledgeBaseId: NIL, id: NIL, accountId: NIL });
  const { numAffectedRows = 0n } = await sql`
    INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, created_at, due_at)
    SELECT CASE WHEN file_id IS NULL THEN ${sql.lit(FETCH_QUEUE)} ELSE ${sql.lit(IMPORT_QUEUE)} END, account_id,
      knowledge_base_id, id, coalesce(queued_at, created_at), now()
    FROM documents WHERE status IN ('pending', 'processing') ${(await isDistributed(database)) ? sql`` : WITHOUT_JOB}
    ON CONFLICT DO NOTHING`.execute(database);
  return Number(numAffectedRows);
}

/** No pause of these lasts longer than ten minutes, nor does a lease. */
const SOON_AGAIN = [IMPORT_QUEUE, DEAD_LETTER_QUEUE, PURGE_QUEUE, GARBAGE_QUEUE, EMBEDDING_QUEUE];

/** Makes jobs due that wait longer than any pause lasts: the database's clock was set back since they were enqueued. */
export async function hastenLateJobs(database: Database): Promise<void> {
  await sql`
    UPDATE knowledge_jobs SET due_at = now()
    WHERE queue = ANY (${SOON_AGAIN}) AND ended_at IS NULL AND due_at > now() + interval '15 minutes'`.execute(
    database,
  );
}

/** No two jobs that have not ended may be of the same subject. */
const VECTORS_SUBJECT = { knowledgeBaseId: NIL, id: MAX, accountId: NIL };
const EMBEDDING_SUBJECT = { knowledgeBaseId: MAX, id: NIL, accountId: NIL };

/** Enqueues the first job that makes vectors, of words or by a model: only where a server is set to. */
export async function enqueueVectors(
  database: Database,
  { hasWordVectors, embeddings }: Pick<Config, 'hasWordVectors' | 'embeddings'>,
): Promise<void> {
  if (hasWordVectors) await enqueueOnce(database, { queue: VECTORS_QUEUE, ...VECTORS_SUBJECT });
  if (embeddings !== undefined && !(await isDistributed(database)))
    await enqueueOnce(database, { queue: EMBEDDING_QUEUE, ...EMBEDDING_SUBJECT });
}

/** Does all of it at once and again and again, until the returned function is called. */
export function startEnqueuingMissingJobs({ config, database, log }: JobContext): () => Promise<void> {
  const enqueue = async (): Promise<number> => {
    const startedAtMs = performance.now();
    await enqueueVectors(database, config);
    const documents = await enqueueMissingJobs(database);
    await hastenLateJobs(database);
    if (documents > 0) log.info({ documents }, 'unfinished documents without a job were enqueued');
    return Math.max(INTERVAL_MS, (performance.now() - startedAtMs) * PAUSE_FACTOR);
  };
  return repeat(() =>
    enqueue().catch((error) => {
      log.warn({ err: error }, 'enqueuing missing jobs failed');
      return INTERVAL_MS;
    }),
  );
}
