/** Composes the service from its settings: database, schema, files, jobs. The server and the tests use it. */

import type { Logger } from 'pino';
import { SHUTDOWN_WAIT_MAX_MS } from '../concurrency/wait-queue.ts';
import type { Config } from '../config/config.ts';
import { createDatabase, type Database } from '../database/connection/database.ts';
import { type Connection, createPool } from '../database/connection/pool.ts';
import { isDistributed } from '../database/distribution/distribution.ts';
import { readStorageFigures } from '../database/distribution/storage-figures.ts';
import { migrateOver } from '../database/migrations/migrate.ts';
import { openReadReplica, type ReadReplica, WAIT_MAX_MS } from '../database/replica/read-replica.ts';
import type { ReplicaUse } from '../database/replica/switch.ts';
import { type CurrentGeneration, createCurrentGeneration } from '../database/rows/vector-generations.ts';
import { createVectorIndexes } from '../database/vector-indexes/usable-indexes.ts';
import { installedLanguages } from '../extraction/recognition/ocr-languages.ts';
import { createExtractionPool } from '../extraction/sandbox/extraction-pool.ts';
import { createDiskWatermark } from '../files/disk-watermark.ts';
import type { FileStore } from '../files/file-store.ts';
import { discardObjects } from '../files/files.ts';
import { createStoreHealth } from '../files/store-health.ts';
import type { Service } from '../handlers/service.ts';
import { createAnalysisPool } from '../indexing/analysis-pool.ts';
import { createStem, createStemMemory, type StemMemory } from '../indexing/stems.ts';
import { startImports } from '../jobs/imports.ts';
import { readJobFigures } from '../jobs/job-figures.ts';
import { openJobQueue } from '../jobs/job-queue.ts';
import { createLongPolls } from '../jobs/long-poll.ts';
import { createQueuePositions } from '../jobs/queue-positions.ts';
import { noVectors, type VectorsIn } from '../meaning/passage-vectors.ts';
import { openWordVectors } from '../meaning/word-vectors.ts';
import { startDeliveries } from '../outbound/webhooks/deliver.ts';
import { createSendTest } from '../outbound/webhooks/send-test.ts';
import { createQueryHistory } from '../search/history/noted-queries.ts';
import { createChargedSearch } from '../search/payment/charged-search.ts';
import { createReplicatedSearch } from '../search/replicated-search.ts';
import { createSearch, type Search } from '../search/search.ts';
import { countLostLines } from '../telemetry/log.ts';
import type { MetricSources } from '../telemetry/prometheus.ts';
import { createTelemetry, type Metrics, type Telemetry, unmetered } from '../telemetry/telemetry.ts';
import { createArrivals } from '../versions/accept-together.ts';
import { createShortTexts } from '../versions/short-texts.ts';
import { ensureFirstAccount, readUploadSecret } from './bootstrap.ts';
import { deploymentIdOf } from './discovery/deployment.ts';
import { makeProofSecret } from './discovery/server-proof.ts';
import { openFiles } from './open-files.ts';
import { loadDemanding } from './optional-packages.ts';
import { requireOwnStore } from './own-store.ts';
import { readMetricsTokens } from './secrets/metrics-tokens.ts';
import { withModels } from './with-models.ts';

/** The service, with the parts that only the routes outside the contract need. */
export type OpenService = Service &
  Readonly<{
    /** Lets `doctor` recognise a server with its own settings. */
    deploymentId: string;
    /** Proves to commands that this process has written its file in DATA_DIR/servers: see server-proof.ts. */
    proofSecret: string;
    /** Undefined: nothing is counted. */
    metrics: Metrics | undefined;
  }>;

/** Starts metrics and traces, each only if the settings enable it. `stop` sends the last traces. */
async function openTelemetry(
  config: Config,
  { log, ...gauged }: MetricSources & { log: Logger },
): Promise<Pick<OpenService, 'metrics' | 'telemetry'> & { stop(): Promise<void> }> {
  const tokens = await readMetricsTokens(config, log);
  const prometheus =
    tokens.length === 0 ? undefined : (await import('../telemetry/prometheus.ts')).createPrometheus(gauged);
  const stop = config.isTracing
    ? (await loadDemanding(config, () => import('../telemetry/opentelemetry.ts'))).startOpenTelemetry(log)
    : undefined;
  return {
    metrics: prometheus && { tokens, expose: prometheus.expose },
    telemetry: createTelemetry(prometheus ?? unmetered),
    stop: async () => stop?.(),
  };
}

