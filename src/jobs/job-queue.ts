/** The job queue, in the same PostgreSQL as all else. A job is enqueued in the transaction that needs it. */
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import {
  type Connection,
  createDatabase,
  createPool,
  type Database,
  type Queryable,
} from '../database/connection/database.ts';
import { enqueueAnew, enqueueOnce } from '../database/rows/jobs.ts';
import type { ScopedId } from '../terms/ids.ts';
import { createTurns } from './import-turns.ts';
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
import { type Attempt, Postponed, startWorkers, type Workers } from './workers.ts';

/** How soon an import starts that another server has enqueued. */
const IMPORT_POLL_INTERVAL_MS = 500;
/** How soon a job starts that is not an import. */
const POLL_INTERVAL_MS = 2_000;
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
  /** The import replaces one of the same document that waits or runs, which has a final status. */
  enqueueImport(transaction: Queryable, document: ScopedId & { accountId: string }): Promise<void>;
  /** Enqueues that the file of an address is fetched, and then imported; otherwise the same. */
  enqueueFetch(transaction: Queryable, document: ScopedId & { accountId: string }): Promise<void>;
  /** Makes this process query for imports at once. Call it after the commit of a transaction that has enqueued one. */
  wakeImporters(): void;
  /** Does nothing when this purge is waiting or running already. */
  enqueuePurge(transaction: Queryable, knowledgeBaseId: string): Promise<void>;
};

export type JobHandlers = {
  importFile(attempt: Attempt<ScopedId>): Promise<void>;
  fetchUrl(attempt: Attempt<ScopedId>): Promise<void>;
  /** Called for an import whose every try has failed or lost its worker. */
  giveUpImport(attempt: Attempt<ScopedId>): Promise<void>;
  purgeKnowledgeBase(attempt: Attempt<{ knowledgeBaseId: string }>): Promise<void>;
  collectGarbage(attempt: Attempt<object>): Promise<void>;
  fillVectors?(attempt: Attempt<object>): Promise<void>;
  embedDocuments?(attempt: Attempt<object>): Promise<void>;
};

const createQueue = (wakeImporters: () => void): JobQueue => ({
  enqueueImport: (transaction, { knowledgeBaseId, id, accountId }) =>
    enqueueAnew(transaction, { queue: IMPORT_QUEUE, knowledgeBaseId, id, accountId }),
  enqueueFetch: (transaction, { knowledgeBaseId, id, accountId }) =>
    enqueueAnew(transaction, { queue: FETCH_QUEUE, knowledgeBaseId, id, accountId }),
  wakeImporters,
  enqueuePurge: (transaction, knowledgeBaseId) =>
    enqueueOnce(transaction, { queue: PURGE_QUEUE, knowledgeBaseId, id: NIL, accountId: NIL }),
});

/** Starts the workers of all queues. Those of imports are the first, and those that fetch their files the second. */
function startAll(
  context: { database: Database; log: Logger },
  handlers: JobHandlers,
  concurrency: number,
): Workers[] {
  const { log } = context;
  const startOne = (queue: QueueName, handle: (attempt: Attempt<ScopedId>) => Promise<void>) => {
    const handleLogged = (attempt: Attempt<ScopedId>) =>
      handle(attempt).catch((error) => {
        if (!(error instanceof Postponed)) log.warn({ err: error, queue }, 'a job failed');
        throw error;
      });
    const turns = createTurns(1, 0);
    const pollIntervalMs = POLL_INTERVAL_MS;
    return startWorkers({ ...context, queue, handle: handleLogged, turns, pollIntervalMs });
  };
  return [
    startWorkers({
      ...context,
      queue: IMPORT_QUEUE,
      handle: handlers.importFile,
      turns: createTurns(concurrency, EXTRA_IMPORTERS),
      pollIntervalMs: IMPORT_POLL_INTERVAL_MS,
    }),
    startWorkers({
      ...context,
      queue: FETCH_QUEUE,
      handle: handlers.fetchUrl,
      turns: createTurns(FETCHERS, EXTRA_FETCHERS),
      pollIntervalMs: IMPORT_POLL_INTERVAL_MS,
    }),
    startOne(DEAD_LETTER_QUEUE, handlers.giveUpImport),
    startOne(PURGE_QUEUE, handlers.purgeKnowledgeBase),
    startOne(GARBAGE_QUEUE, handlers.collectGarbage),
    ...(handlers.fillVectors ? [startOne(VECTORS_QUEUE, handlers.fillVectors)] : []),
    ...(handlers.embedDocuments ? [startOne(EMBEDDING_QUEUE, handlers.embedDocuments)] : []),
  ];
}

/**
 * Returns the functions to enqueue jobs and to work on them. `work` starts importers, of which one account may have
 * `concurrency`, and a worker of each other queue. Nothing connects before that.
 */
export function openJobQueue(connection: Connection, log: Logger) {
  const onError = (error: Error) => log.warn({ err: error }, 'database connection of the jobs lost');
  const database = createDatabase(createPool(connection, JOB_CONNECTIONS, onError));
  let workers: Workers[] = [];
  return {
    queue: createQueue(() => {
      for (const { wake } of workers.slice(0, 2)) wake();
    }),
    work(handlers: JobHandlers, concurrency: number): void {
      workers = startAll({ database, log }, handlers, concurrency);
    },
    /** Stops taking jobs; running ones continue. */
    endWork(): void {
      for (const { end } of workers) void end();
    },
    /** Waits for running jobs for `timeoutMs`; the rest goes back to the queue. */
    async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
      await Promise.all(workers.map(({ stop }) => stop(timeoutMs)));
      await database.destroy();
    },
  };
}
