/** The workers of a process: imports, purges, sweeps, and what ends overdue imports. */
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import pg from 'pg';
import type { ScopedId } from '../ids.ts';
import { repeat } from '../repeat.ts';
import type { Service } from '../service.ts';
import type { Database } from '../storage/database.ts';
import { failDocument } from '../storage/documents.ts';
import { createLexemeUpkeep } from '../storage/lexeme-upkeep.ts';
import { giveUpImport, importFile } from './import-file.ts';
import type { openJobQueue } from './job-queue.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';
import { sweepStorage } from './sweep-storage.ts';

/** How late after its deadline a document ends at most. */
const SWEEP_INTERVAL_MS = 5_000;
/**
 * Unmerged changes make searches slower, merging each at once would merge the same words again and again. Where more are
 * left than one go takes, half the time belongs to imports and requests: while a large text's words were merged at one
 * go beside the import of the next, others' p99 was 240 ms.
 */
const MERGE_INTERVAL_MS = 250;

/** How long ending an overdue document waits for whoever has locked its row. */
const OVERDUE_LOCK_TIMEOUT_MS = 100;
/** PostgreSQL's code for a lock that could not be had in time (manual, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Ends every document that is unfinished `timeoutSeconds` after its creation, whatever became of its job; but not one
 * that is being stored just now, which nobody has to wait for: it ends itself.
 * @returns how many it has ended
 */
export async function endOverdueImports(database: Database, timeoutSeconds: number): Promise<number> {
  const overdue = await database
    .selectFrom('documents')
    .select(['knowledge_base_id as knowledgeBaseId', 'id'])
    // Written out, for the plan that is made for any values to use the index on unfinished documents.
    .where(sql<boolean>`status IN ('pending', 'processing')`)
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${timeoutSeconds})`)
    .execute();
  let count = 0;
  for (const document of overdue) if (await endOverdueImport(database, document, timeoutSeconds)) count++;
  return count;
}

async function endOverdueImport(database: Database, document: ScopedId, seconds: number): Promise<boolean> {
  try {
    return await database.transaction().execute(async (transaction) => {
      await sql`SET LOCAL lock_timeout = ${sql.lit(OVERDUE_LOCK_TIMEOUT_MS)}`.execute(transaction);
      return await failDocument(transaction, document, {
        code: 'PROCESSING_TIMEOUT',
        message: `The import did not end within ${seconds} seconds.`,
      });
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    return false;
  }
}

/** Starts the workers; gives the function that stops what is repeated (the queue stops its own workers). */
export async function startImports(service: Service, jobs: Awaited<ReturnType<typeof openJobQueue>>) {
  const handlers = {
    importFile: importFile.bind(undefined, service),
    giveUpImport: giveUpImport.bind(undefined, service),
    purgeKnowledgeBase: purgeKnowledgeBase.bind(undefined, service),
    sweepStorage: sweepStorage.bind(undefined, service),
  };
  await jobs.work(handlers, availableParallelism());

  const { database, config, log, watch } = service;
  const endOverdue = async () => {
    const count = await endOverdueImports(database, config.importTimeoutSeconds);
    if (count > 0) watch.importsEnded({ status: 'timeout', errorCode: 'PROCESSING_TIMEOUT' }, count);
  };
  const keepLexemes = createLexemeUpkeep(database);
  const logFailure = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const stops = [
    repeat(async () => {
      await endOverdue().catch(logFailure('ending overdue imports'));
      return SWEEP_INTERVAL_MS;
    }),
    repeat(async () => {
      const startedAtMs = performance.now();
      const areLeft = await keepLexemes().catch(logFailure('upkeep of lexemes'));
      return areLeft ? performance.now() - startedAtMs : MERGE_INTERVAL_MS;
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
