/**
 * The jobs of all queues. A job waits, then runs, then has ended:
 *
 *             started_at   due_at                                           ended_at
 *   waits     NULL         a worker may take it from then on                NULL
 *   runs      set          its worker is dead from then on, if it is past   NULL
 *   ended                                                                   set
 *
 * So a worker may take any job that is due, also one that another worker has lost. No session holds anything between
 * two statements: it works behind a pooler in transaction mode. At most one job of a subject waits or runs; the subject
 * is the pair of knowledge base and document.
 *
 * Why not
 * - pg-boss: its workers know no turns of accounts, so that we wrote our own, and read and changed its tables. Its
 *   schema is that of every program that uses it, and such a program's jobs were taken for ours.
 * - graphile-worker: it notices a killed worker after four hours, and has no turns either.
 * - LISTEN/NOTIFY: see jobs/long-poll.ts.
 */
import { sql } from 'kysely';
import type { ScopedId } from '../../terms/ids.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** A worker that has not renewed its lease for this long is dead, and another one takes its job. */
export const LEASE_SECONDS = 20;

/** A job to enqueue. `id`: the document. The nil UUID: the job is not about one account, knowledge base or document. */
export type NewJob = ScopedId & { queue: string; accountId: string };

/** One try of a job; `tries` includes it. */
export type TakenJob = ScopedId & { jobId: string; accountId: string; tries: number };

const insertion = ({ queue, accountId, knowledgeBaseId, id }: NewJob) => sql`
  INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, created_at, due_at)
  VALUES (${queue}, ${accountId}, ${knowledgeBaseId}, ${id}, now(), now())`;

/** Enqueues a job. Does nothing when one of the same subject waits or runs. */
export async function enqueueOnce(transaction: Queryable, job: NewJob): Promise<void> {
  await sql`${insertion(job)} ON CONFLICT DO NOTHING`.execute(transaction);
}

/** Enqueues a job. It replaces one of the same subject that waits or runs: the worker of that one has lost it. */
export async function enqueueAnew(transaction: Queryable, job: NewJob): Promise<void> {
  await sql`
    ${insertion(job)}
    ON CONFLICT (knowledge_base_id, document_id) WHERE ended_at IS NULL DO UPDATE SET id = excluded.id,
      queue = excluded.queue, tries = 0, created_at = excluded.created_at, due_at = excluded.due_at, started_at = NULL
  `.execute(transaction);
}

const leaseEnd = sql`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

/**
 * The index has the jobs of an account in their order, so that a million waiting jobs cost as much as one. Other
 * workers skip the rows that the statement locks, also those that it does not take.
 */
const takeNext = prepare(
  'take_job',
  ['queue', 'firsts', 'lasts'],
  ({ queue, firsts, lasts }) => sql<TakenJob>`
    WITH next AS (
      SELECT waiting.id
      FROM unnest(${firsts}::uuid[], ${lasts}::uuid[]) WITH ORDINALITY AS accounts (first, last, nth),
        LATERAL (
          SELECT id FROM knowledge_jobs
          WHERE queue = ${queue}::text AND ended_at IS NULL AND due_at <= now()
            AND account_id BETWEEN accounts.first AND accounts.last
          ORDER BY account_id, created_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS waiting
      ORDER BY nth LIMIT 1)
    UPDATE knowledge_jobs AS job SET tries = tries + 1, started_at = now(), due_at = ${leaseEnd}
    FROM next WHERE job.id = next.id
    RETURNING job.id AS "jobId", tries, account_id AS "accountId", knowledge_base_id AS "knowledgeBaseId",
      document_id AS id`,
);

/** The accounts from `first` to `last`, both included, in the order of their ids. */
export type AccountRange = { first: string; last: string };

/** Begins a try of the oldest job of the first account, in the order of `ranges`, that has one due. */
export async function takeJob(
  database: Database,
  queue: string,
  ranges: AccountRange[],
): Promise<TakenJob | undefined> {
  const [firsts, lasts] = [ranges.map(({ first }) => first), ranges.map(({ last }) => last)];
  const [job] = await takeNext(database, { queue, firsts, lasts });
  return job;
}

/** SQL for whether the try goes on: its worker may have lost the job to another one. */
const isOurs = ({ jobId, tries }: TakenJob) => sql`
  id = ${jobId} AND tries = ${tries} AND started_at IS NOT NULL AND ended_at IS NULL`;

/** The heartbeat of a try. Returns false when the worker has lost the job. */
export async function renewLease(database: Database, job: TakenJob): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE knowledge_jobs SET due_at = ${leaseEnd} WHERE ${isOurs(job)}`.execute(database);
  return numAffectedRows === 1n;
}

/** Ends a job, unless the worker has lost it. */
export async function endJob(database: Database, job: TakenJob): Promise<void> {
  await sql`UPDATE knowledge_jobs SET ended_at = now() WHERE ${isOurs(job)}`.execute(database);
}

/** What a job that goes back to the queue becomes. `isNew`: it counts as enqueued when it is due, not before. */
export type NextTry = { queue: string; tries: number; afterSeconds: number; isNew?: boolean };

/** Lets a job wait for its next try, unless the worker has lost it. */
export async function putBack(
  database: Database,
  job: TakenJob,
  { queue, tries, afterSeconds, isNew = false }: NextTry,
): Promise<void> {
  const dueAt = sql`now() + make_interval(secs => ${afterSeconds})`;
  await sql`
    UPDATE knowledge_jobs SET queue = ${queue}, tries = ${tries}, started_at = NULL, due_at = ${dueAt},
      created_at = CASE WHEN ${isNew} THEN ${dueAt} ELSE created_at END
    WHERE ${isOurs(job)}`.execute(database);
}

/** Removes the jobs that have ended more than `seconds` ago. */
export async function removeEndedJobs(database: Database, seconds: number): Promise<void> {
  await sql`DELETE FROM knowledge_jobs WHERE ended_at < now() - make_interval(secs => ${seconds})`.execute(
    database,
  );
}
