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
 * - pg-boss: its workers know no round robin over accounts, so that we wrote our own, and read and changed its tables.
 *   Its schema is shared by all programs that use it, and such a program's jobs were taken for ours.
 * - graphile-worker: it notices a killed worker after four hours, and knows none either.
 * - LISTEN/NOTIFY: see jobs/long-poll.ts.
 */
import { type RawBuilder, sql } from 'kysely';
import type { ScopedId } from '../../terms/ids.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** A worker that has not renewed its lease for this long is dead, and another one takes its job. */
export const LEASE_SECONDS = 20;

/**
 * A job to enqueue. `id`: the document. The nil UUID: the job is not about one account, knowledge base or document.
 * `isSmall`: a worker may take it together with other small jobs of its account.
 */
export type NewJob = ScopedId & { queue: string; accountId: string; isSmall?: boolean };

/** One try of a job; `tries` includes it. */
export type TakenJob = ScopedId & { jobId: string; accountId: string; tries: number };

const insertion = ({ queue, accountId, knowledgeBaseId, id, isSmall = false }: NewJob) => sql`
  INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, is_small, created_at, due_at)
  VALUES (${queue}, ${accountId}, ${knowledgeBaseId}, ${id}, ${isSmall}, now(), now())`;

/** Enqueues a job. Does nothing when one of the same subject waits or runs. */
export async function enqueueOnce(transaction: Queryable, job: NewJob): Promise<void> {
  await sql`${insertion(job)} ON CONFLICT DO NOTHING`.execute(transaction);
}

/** Enqueues a job. It replaces one of the same subject that waits or runs: the worker of that one has lost it. */
export async function enqueueAnew(transaction: Queryable, job: NewJob): Promise<void> {
  await sql`
    ${insertion(job)}
    ON CONFLICT (knowledge_base_id, document_id) WHERE ended_at IS NULL DO UPDATE SET id = excluded.id,
      queue = excluded.queue, is_small = excluded.is_small, tries = 0, created_at = excluded.created_at,
      due_at = excluded.due_at, started_at = NULL
  `.execute(transaction);
}

const insertNew = prepare(
  'insert_new_jobs',
  ['queue', 'accountId', 'knowledgeBaseId', 'ids', 'areSmall'],
  ({ queue, accountId, knowledgeBaseId, ids, areSmall }) => sql`
    INSERT INTO knowledge_jobs (queue, account_id, knowledge_base_id, document_id, is_small, created_at, due_at)
    SELECT ${queue}::text, ${accountId}::uuid, ${knowledgeBaseId}::uuid, id, is_small, now(), now()
    FROM unnest(${ids}::uuid[], ${areSmall}::boolean[]) AS job (id, is_small)`,
);

/** Jobs of new documents of one knowledge base: `areSmall` has a value for each of `ids`. */
export type NewJobs = { accountId: string; knowledgeBaseId: string; ids: string[]; areSmall: boolean[] };

/** Enqueues the jobs of new documents. */
export async function enqueueNew(transaction: Queryable, queue: string, jobs: NewJobs): Promise<void> {
  await insertNew(transaction, { queue, ...jobs });
}

const leaseEnd = sql`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

/**
 * The oldest job of an account that is due. The index has the jobs of an account in their order, so that a million
 * waiting jobs cost as much as one. Other workers skip the rows that the statement locks, also those that it does not
 * take.
 */
const oldestDue = (
  queue: RawBuilder<unknown>,
  { ofAccount, limit }: Record<'ofAccount' | 'limit', RawBuilder<unknown>>,
) => sql`
  SELECT id, account_id, is_small, tries FROM knowledge_jobs
  WHERE queue = ${queue}::text AND ended_at IS NULL AND due_at <= now() AND ${ofAccount}
  ORDER BY account_id, created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;

/**
 * If the next job is small and was never tried, the others of its account that are so too come along, as far as they
 * are among its next `most` jobs. After a failure each is tried alone, so that none uses up the tries of others.
 */
const takeNext = prepare(
  'take_jobs',
  ['queue', 'firsts', 'lasts', 'most'],
  ({ queue, firsts, lasts, most }) => sql<TakenJob>`
    WITH next AS MATERIALIZED (
      SELECT waiting.id, account_id, is_small AND tries = 0 AS brings_others
      FROM unnest(${firsts}::uuid[], ${lasts}::uuid[]) WITH ORDINALITY AS accounts (first, last, nth),
        LATERAL (${oldestDue(queue, {
          ofAccount: sql`account_id BETWEEN accounts.first AND accounts.last`,
          limit: sql`1`,
        })}) AS waiting
      ORDER BY nth LIMIT 1),
    others AS MATERIALIZED (
      SELECT waiting.id FROM next,
        LATERAL (${oldestDue(queue, { ofAccount: sql`account_id = next.account_id`, limit: sql`${most}::integer` })})
          AS waiting
      WHERE brings_others AND waiting.is_small AND waiting.tries = 0)
    UPDATE knowledge_jobs AS job SET tries = job.tries + 1, started_at = now(), due_at = ${leaseEnd}
    FROM (SELECT id FROM next UNION SELECT id FROM others) AS taken WHERE job.id = taken.id
    RETURNING job.id AS "jobId", job.tries, job.account_id AS "accountId", knowledge_base_id AS "knowledgeBaseId",
      document_id AS id`,
);

/** The accounts from `first` to `last`, both included, in the order of their ids. */
export type AccountRange = { first: string; last: string };

/**
 * Begins a try of the oldest job of the first account, in the order of `ranges`, that has one due; and of up to `most`
 * small jobs of this account together. Returns them in the order of their documents.
 */
export async function takeJobs(
  database: Database,
  queue: string,
  { ranges, most }: { ranges: AccountRange[]; most: number },
): Promise<TakenJob[]> {
  const [firsts, lasts] = [ranges.map(({ first }) => first), ranges.map(({ last }) => last)];
  const jobs = await takeNext(database, { queue, firsts, lasts, most });
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1)); // they begin with their time
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

const endTries = prepare(
  'end_jobs',
  ['ids', 'tries'],
  ({ ids, tries }) => sql`
    UPDATE knowledge_jobs AS job SET ended_at = now()
    FROM unnest(${ids}::uuid[], ${tries}::integer[]) AS ended (id, tries)
    WHERE job.id = ended.id AND job.tries = ended.tries AND started_at IS NOT NULL AND ended_at IS NULL`,
);

/** Ends jobs, except those that the worker has lost. */
export async function endJobs(database: Database, jobs: TakenJob[]): Promise<void> {
  await endTries(database, { ids: jobs.map(({ jobId }) => jobId), tries: jobs.map(({ tries }) => tries) });
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
