/** Puts the service together from its settings: database, schema, files, jobs. Used by the server and by tests. */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { ensureFirstAccount, readUploadSecret } from './first-start.ts';
import { createDocumentWaits } from './ingestion/document-waits.ts';
import { createExtractionPool } from './ingestion/extraction-pool.ts';
import { startImports } from './ingestion/imports.ts';
import { openJobQueue } from './ingestion/job-queue.ts';
import { openFiles } from './open-files.ts';
import { createAnalysisPool } from './retrieval/analysis-pool.ts';
import { createSearch } from './retrieval/search.ts';
import { createStem, createStemMemory } from './retrieval/stems.ts';
import type { Service } from './service.ts';
import { type Connection, createDatabase, createPool } from './storage/database.ts';
import { migrateOver } from './storage/migrate.ts';

/**
 * Opens everything that the service needs on a database, migrating it first, and starts the workers, unless `works` is
 * false: then others have to run.
 * @returns the service and `close`, which lets running jobs end and then disconnects.
 */
export async function openService(
  config: Config,
  { connection, log, works = true }: { connection: Connection; log: Logger; works?: boolean },
): Promise<{ service: Service; close(): Promise<void> }> {
  let closing = false;
  const onError = (error: Error) => {
    if (!closing) log.warn({ err: error }, 'database connection lost');
  };
  await migrateOver(connection, onError);
  const database = createDatabase(createPool(connection, config.databasePoolSize, onError));
  await ensureFirstAccount(database, config, log);
  const stemMemory = createStemMemory();
  const stem = createStem(database, stemMemory);
  const analysis = createAnalysisPool(stem, { connections: config.databasePoolSize });
  const extraction = createExtractionPool();
  const jobs = await openJobQueue(connection, log);
  const service: Service = {
    config,
    database,
    files: await openFiles(config),
    analyse: analysis.analyse,
    extract: extraction.extract,
    search: createSearch(database, stemMemory),
    jobs: jobs.queue,
    waits: createDocumentWaits(database, log),
    uploadSecret: await readUploadSecret(config),
    log,
  };
  const stopImports = works ? await startImports(service, jobs) : async () => {};
  const close = async () => {
    closing = true;
    await stopImports();
    await jobs.stop();
    extraction.close();
    await analysis.close();
    await database.destroy();
  };
  return { service, close };
}