/** Opens the replica of DATABASE_READ_URL, if that is set. @throws when it belongs to another database */
async function openReplica(
  { databaseReadUrl, databaseSchema: schema, databasePoolSize: size }: Config,
  { primary, log }: { primary: Database; log: Logger },
): Promise<ReadReplica | undefined> {
  if (databaseReadUrl === undefined) return undefined;
  const onChange = (use: ReplicaUse) => {
    if (use.state === 'used') log.info('queries run on the replica again');
    else if (use.state === 'behind')
      log.info(`the replica is more than ${WAIT_MAX_MS} ms behind: queries run on the primary`);
    else log.warn({ reason: use.reason }, 'the replica cannot be read: queries run on the primary');
  };
  return await openReadReplica({ connectionString: databaseReadUrl, schema }, { primary, size, onChange });
}

/** The search, with a span for each call. */
const traced =
  (search: Search, telemetry: Telemetry): Search =>
  (request) =>
    telemetry.step('searching', () => search(request));

/** Connects to the database, which it migrates first, and to its replica. */
async function openDatabases(config: Config, connection: Connection, log: Logger) {
  let closing = false;
  const onError = (error: Error) => {
    if (!closing) log.warn({ err: error }, 'database connection lost');
  };
  await migrateOver(connection, onError);
  const pool = createPool(connection, config.databasePoolSize, onError);
  const database = createDatabase(pool);
  const replica = await openReplica(config, { primary: database, log });
  return {
    pool,
    database,
    replica,
    /** From now on a lost connection is no news. */
    expectEnd() {
      closing = true;
    },
    async close() {
      await replica?.close();
      await database.destroy();
    },
  };
}

type Databases = Awaited<ReturnType<typeof openDatabases>>;
type Jobs = ReturnType<typeof openJobQueue>;
type Sources = {
  databases: Databases;
  files: FileStore;
  jobs: Jobs;
  stemMemory: StemMemory;
  vectorsIn: VectorsIn;
  log: Logger;
};

/** Opens what imports need: the threads that analyse documents, and the batches that store them. */
function openImporting(config: Config, { databases, files, jobs, stemMemory, vectorsIn, log }: Sources) {
  const { database } = databases;
  const { databasePoolSize: connections, hasWordVectors } = config;
  const stem = createStem(database, stemMemory);
  const analysis = createAnalysisPool(stem, { connections, hasWordVectors });
  const shortTexts = createShortTexts({
    database,
    stem,
    vectorsIn,
    defaults: config,
    connections,
    discard: (objectNames) => discardObjects({ database, files, log }, objectNames),
  });
  const arrivals = createArrivals({
    database,
    defaults: config,
    connections,
    enqueue: jobs.queue.enqueueImport,
    enqueueNew: jobs.queue.enqueueNewImports,
  });
  const all = [analysis, shortTexts, arrivals];
  return {
    /** The part of the service. */
    operations: {
      analyse: analysis.analyse,
      importShortText: shortTexts.importShortText,
      acceptArrived: arrivals.acceptArrived,
      markAccountPresent(account: string) {
        for (const each of all) each.markAccountPresent(account);
      },
    },
    rejectWaiting() {
      for (const each of all) each.rejectWaiting();
    },
    close: analysis.close,
  };
}

/** Opens the search: by words, and by what else the settings turn on. It is charged by its caller. */
function openSearch(
  config: Config,
  { databases: { database, replica }, stemMemory, vectorsIn, log }: Sources,
  { telemetry, generations }: { telemetry: Telemetry; generations: CurrentGeneration },
): Search {
  const sources = { vectorsIn, indexes: createVectorIndexes(database) };
  const searchByWords = replica
    ? createReplicatedSearch({ primary: database, replica }, stemMemory, sources)
    : createSearch(database, stemMemory, sources);
  return traced(withModels(searchByWords, { config, telemetry, log, generations }), telemetry);
}

const openExtraction = (config: Config, log: Logger) =>
  createExtractionPool({
    languages: config.hasOcr ? installedLanguages() : [],
    onLacks: (lacks) =>
      log.info({ lacks }, 'this system does not support some limits of the extraction process'),
  });

/** What is read at each scrape of the metrics. */
const metricSources = (
  { hasWordVectors }: Config,
  { pool, database, replica }: Databases,
): MetricSources => ({
  pool,
  readJobFigures: () => readJobFigures(database),
  readStorageFigures: () => readStorageFigures(database),
  readReplicaFigures: replica?.readFigures,
  countLostLines,
  hasWordVectors,
});

