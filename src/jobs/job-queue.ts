/** The job queue, in the same PostgreSQL as all else. A job is enqueued in the transaction that needs it. */
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import { createDatabase, type Database, type Queryable } from '../database/connection/database.ts';
import { type Connection, createPool } from '../database/connection/pool.ts';
import { enqueueAnew, enqueueNew, enqueueOnce, type NewJobs } from '../database/rows/jobs.ts';
import type { OwnedId, ScopedId } from '../terms/ids.ts';
import {
  DEAD_LETTER_QUEUE,
  EMBEDDING_QUEUE,
  FETCH_QUEUE,
  GARBAGE_QUEUE,
  IMPORT_QUEUE,
  PURGE_QUEUE,
  type QueueName,
  VECTORS_QUEUE,
} from './queue-policies.ts';
import { createRoundRobin } from './round-robin.ts';
import { type Attempt, Postponed, startWorkers, type Together, type Workers } from './workers.ts';

/** How soon an import starts that another server has enqueued. */
const IMPORT_POLL_INTERVAL_MS = 500;
/** How soon a job starts that is not an import. */
const POLL_INTERVAL_MS = 2_000;
/**
 * Small files that are taken together. With twice as many, a tenth of the work would be saved, and another account
 * would wait longer.
 */
const SMALL_IMPORTS_MOST = 16;
/** Importers that serve only accounts without an importer, in addition to the regular ones. */
const EXTRA_IMPORTERS = 2;
/**
 * Addresses that one process fetches at once: it mostly waits for their servers. An account may have half of them while
 * others wait, and the extra ones are for accounts without any.
 */
const FETCHERS = 8;
const EXTRA_FETCHERS = 4;
/** How long a stop waits for running jobs, by default. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Connections of one process for its jobs alone: to take them, to renew their leases, and to record their results. A
 * lease must not end because requests have all other connections.
 */
export const JOB_CONNECTIONS = 2;

export type JobQueue = {
  /**
   * The import replaces one of the same document that waits or runs, which has a final status. `isSmall`: it may be run
   * together with others of its account.
   */
  enqueueImport(transaction: Queryable, document: OwnedId & { isSmall?: boolean }): Promise<void>;
  /** The imports of new documents. */
  enqueueNewImports(transaction: Queryable, jobs: NewJobs): Promise<void>;
  /** Enqueues that the file of an address is fetched, and then imported; otherwise the same. */
  enqueueFetch(transaction: Queryable, document: OwnedId): Promise<void>;
  /** Makes this process query for imports at once. Call it after the commit of a transaction that has enqueued one. */
  wakeImporters(): void;
  /** The same for files of addresses. */
  wakeFetchers(): void;
  /** Does nothing when this purge is waiting or running already. */
  enqueuePurge(transaction: Queryable, knowledgeBaseId: string): Promise<void>;
};

export type JobHandlers = {
  importFile(attempt: Attempt<ScopedId>): Promise<void>;
  /** Undefined: each small import is run alone too. */
  importSmallFiles?: Together['handle'];
  fetchUrl(attempt: Attempt<ScopedId>): Promise<void>;
  /** Called for an import whose every try has failed or lost its worker. */
  giveUpImport(attempt: Attempt<ScopedId>): Promise<void>;
  purgeKnowledgeBase(attempt: Attempt<{ knowledgeBaseId: string }>): Promise<void>;
  collectGarbage(attempt: Attempt<object>): Promise<void>;
  fillVectors?(attempt: Attempt<object>): Promise<void>;
  embedDocuments?(attempt: Attempt<object>): Promise<void>;
};

