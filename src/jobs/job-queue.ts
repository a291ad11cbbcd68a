/** The job queue (pg-boss, in the same PostgreSQL). A job is enqueued in the transaction that needs it. */
import { CompiledQuery, sql } from 'kysely';
import { type Job, PgBoss, type SendOptions } from 'pg-boss';
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import { type Connection, KEEP_ALIVE, type Queryable } from '../database/connection/database.ts';
import type { ScopedId } from '../terms/ids.ts';
import { laneOf } from './import-turns.ts';
import { type Attempt, type Importers, startImporters } from './importers.ts';

/** A job that failed by a fault of the service is tried again after 1, 2, 4, … seconds, this often at most. */
const RETRY_LIMIT = 5;
/** A worker without a heartbeat for this long is dead, and another one takes its job. */
const HEARTBEAT_SECONDS = 20;
/** The longest that pg-boss allows: the document's deadline and the heartbeat bound an import. */
const IMPORT_EXPIRES_SECONDS = 86_400;
/** Interval between searches for dead workers' jobs. */
const SUPERVISE_SECONDS = 5;
/** How soon a job starts that is not an import. */
const POLLING_SECONDS = 2;
/** How long a stop waits for running jobs, by default. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * The queue's statements take milliseconds. If one takes this long, the connection is dead, and is closed. The time
 * equals the time to detect a dead worker, and is enough to create the queue's tables at the first start.
 */
const STATEMENT_TIMEOUT_MS = 20_000;
/** How long a connection may stay at a former primary that a failover has made a standby: there no job is fetched. */
const CONNECTION_LIFETIME_SECONDS = 30;
/** Options that pg-boss passes on to `pg`, though its types omit them. */
const CONNECTION_OPTIONS = {
  ...KEEP_ALIVE,
  query_timeout: STATEMENT_TIMEOUT_MS,
  maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
};

/** Connections of one process for its jobs: to fetch them and to record their results. */
export const JOB_CONNECTIONS = 4;

export type JobQueue = {
  enqueueImport(transaction: Queryable, document: ScopedId & { accountId: string }): Promise<void>;
  /** Makes this process query for imports at once. Call it after the commit of a transaction that has enqueued one. */
  wakeImporters(): void;
  /** Does nothing when this purge is waiting or running already. */
  enqueuePurge(transaction: Queryable, knowledgeBaseId: string): Promise<void>;
};

export type JobHandlers = {
  importFile(attempt: Attempt<ScopedId>): Promise<void>;
  /** Called for an import whose every try has failed or lost its worker. */
  giveUpImport(attempt: Attempt<ScopedId>): Promise<void>;
  purgeKnowledgeBase(attempt: Attempt<{ knowledgeBaseId: string }>): Promise<void>;
  collectGarbage(attempt: Attempt<object>): Promise<void>;
};

export const IMPORT_QUEUE = 'import-file';
/** The dead letters: imports that failed at every try. */
export const DEAD_LETTER_QUEUE = 'give-up-import';
const PURGE_QUEUE = 'purge-knowledge-base';
const GARBAGE_QUEUE = 'sweep-storage';

/** In the format of cron(5): every ten minutes, by one worker of all servers. */
const GARBAGE_SCHEDULE = '*/10 * * * *';
/** Failing the document of a dead letter must succeed in the end. */
const GIVE_UP_RETRY_LIMIT = 1_000;
const GIVE_UP_RETRY_MAX_SECONDS = 60;