/** The generation of vectors that the server is to make; undefined: it makes none by a model. */
const createWantedGeneration =
  ({ embeddings }: Config, database: Database, generations: CurrentGeneration) =>
  async () => {
    if (embeddings === undefined || (await isDistributed(database))) return undefined;
    return (await generations.wanted())?.generation;
  };

/** Opens what the service is made of. `end`: closes what `close` of the service closes last. */
async function openParts(config: Config, connection: Connection, log: Logger) {
  const databases = await openDatabases(config, connection, log);
  const { database } = databases;
  const accountId = await ensureFirstAccount(database, config, log);
  const uploadSecret = await readUploadSecret(config);
  if (config.hasWordVectors) log.info('passages are found by their meaning too: WORD_VECTORS is on');
  const files = await openFiles(config);
  await requireOwnStore({ database, files, log }, config);
  const sources: Sources = {
    databases,
    files,
    jobs: openJobQueue(connection, log),
    stemMemory: createStemMemory(),
    vectorsIn: config.hasWordVectors ? openWordVectors() : noVectors,
    log,
  };
  const telemetry = await openTelemetry(config, { ...metricSources(config, databases), log });
  return { ...sources, accountId, uploadSecret, tracing: telemetry };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Puts the service together. */
function toService(
  config: Config,
  parts: Parts,
  {
    importing,
    extraction,
  }: {
    importing: ReturnType<typeof openImporting>;
    extraction: ReturnType<typeof openExtraction>;
  },
): OpenService {
  const { databases, files, jobs, log, uploadSecret, accountId, tracing } = parts;
  const { database } = databases;
  const { metrics, telemetry } = tracing;
  const generations = createCurrentGeneration(database);
  return {
    config,
    database,
    files,
    isStoreAvailable: createStoreHealth(files),
    ...importing.operations,
    extract: extraction.extract,
    search: createChargedSearch(database, openSearch(config, parts, { telemetry, generations })),
    queryHistory: createQueryHistory(database, log),
    jobs: jobs.queue,
    positions: createQueuePositions(database),
    wantedGeneration: createWantedGeneration(config, database, generations),
    diskWatermark: createDiskWatermark(config.databaseUrl && config.s3 ? undefined : config.dataDir),
    longPolls: createLongPolls(database, log),
    metrics,
    telemetry,
    uploadSecret,
    sendTest: createSendTest(config),
    fetchRules: { protocols: ['https:', 'http:'], allowedPrivate: config.importPrivatePlaces },
    deploymentId: deploymentIdOf(accountId, uploadSecret),
    proofSecret: makeProofSecret(),
    log,
  };
}

/**
 * Opens everything that the service needs on a database, which it migrates first. Starts the workers unless
 * `runsWorkers` is false: then other processes have to run them.
 * @returns the service; `endWork`, after which no further job begins, and soon no further document; and `close`, which
 * lets running jobs end for at most `jobsTimeoutMs`, and then disconnects.
 */
export async function openService(
  config: Config,
  { connection, log, runsWorkers = true }: { connection: Connection; log: Logger; runsWorkers?: boolean },
): Promise<{ service: OpenService; endWork(): Promise<void>; close(jobsTimeoutMs?: number): Promise<void> }> {
  const parts = await openParts(config, connection, log);
  const { databases, jobs, tracing } = parts;
  const importing = openImporting(config, parts);
  const extraction = openExtraction(config, log);
  const service = toService(config, parts, { importing, extraction });
  const { database, telemetry } = service;
  const stopImports = runsWorkers ? startImports(service, jobs) : async () => {};
  const deliveries = runsWorkers
    ? startDeliveries({ database, rules: config, retrySeconds: config.webhookRetrySeconds, telemetry, log })
    : undefined;
  const endWork = async () => {
    databases.expectEnd();
    setTimeout(importing.rejectWaiting, SHUTDOWN_WAIT_MAX_MS).unref();
    await Promise.all([jobs.endWork(), deliveries?.end()]);
  };
  const close = async (jobsTimeoutMs?: number) => {
    const deliveriesStopped = deliveries?.stop(jobsTimeoutMs);
    await stopImports();
    await jobs.stop(jobsTimeoutMs);
    await deliveriesStopped;
    extraction.close();
    await importing.close();
    await service.queryHistory.store();
    await databases.close();
    await tracing.stop();
  };
  return { service, endWork, close };
}
