/** The workers of a process: imports, purges, sweeps, and what ends overdue imports. */
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import type { Service } from '../service.ts';
import type { Database } from '../storage/database.ts';
import { mergeLexemeChanges } from '../storage/lexeme-statistics.ts';
import { giveUpImport, importFile } from './import-file.ts';
import type { openJobQueue } from './job-queue.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';
import { sweepStorage } from './sweep-storage.ts';

/** How late after its deadline a document ends at most. */
const SWEEP_INTERVAL_MS = 5_000;
/** Unmerged changes make searches slower, merging each at once would merge the same words again and again. */
const MERGE_INTERVAL_MS = 250;

/**
 * Ends every document that is unfinished `timeoutSeconds` after its creation, whatever became of its job; but not one
 * that is being stored just now, which nobody has to wait for: it ends itself.
 */
export async function endOverdueImports(database: Database, timeoutSeconds: number): Promise<void> {
  await sql`
    UPDATE documents SET status = 'timeout', error_code = 'PROCESSING_TIMEOUT', updated_at = now(),
      error_message = ${`The import did not end within ${timeoutSeconds} seconds.`}
    FROM (
      SELECT knowledge_base_id, id FROM documents
      WHERE status IN ('pending', 'processing') AND created_at < now() - make_interval(secs => ${timeoutSeconds})
      FOR UPDATE SKIP LOCKED) AS overdue
    WHERE documents.knowledge_base_id = overdue.knowledge_base_id AND documents.id = overdue.id`.execute(
    database,
  );
}

/** Runs `act` again and again, `intervalMs` after its last end; gives the function that stops it. */
function repeat(intervalMs: number, act: () => Promise<void>): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      running = act();
      running.then(schedule);
    }, intervalMs);
  };
  schedule();
  return async () => {
    clearTimeout(timer);
    await running;
    clearTimeout(timer);
  };
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

  const { database, config, log } = service;
  const logFailure = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const stops = [
    repeat(SWEEP_INTERVAL_MS, () =>
      endOverdueImports(database, config.importTimeoutSeconds).catch(logFailure('ending overdue imports')),
    ),
    repeat(MERGE_INTERVAL_MS, () =>
      mergeLexemeChanges(database).catch(logFailure('merging lexeme statistics')),
    ),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