const createQueue = (wake: Pick<JobQueue, 'wakeImporters' | 'wakeFetchers'>): JobQueue => ({
  enqueueImport: (transaction, { knowledgeBaseId, id, accountId, isSmall = false }) =>
    enqueueAnew(transaction, { queue: IMPORT_QUEUE, knowledgeBaseId, id, accountId, isSmall }),
  enqueueNewImports: (transaction, jobs) => enqueueNew(transaction, IMPORT_QUEUE, jobs),
  enqueueFetch: (transaction, { knowledgeBaseId, id, accountId }) =>
    enqueueAnew(transaction, { queue: FETCH_QUEUE, knowledgeBaseId, id, accountId }),
  ...wake,
  enqueuePurge: (transaction, knowledgeBaseId) =>
    enqueueOnce(transaction, { queue: PURGE_QUEUE, knowledgeBaseId, id: NIL, accountId: NIL }),
});

type WorkerContext = { database: Database; log: Logger };

/** A worker that takes one job at a time. */
function startOne(
  context: WorkerContext,
  queue: QueueName,
  handle: (attempt: Attempt<ScopedId>) => Promise<void>,
): Workers {
  const handleLogged = (attempt: Attempt<ScopedId>) =>
    handle(attempt).catch((error) => {
      if (!(error instanceof Postponed)) context.log.warn({ err: error, queue }, 'a job failed');
      throw error;
    });
  const [roundRobin, pollIntervalMs] = [createRoundRobin(1, 0), POLL_INTERVAL_MS];
  return startWorkers({ ...context, queue, handle: handleLogged, roundRobin, pollIntervalMs });
}

/** Starts the workers of all queues. Those of imports are the first, and those that fetch their files the second. */
function startAll(context: WorkerContext, handlers: JobHandlers, concurrency: number): Workers[] {
  return [
    startWorkers({
      ...context,
      queue: IMPORT_QUEUE,
      handle: handlers.importFile,
      ...(handlers.importSmallFiles && {
        together: { most: SMALL_IMPORTS_MOST, handle: handlers.importSmallFiles },
      }),
      roundRobin: createRoundRobin(concurrency, EXTRA_IMPORTERS),
      pollIntervalMs: IMPORT_POLL_INTERVAL_MS,
    }),
    startWorkers({
      ...context,
      queue: FETCH_QUEUE,
      handle: handlers.fetchUrl,
      roundRobin: createRoundRobin(FETCHERS, EXTRA_FETCHERS),
      pollIntervalMs: IMPORT_POLL_INTERVAL_MS,
    }),
    startOne(context, DEAD_LETTER_QUEUE, handlers.giveUpImport),
    startOne(context, PURGE_QUEUE, handlers.purgeKnowledgeBase),
    startOne(context, GARBAGE_QUEUE, handlers.collectGarbage),
    ...(handlers.fillVectors ? [startOne(context, VECTORS_QUEUE, handlers.fillVectors)] : []),
    ...(handlers.embedDocuments ? [startOne(context, EMBEDDING_QUEUE, handlers.embedDocuments)] : []),
  ];
}

/**
 * Returns the functions to enqueue jobs and to work on them. `work` starts importers, of which one account may have
 * `concurrency`, and a worker of each other queue. Nothing connects before that.
 */
export function openJobQueue(connection: Connection, log: Logger) {
  let isEnding = false;
  // A database that is stopped together with its server ends connections too, which is no news then.
  const onError = (error: Error) => {
    if (!isEnding) log.warn({ err: error }, 'database connection of the jobs lost');
  };
  const database = createDatabase(createPool(connection, JOB_CONNECTIONS, onError));
  let workers: Workers[] = [];
  return {
    queue: createQueue({
      wakeImporters: () => workers[0]?.wake(),
      wakeFetchers: () => workers[1]?.wake(),
    }),
    work(handlers: JobHandlers, concurrency: number): void {
      workers = startAll({ database, log }, handlers, concurrency);
    },
    /** Stops taking jobs; running ones continue. */
    endWork(): void {
      isEnding = true;
      for (const { end } of workers) void end();
    },
    /** Waits for running jobs for `timeoutMs`; the rest goes back to the queue. */
    async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
      isEnding = true;
      await Promise.all(workers.map(({ stop }) => stop(timeoutMs)));
      await database.destroy();
    },
  };
}
