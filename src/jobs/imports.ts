/** The workers of a process: imports, purges, garbage collection, and the end of overdue imports. */
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import pg from 'pg';
import { repeat } from '../concurrency/repeat.ts';
import type { EmbeddingsSettings } from '../config/model-settings.ts';
import { withinBounds } from '../database/connection/bounded-statements.ts';
import type { Database } from '../database/connection/database.ts';
import { failDocument } from '../database/rows/documents/documents.ts';
import { makeFirstStatistics } from '../indexing/first-statistics.ts';
import { mergeFrequencyDeltas } from '../indexing/postings/document-frequencies.ts';
import { createPendingEntriesMover } from '../indexing/postings/pending-entries.ts';
import type { ScopedId } from '../terms/ids.ts';
import { collectGarbage } from './collect-garbage.ts';
import { fetchUrl } from './fetching/fetch-url.ts';
import { giveUpImport, importFile } from './importing/import-file.ts';
import { importSmallFiles } from './importing/import-together.ts';
import type { JobContext } from './job-context.ts';
import type { openJobQueue } from './job-queue.ts';
import { startEnqueuingMissingJobs } from './missing-jobs.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';
import { embedDocuments } from './vectors/embed-documents.ts';
import { fillVectors } from './vectors/fill-vectors.ts';
import { wantOwnModel } from './vectors/own-model.ts';
import { type Attempt, Postponed } from './workers.ts';

/** Interval between searches for overdue documents. */
const OVERDUE_INTERVAL_MS = 5_000;
/**
 * Interval between merges of document frequency deltas. Unmerged deltas make searches slower, but merging each delta at
 * once would merge the same terms again and again. Merging all terms of a large text in one run raised the p99 of other
 * requests to 240 ms.
 */
const MERGE_INTERVAL_MS = 250;
/**
 * A merge rests for this many times as long as it took, two seconds at most: an import of many small files would
 * otherwise change the counts of the same words four times a second. Their deltas grow by a quarter of a megabyte a
 * second.
 */
const MERGE_REST = 30;
const MERGE_REST_MAX_MS = 2_000;
/**
 * More deltas than this are merged without a rest. Each megabyte makes a search 2 ms slower, and imports on busy cores
 * write deltas faster than half of the time merges them.
 */
const BACKLOG_BYTES = 6 * 2 ** 20;

/** The interval before the next merge: after one that took `tookMs` and left `bytesLeft` of deltas. */
export function mergeIntervalMs({ bytesLeft, tookMs }: { bytesLeft: number; tookMs: number }): number {
  if (bytesLeft > BACKLOG_BYTES) return 0;
  if (bytesLeft > 0) return tookMs;
  return Math.max(MERGE_INTERVAL_MS, Math.min(MERGE_REST * tookMs, MERGE_REST_MAX_MS));
}

/** How long ending an overdue document waits for another transaction's lock on its row. */
const OVERDUE_LOCK_TIMEOUT_MS = 100;
/** PostgreSQL's code for a lock that was not granted in time (manual, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';

/** How long an import may take from its first try on, and how long it may wait in the queue for that try. */
export type ImportLimits = { importTimeoutSeconds: number; importWaitSeconds: number };

/** Finds documents unfinished for too long, and which of the two limits applies. */
async function findOverdue(database: Database, limits: ImportLimits) {
  const { rows } = await sql<ScopedId & { hasBegun: boolean }>`
    SELECT knowledge_base_id AS "knowledgeBaseId", id, true AS "hasBegun" FROM documents
    WHERE status IN ('pending', 'processing') AND processing_since IS NOT NULL
      AND processing_since < now() - make_interval(secs => ${limits.importTimeoutSeconds})
    UNION ALL
    SELECT knowledge_base_id, id, false FROM documents
    WHERE status IN ('pending', 'processing') AND processing_since IS NULL
      AND coalesce(queued_at, created_at) < now() - make_interval(secs => ${limits.importWaitSeconds})`.execute(
    database,
  );
  return rows;
}

/**
 * Ends every document that is unfinished past its limit, whatever happened to its job. Skips a document that is being
 * stored: its transaction holds the row's lock, and will end it.
 * @returns how many documents it has ended
 */
export async function endOverdueImports(database: Database, limits: ImportLimits): Promise<number> {
  const { importTimeoutSeconds, importWaitSeconds } = limits;
  let count = 0;
  for (const { hasBegun, ...document } of await findOverdue(database, limits)) {
    const message = hasBegun
      ? `The import did not end within ${importTimeoutSeconds} seconds.`
      : `The file waited for its turn for ${importWaitSeconds} seconds, and was not read.`;
    if (await endOverdueImport(database, document, { message, limits })) count++;
  }
  return count;
}

/**
 * Whether a row is overdue still: since it was found, a request may have put it into the queue again. No CASE, in which
 * Citus allows no now().
 */
const isOverdue = ({ importTimeoutSeconds, importWaitSeconds }: ImportLimits) => sql<boolean>`
  (processing_since < now() - make_interval(secs => ${importTimeoutSeconds})
    OR processing_since IS NULL
      AND coalesce(queued_at, created_at) < now() - make_interval(secs => ${importWaitSeconds}))`;

