/** The workers of this server: imports, purges, and the sweep that ends what is overdue. */
import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import type { Service } from '../service.ts';
import type { Database } from '../storage/database.ts';
import { importFile } from './import-file.ts';
import type { openJobQueue } from './job-queue.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';

/** How late after its deadline a document ends at most. */
const SWEEP_INTERVAL_MS = 5_000;

/** Ends every document that is unfinished `timeoutSeconds` after its creation, whatever became of its job. */
export async function endOverdueImports(database: Database, timeoutSeconds: number): Promise<void> {
  await database
    .updateTable('documents')
    .set({
      status: 'timeout',
      error_code: 'PROCESSING_TIMEOUT',
      error_message: `The import did not end within ${timeoutSeconds} seconds.`,
      updated_at: new Date(),
    })
    .where('status', 'in', ['pending', 'processing'])
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${timeoutSeconds})`)
    .execute();
}

/** Starts the workers; gives the function that stops the sweep (the queue stops its own workers). */
export async function startImports(service: Service, jobs: Awaited<ReturnType<typeof openJobQueue>>) {
  const handlers = {
    importFile: importFile.bind(undefined, service),
    purgeKnowledgeBase: purgeKnowledgeBase.bind(undefined, service),
  };
  await jobs.work(handlers, availableParallelism());

  const { database, config, log } = service;
  let sweeping = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = endOverdueImports(database, config.importTimeoutSeconds).catch((error) =>
      log.warn({ err: error }, 'sweep of overdue imports'),
    );
  }, SWEEP_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}
