/** The job queue (pg-boss, in the same PostgreSQL): jobs are enqueued in the transaction that makes them needed. */
import { CompiledQuery } from 'kysely';
import { type JobWithMetadata, PgBoss, type SendOptions } from 'pg-boss';
import type { Logger } from 'pino';
import type { ScopedId } from '../ids.ts';
import type { Connection, Queryable } from '../storage/database.ts';

/** A job that failed by our fault is tried again after 1, 2, 4, … seconds, up to this often. */
const RETRY_LIMIT = 5;
/** A worker that is silent for this long is dead, and its job goes to another one. */
const HEARTBEAT_SECONDS = 20;
/** How often dead workers' jobs are looked for. */
const SUPERVISE_SECONDS = 5;
/** How soon a job starts that nobody is notified of: a retry, or after a lost notification. */
const POLLING_SECONDS = 2;
/** Running jobs may end within this time when the server stops; then they go back to the queue. */
const DRAIN_TIMEOUT_MS = 5_000;

export type JobQueue = {
  enqueueImport(transaction: Queryable, document: ScopedId): Promise<void>;
  enqueuePurge(transaction: Queryable, knowledgeBaseId: string): Promise<void>;
};

/** One try of a job; `isLast`: nobody will try again if this one throws. */
export type Attempt<Payload> = { payload: Payload; isLast: boolean; signal: AbortSignal };

export type JobHandlers = {
  importFile(attempt: Attempt<ScopedId>): Promise<void>;
  purgeKnowledgeBase(attempt: Attempt<{ knowledgeBaseId: string }>): Promise<void>;
};

const IMPORT_QUEUE = 'import-file';
const PURGE_QUEUE = 'purge-knowledge-base';

/** pg-boss's statements on the caller's own transaction. */
const onTransaction = (transaction: Queryable): SendOptions => ({
  db: {
    executeSql: async (text, values = []) => {
      const { rows } = await transaction.executeQuery(CompiledQuery.raw(text, values));
      return { rows };
    },
  },
});

/**
 * Connects to the queue, makes its tables when they are missing, and gives both ends of it.
 * `work` starts `concurrency` workers; `stop` lets running jobs end for a moment and hands back the rest.
 */
export async function openJobQueue(connection: Connection, log: Logger) {
  const boss = new PgBoss({
    ...connection,
    max: 4,
    application_name: 'knowledge-retrieval jobs',
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'job queue'));
  await boss.start();
  const policy = {
    retryLimit: RETRY_LIMIT,
    retryDelay: 1,
    retryBackoff: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    notify: true,
  };
  for (const name of [IMPORT_QUEUE, PURGE_QUEUE]) await boss.createQueue(name, policy);

  async function workOn<Payload extends object>(
    name: string,
    concurrency: number,
    handle: (attempt: Attempt<Payload>) => Promise<void>,
  ): Promise<void> {
    const options = {
      batchSize: 1,
      localConcurrency: concurrency,
      pollingIntervalSeconds: POLLING_SECONDS,
      notifyPollingIntervalSeconds: POLLING_SECONDS,
      includeMetadata: true,
    } as const;
    await boss.work(name, options, async (jobs: JobWithMetadata<Payload>[]) => {
      for (const { data, retryCount, retryLimit, signal } of jobs) {
        await handle({ payload: data, isLast: retryCount >= retryLimit, signal });
      }
    });
  }

  const queue: JobQueue = {
    async enqueueImport(transaction, document) {
      await boss.send(IMPORT_QUEUE, document, onTransaction(transaction));
    },
    async enqueuePurge(transaction, knowledgeBaseId) {
      await boss.send(PURGE_QUEUE, { knowledgeBaseId }, onTransaction(transaction));
    },
  };
  return {
    queue,
    async work(handlers: JobHandlers, concurrency: number): Promise<void> {
      await workOn(IMPORT_QUEUE, concurrency, handlers.importFile);
      await workOn(PURGE_QUEUE, 1, handlers.purgeKnowledgeBase);
    },
    stop: () => boss.stop({ graceful: true, timeout: DRAIN_TIMEOUT_MS }),
  };
}
