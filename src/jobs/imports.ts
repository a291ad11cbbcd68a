/** The workers of a process: imports, purges, garbage collection, and the end of overdue imports. */
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import pg from 'pg';
import { repeat } from '../concurrency/repeat.ts';
import type { Database } from '../database/database.ts';
import { failDocument } from '../database/documents.ts';
import type { ScopedId } from '../ids.ts';
import { createIndexMaintenance } from '../indexing/postings/index-maintenance.ts';
import { collectGarbage } from './collect-garbage.ts';
import { giveUpImport, importFile } from './import-file.ts';
import type { JobContext } from './job-context.ts';
import type { openJobQueue } from './job-queue.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';

/** How long after its deadline a document ends at most. */
const OVERDUE_INTERVAL_MS = 5_000;
/**
 * Unmerged deltas make searches slower, but merging each at once would merge the same terms again and again. When one
 * run leaves deltas over, half the time belongs to imports and requests. With all terms of a large text merged in one
 * run during the next import, other requests' p99 was 240 ms.
 */
const MERGE_INTERVAL_MS = 250;

/** How long ending an overdue document waits for another transaction's lock on its row. */
const OVERDUE_LOCK_TIMEOUT_MS = 100;
/** PostgreSQL's code for a lock that was not granted in time (manual, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';

/** How long an import may take from its first try on, and how long it may wait for that. */
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
      AND created_at < now() - make_interval(secs => ${limits.importWaitSeconds})`.execute(database);
  return rows;
}

/**
 * Ends every document unfinished past its limit, whatever happened to its job. Skips a document that is being stored
 * just now: it ends by itself, and no request has to wait for it.
 * @returns how many it has ended
 */
export async function endOverdueImports(database: Database, limits: ImportLimits): Promise<number> {
  const { importTimeoutSeconds, importWaitSeconds } = limits;
  let count = 0;
  for (const { hasBegun, ...document } of await findOverdue(database, limits)) {
    const message = hasBegun
      ? `The import did not end within ${importTimeoutSeconds} seconds.`
      : `The file waited for its turn for ${importWaitSeconds} seconds, and was not read.`;
    if (await endOverdueImport(database, document, message)) count++;
  }
  return count;
}

async function endOverdueImport(database: Database, document: ScopedId, message: string): Promise<boolean> {
  try {
    return await database.transaction().execute(async (transaction) => {
      await sql`SET LOCAL lock_timeout = ${sql.lit(OVERDUE_LOCK_TIMEOUT_MS)}`.execute(transaction);
      return await failDocument(transaction, document, {
        code: 'PROCESSING_TIMEOUT',
        message,
      });
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    return false;
  }
}

/** Starts the workers; returns a function that stops the periodic work (the queue stops its own workers). */
export async function startImports(service: JobContext, jobs: Awaited<ReturnType<typeof openJobQueue>>) {
  const handlers = {
    importFile: importFile.bind(undefined, service),
    giveUpImport: giveUpImport.bind(undefined, service),
    purgeKnowledgeBase: purgeKnowledgeBase.bind(undefined, service),
    collectGarbage: collectGarbage.bind(undefined, service),
  };
  await jobs.work(handlers, availableParallelism());

  const { database, config, log, telemetry } = service;
  const endOverdue = async () => {
    const count = await endOverdueImports(database, config);
    if (count > 0) telemetry.importsEnded({ status: 'timeout', errorCode: 'PROCESSING_TIMEOUT' }, count);
  };
  const maintainIndex = createIndexMaintenance(database);
  const logFailure = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const stops = [
    repeat(async () => {
      await endOverdue().catch(logFailure('ending overdue imports'));
      return OVERDUE_INTERVAL_MS;
    }),
    repeat(async () => {
      const startedAtMs = performance.now();
      const hasMore = await maintainIndex().catch(logFailure('upkeep of lexemes'));
      return hasMore ? performance.now() - startedAtMs : MERGE_INTERVAL_MS;
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