/** Whether the queue's tables exist in this database. */
export async function hasJobQueue(database: Queryable): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    SELECT to_regclass('pgboss.queue') IS NOT NULL AS exists`.execute(database);
  return rows[0]?.exists === true;
}

/** Runs pg-boss's statements in the caller's own transaction. */
const onTransaction = (transaction: Queryable): SendOptions => ({
  db: {
    executeSql: async (text, values = []) => {
      const { rows } = await transaction.executeQuery(CompiledQuery.raw(text, values));
      return { rows };
    },
  },
});

async function createQueues(boss: PgBoss): Promise<void> {
  const policy = {
    retryLimit: RETRY_LIMIT,
    retryDelay: 1,
    retryBackoff: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
  };
  const untilDone = { retryLimit: GIVE_UP_RETRY_LIMIT, retryDelayMax: GIVE_UP_RETRY_MAX_SECONDS };
  await boss.createQueue(DEAD_LETTER_QUEUE, { ...policy, ...untilDone });
  await boss.createQueue(IMPORT_QUEUE, { ...policy, deadLetter: DEAD_LETTER_QUEUE });
  // At most one of several equal jobs waits or runs: garbage collection may request a purge in progress.
  await boss.createQueue(PURGE_QUEUE, { ...policy, policy: 'exclusive' });
  await boss.createQueue(GARBAGE_QUEUE, { ...policy, policy: 'exclusive', retryLimit: 0 });
  await boss.schedule(GARBAGE_QUEUE, GARBAGE_SCHEDULE);
  // Any look at a queue makes pg-boss remember it. It would do so at the queue's first job, over a connection of its own
  // while the job's transaction holds another: with few connections that takes all, the transaction would wait for ever.
  for (const name of [IMPORT_QUEUE, PURGE_QUEUE]) await boss.findJobs(name, { id: NIL });
}

/** A worker that takes one job at a time, so that a bad job fails alone. */
async function startWorker<Payload extends object>(
  boss: PgBoss,
  name: string,
  handle: (attempt: Attempt<Payload>) => Promise<void>,
): Promise<void> {
  const options = { batchSize: 1, pollingIntervalSeconds: POLLING_SECONDS } as const;
  let workerId = '';
  workerId = await boss.work(name, options, async (jobs: Job<Payload>[]) => {
    // Without this call, the next waiting job would wait for the next poll.
    boss.notifyWorker(workerId);
    for (const { data, signal } of jobs) await handle({ payload: data, signal });
  });
}

const createQueue = (boss: PgBoss, wakeImporters: () => void): JobQueue => ({
  async enqueueImport(transaction, { accountId, ...document }) {
    const inLane = { priority: laneOf(accountId), expireInSeconds: IMPORT_EXPIRES_SECONDS };
    await boss.send(IMPORT_QUEUE, document, { ...onTransaction(transaction), ...inLane });
  },
  wakeImporters,
  async enqueuePurge(transaction, knowledgeBaseId) {
    const once = { singletonKey: knowledgeBaseId };
    await boss.send(PURGE_QUEUE, { knowledgeBaseId }, { ...onTransaction(transaction), ...once });
  },
});

/**
 * Connects to the queue, creates missing tables, and returns the functions to enqueue jobs and to work on them. `work`
 * starts importers, of which one account may have `concurrency`.
 */
export async function openJobQueue(connection: Connection, log: Logger) {
  const boss = new PgBoss({
    ...connection,
    ...CONNECTION_OPTIONS,
    max: JOB_CONNECTIONS,
    application_name: 'knowledge-retrieval jobs',
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue has a problem'));
  await boss.start();
  await createQueues(boss);
  let importers: Importers | undefined;
  return {
    queue: createQueue(boss, () => importers?.wake()),
    async work(handlers: JobHandlers, concurrency: number): Promise<void> {
      const { importFile: handle, ...others } = handlers;
      const work = { queue: IMPORT_QUEUE, handle, heartbeatSeconds: HEARTBEAT_SECONDS };
      importers = startImporters(concurrency, { boss, log, ...work });
      await startWorker(boss, DEAD_LETTER_QUEUE, others.giveUpImport);
      await startWorker(boss, PURGE_QUEUE, others.purgeKnowledgeBase);
      await startWorker(boss, GARBAGE_QUEUE, others.collectGarbage);
    },
    /** Stops taking jobs; running ones continue. */
    async endWork(): Promise<void> {
      void importers?.end();
      for (const queue of new Set(boss.getWipData().map(({ name }) => name)))
        await boss.offWork(queue, { wait: false });
    },
    /** Waits for running jobs for `timeoutMs`, at least a second; the rest goes back to the queue. */
    async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
      const stopsAtMs = performance.now() + timeoutMs;
      await importers?.stop(timeoutMs);
      await boss.stop({ graceful: true, timeout: stopsAtMs - performance.now() });
    },
  };
}
