/** The job queue (pg-boss, in the same PostgreSQL): jobs are enqueued in the transaction that makes them needed. */
import { CompiledQuery, sql } from 'kysely';
import { type Job, PgBoss, type SendOptions } from 'pg-boss';
import type { Logger } from 'pino';
import { type Connection, KEEP_ALIVE, type Queryable } from '../database/database.ts';
import type { ScopedId } from '../ids.ts';
import { laneOf } from './import-lanes.ts';
import { type Attempt, type Importers, startImporters } from './importers.ts';

/** A job that failed by our fault is tried again after 1, 2, 4, … seconds, up to this often. */
const RETRY_LIMIT = 5;
/** A worker that is silent for this long is dead, and its job goes to another one. */
const HEARTBEAT_SECONDS = 20;
/** The longest that pg-boss allows: what bounds an import is the deadline of its document, and the heartbeat. */
const IMPORT_EXPIRES_SECONDS = 86_400;
/** How often dead workers' jobs are looked for. */
const SUPERVISE_SECONDS = 5;
/** How soon a job starts that is no import. */
const POLLING_SECONDS = 2;
/** How long running jobs have to their end when nobody says otherwise. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * The queue's statements take milliseconds; one that takes this long has lost its link, and its connection is closed. As
 * long as a dead worker takes to be noticed, and with room for the queue's tables, which the first start makes.
 */
const STATEMENT_TIMEOUT_MS = 20_000;
/** What pg-boss hands on to `pg`, though its types do not tell. */
const LINK = { ...KEEP_ALIVE, query_timeout: STATEMENT_TIMEOUT_MS };

/** Connections that one process takes for its jobs: they ask for jobs and tell of their ends. */
export const JOB_CONNECTIONS = 4;

export type JobQueue = {
  enqueueImport(transaction: Queryable, document: ScopedId & { accountId: string }): Promise<void>;
  /** Lets this process look for imports at once: after the commit of a transaction that has enqueued one. */
  wakeImporters(): void;
  /** Does nothing where this purge waits or runs already. */
  enqueuePurge(transaction: Queryable, knowledgeBaseId: string): Promise<void>;
};

export type JobHandlers = {
  importFile(attempt: Attempt<ScopedId>): Promise<void>;
  /** Comes for an import that was tried in vain to the last, also where the worker was killed each time. */
  giveUpImport(attempt: Attempt<ScopedId>): Promise<void>;
  purgeKnowledgeBase(attempt: Attempt<{ knowledgeBaseId: string }>): Promise<void>;
  sweepStorage(attempt: Attempt<object>): Promise<void>;
};

export const IMPORT_QUEUE = 'import-file';
/** The dead letters: imports that failed at every try. */
export const GIVEN_UP_QUEUE = 'give-up-import';
const PURGE_QUEUE = 'purge-knowledge-base';
const SWEEP_QUEUE = 'sweep-storage';

/** In the form of cron(5): every ten minutes, by one worker of all. */
const SWEEP_SCHEDULE = '*/10 * * * *';
/** Giving up has no other end than that it succeeds. */
const GIVE_UP_RETRY_LIMIT = 1_000;
const GIVE_UP_RETRY_MAX_SECONDS = 60;

/** Whether some process has made the queue's tables in this database. */
export async function hasJobQueue(database: Queryable): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    SELECT to_regclass('pgboss.queue') IS NOT NULL AS there`.execute(database);
  return rows[0]?.there === true;
}

/** pg-boss's statements on the caller's own transaction. */
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
  await boss.createQueue(GIVEN_UP_QUEUE, { ...policy, ...untilDone });
  await boss.createQueue(IMPORT_QUEUE, { ...policy, deadLetter: GIVEN_UP_QUEUE });
  // Of equal jobs one waits or runs: the sweep may ask for what is under way.
  await boss.createQueue(PURGE_QUEUE, { ...policy, policy: 'exclusive' });
  await boss.createQueue(SWEEP_QUEUE, { ...policy, policy: 'exclusive', retryLimit: 0 });
  await boss.schedule(SWEEP_QUEUE, SWEEP_SCHEDULE);
}

/** A worker of a queue with one job at a time: a bad job fails alone. */
async function startWorker<Payload extends object>(
  boss: PgBoss,
  name: string,
  handle: (attempt: Attempt<Payload>) => Promise<void>,
): Promise<void> {
  const options = { batchSize: 1, pollingIntervalSeconds: POLLING_SECONDS } as const;
  let workerId = '';
  workerId = await boss.work(name, options, async (jobs: Job<Payload>[]) => {
    // After a job there may be another: without this each of many would wait for the next poll.
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
 * Connects to the queue, makes its tables when they are missing, and gives both ends of it.
 * `work` starts importers, of which one account may have `concurrency`; `stop` lets running jobs end for a moment and
 * hands back the rest.
 */
export async function openJobQueue(connection: Connection, log: Logger) {
  const boss = new PgBoss({
    ...connection,
    ...LINK,
    max: JOB_CONNECTIONS,
    application_name: 'knowledge-retrieval jobs',
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'job queue'));
  await boss.start();
  await createQueues(boss);
  let importers: Importers | undefined;
  return {
    queue: createQueue(boss, () => importers?.wake()),
    async work(handlers: JobHandlers, concurrency: number): Promise<void> {
      const { importFile: handle, ...others } = handlers;
      const work = { queue: IMPORT_QUEUE, handle, heartbeatSeconds: HEARTBEAT_SECONDS };
      importers = startImporters(concurrency, { boss, log, ...work });
      await startWorker(boss, GIVEN_UP_QUEUE, others.giveUpImport);
      await startWorker(boss, PURGE_QUEUE, others.purgeKnowledgeBase);
      await startWorker(boss, SWEEP_QUEUE, others.sweepStorage);
    },
    /** From now on takes no further job; what runs goes on. */
    async endWork(): Promise<void> {
      void importers?.end();
      for (const queue of new Set(boss.getWipData().map(({ name }) => name)))
        await boss.offWork(queue, { wait: false });
    },
    /** Running jobs may end within `timeoutMs`, a second at least; then they go back to the queue. */
    async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
      const stopsAtMs = performance.now() + timeoutMs;
      await importers?.stop(timeoutMs);
      await boss.stop({ graceful: true, timeout: stopsAtMs - performance.now() });
    },
  };
}