async function endOverdueImport(
  database: Database,
  document: ScopedId,
  { message, limits }: { message: string; limits: ImportLimits },
): Promise<boolean> {
  try {
    return await database.transaction().execute(async (transaction) => {
      await sql`SET LOCAL lock_timeout = ${sql.lit(OVERDUE_LOCK_TIMEOUT_MS)}`.execute(transaction);
      return await failDocument(transaction, document, {
        code: 'PROCESSING_TIMEOUT',
        message,
        onlyIf: isOverdue(limits),
      });
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    return false;
  }
}

/**
 * Interval between moves of the index entries that small imports leave: a few dozen pages, which every search reads.
 */
const MOVE_INTERVAL_MS = 2_000;
/** The interval after a failed move: the role may not own the index, and each try writes a line to the log. */
const FAILED_MOVE_INTERVAL_MS = 60_000;

const NO_DELTAS = { areFound: false, bytesLeft: 0 };

/** Maintains the index until the returned function is called, which waits for no statement: it is rolled back. */
function startIndexMaintenance({ database, log }: JobContext): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const attempt = <T>(act: () => Promise<T>, failed: T): Promise<T> =>
    withinBounds({ signal: () => signal }, act).catch((error) => {
      if (!signal.aborted) log.warn({ err: error }, 'index maintenance failed');
      return failed;
    });
  const moveEntries = createPendingEntriesMover(database);
  let areStatisticsMade = false;
  const stops = [
    repeat(async () => {
      const startedAtMs = performance.now();
      const { areFound, bytesLeft } = await attempt(
        () => mergeFrequencyDeltas(database, { signal }),
        NO_DELTAS,
      );
      if (areFound && !areStatisticsMade)
        areStatisticsMade = await attempt(() => makeFirstStatistics(database), true);
      return mergeIntervalMs({ bytesLeft, tookMs: performance.now() - startedAtMs });
    }),
    repeat(async () => {
      const isMoved = await attempt(async () => {
        await moveEntries();
        return true;
      }, false);
      return isMoved ? MOVE_INTERVAL_MS : FAILED_MOVE_INTERVAL_MS;
    }),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Makes vectors until `stopping` aborts: a stop does not wait for them, and another worker goes on. */
const untilStopped =
  (makeVectors: (signal: AbortSignal) => Promise<void>, stopping: AbortSignal) =>
  ({ signal }: Attempt<object>): Promise<void> =>
    makeVectors(AbortSignal.any([signal, stopping])).catch((error) => {
      throw stopping.aborted ? new Postponed('the server stops') : error;
    });

const ANOTHER_IS_WANTED =
  'a server with another model has started since: this one makes no vectors until it is started again';

/** The job that makes vectors by a model, with what knows the model. Until that has answered, the job ends at once. */
function startEmbedding(
  { database, telemetry, log }: JobContext,
  embeddings: EmbeddingsSettings,
): { embed(signal: AbortSignal): Promise<void>; stop(): Promise<void> } {
  const context = { database, embeddings, telemetry, log };
  const own = wantOwnModel(context, embeddings);
  let isWanted = true;
  return {
    async embed(signal) {
      const generation = own.generation();
      if (generation === undefined) return;
      const wasWanted = isWanted;
      isWanted = await embedDocuments(context, generation, signal);
      if (wasWanted && !isWanted) log.warn({ model: embeddings.model }, ANOTHER_IS_WANTED);
    },
    stop: own.stop,
  };
}

/** Starts the workers; returns a function that stops the periodic work (the queue stops its own workers). */
export function startImports(service: JobContext, jobs: ReturnType<typeof openJobQueue>) {
  const stopping = new AbortController();
  const { config, database, log, telemetry } = service;
  const embedding = config.embeddings && startEmbedding(service, config.embeddings);
  const handlers = {
    importFile: importFile.bind(undefined, service),
    importSmallFiles: importSmallFiles.bind(undefined, service),
    fetchUrl: fetchUrl.bind(undefined, service),
    giveUpImport: giveUpImport.bind(undefined, service),
    purgeKnowledgeBase: purgeKnowledgeBase.bind(undefined, service),
    collectGarbage: collectGarbage.bind(undefined, service),
    // A server without vectors makes none, and leaves the job to another.
    ...(config.hasWordVectors && {
      fillVectors: untilStopped((signal) => fillVectors(service, signal), stopping.signal),
    }),
    ...(embedding && { embedDocuments: untilStopped(embedding.embed, stopping.signal) }),
  };
  jobs.work(handlers, availableParallelism());

  const endOverdue = async () => {
    const count = await endOverdueImports(database, config);
    if (count > 0) telemetry.importsEnded({ status: 'timeout', errorCode: 'PROCESSING_TIMEOUT' }, count);
  };
  const stops = [
    startEnqueuingMissingJobs(service),
    repeat(async () => {
      await endOverdue().catch((error) => log.warn({ err: error }, 'ending overdue imports failed'));
      return OVERDUE_INTERVAL_MS;
    }),
    startIndexMaintenance(service),
    ...(embedding ? [embedding.stop] : []),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(stops.map((stop) => stop()));
  };
}
