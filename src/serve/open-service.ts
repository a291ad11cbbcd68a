/** Composes the service from its settings: database, schema, files, jobs. The server and the tests use it. */

import type { Logger } from 'pino';
import { SHUTDOWN_WAIT_MAX_MS } from '../concurrency/wait-queue.ts';
import type { Config } from '../config/config.ts';
import {
  type Connection,
  createDatabase,
  createPool,
  type Database,
} from '../database/connection/database.ts';
import { isDistributed } from '../database/distribution/distribution.ts';
import { readStorageFigures } from '../database/distribution/storage-figures.ts';
import { migrateOver } from '../database/migrations/migrate.ts';
import { openReadReplica, type ReadReplica, WAIT_MAX_MS } from '../database/replica/read-replica.ts';
import type { ReplicaUse } from '../database/replica/switch.ts';
import { createCurrentGeneration } from '../database/rows/vector-generations.ts';
import { createVectorIndexes } from '../database/vector-indexes/usable-indexes.ts';
import { installedLanguages } from '../extraction/recognition/ocr-languages.ts';
import { createExtractionPool } from '../extraction/sandbox/extraction-pool.ts';
import { createDiskWatermark } from '../files/disk-watermark.ts';
import { discardObjects } from '../files/files.ts';
import { createStoreHealth } from '../files/store-health.ts';
import type { Service } from '../handlers/service.ts';
import { createAnalysisPool } from '../indexing/analysis-pool.ts';
import { createStem, createStemMemory } from '../indexing/stems.ts';
import { startImports } from '../jobs/imports.ts';
import { readJobFigures } from '../jobs/job-figures.ts';
import { openJobQueue } from '../jobs/job-queue.ts';
import { createLongPolls } from '../jobs/long-poll.ts';
import { createQueuePositions } from '../jobs/queue-positions.ts';
import { noVectors } from '../meaning/passage-vectors.ts';
import { openWordVectors } from '../meaning/word-vectors.ts';
import { startDeliveries } from '../outbound/webhooks/deliver.ts';
import { createSendTest } from '../outbound/webhooks/send-test.ts';
import { createQueryHistory } from '../search/history/query-history.ts';
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
import { readMetricsTokens } from './secrets/metrics-tokens.ts';
import { requireOwnFiles } from './secrets/own-files.ts';
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
  const tell = (use: ReplicaUse) => {
    if (use.state === 'used') log.info('queries run on the replica again');
    else if (use.state === 'behind')
      log.info(`the replica is more than ${WAIT_MAX_MS} ms behind: queries run on the primary`);
    else log.warn({ reason: use.reason }, 'the replica cannot be read: queries run on the primary');
  };
  return await openReadReplica({ connectionString: databaseReadUrl, schema }, { primary, size, tell });
}

/** The search, with a span for each call. */
const traced =
  (search: Search, telemetry: Telemetry): Search =>
  (request) =>
    telemetry.step('searching', () => search(request));

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
  let closing = false;
  const onError = (error: Error) => {
    if (!closing) log.warn({ err: error }, 'database connection lost');
  };
  await migrateOver(connection, onError);
  const pool = createPool(connection, config.databasePoolSize, onError);
  const database = createDatabase(pool);
  const replica = await openReplica(config, { primary: database, log });
  const accountId = await ensureFirstAccount(database, config, log);
  const uploadSecret = await readUploadSecret(config);
  const stemMemory = createStemMemory();
  const stem = createStem(database, stemMemory);
  const vectorsIn = config.hasWordVectors ? openWordVectors() : noVectors;
  if (config.hasWordVectors) log.info('passages are found by their meaning too: WORD_VECTORS is on');
  const analysis = createAnalysisPool(stem, {
    connections: config.databasePoolSize,
    hasWordVectors: config.hasWordVectors,
  });
  const sources = { vectorsIn, indexes: createVectorIndexes(database) };
  const searchByWords = replica
    ? createReplicatedSearch({ primary: database, replica }, stemMemory, sources)
    : createSearch(database, stemMemory, sources);
  const files = await openFiles(config);
  await requireOwnFiles({ database, files, log }, config);
  const shortTexts = createShortTexts({
    database,
    stem,
    vectorsIn,
    defaults: config,
    connections: config.databasePoolSize,
    discard: (objectNames) => discardObjects({ database, files, log }, objectNames),
  });
  const jobs = openJobQueue(connection, log);
  const arrivals = createArrivals({
    database,
    defaults: config,
    connections: config.databasePoolSize,
    enqueue: jobs.queue.enqueueImport,
    enqueueNew: jobs.queue.enqueueNewImports,
  });
  const extraction = createExtractionPool({
    languages: config.hasOcr ? installedLanguages() : [],
    tell: (lacks) =>
      log.info({ lacks }, 'this system does not support some limits of the extraction process'),
  });
  const { metrics, telemetry, ...tracing } = await openTelemetry(config, {
    pool,
    readJobFigures: () => readJobFigures(database),
    readStorageFigures: () => readStorageFigures(database),
    readReplicaFigures: replica?.readFigures,
    countLostLines,
    hasWordVectors: config.hasWordVectors,
    log,
  });
  const generations = createCurrentGeneration(database);
  const search = traced(withModels(searchByWords, { config, telemetry, log, generations }), telemetry);
  const service: OpenService = {
    config,
    database,
    files,
    isStoreAvailable: createStoreHealth(files),
    analyse: analysis.analyse,
    importShortText: shortTexts.importShortText,
    acceptTogether: arrivals.acceptTogether,
    markAccountPresent(account) {
      analysis.markAccountPresent(account);
      shortTexts.markAccountPresent(account);
      arrivals.markAccountPresent(account);
    },
    extract: extraction.extract,
    search: createChargedSearch(database, search),
    queryHistory: createQueryHistory(database, log),
    jobs: jobs.queue,
    positions: createQueuePositions(database),
    async wantedGeneration() {
      if (config.embeddings === undefined || (await isDistributed(database))) return undefined;
      return (await generations.wanted())?.generation;
    },
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
  const stopImports = runsWorkers ? startImports(service, jobs) : async () => {};
  const deliveries = runsWorkers
    ? startDeliveries({ database, rules: config, retrySeconds: config.webhookRetrySeconds, telemetry, log })
    : undefined;
  const endWork = async () => {
    const rejectWaiting = () => {
      analysis.rejectWaiting();
      shortTexts.rejectWaiting();
      arrivals.rejectWaiting();
    };
    setTimeout(rejectWaiting, SHUTDOWN_WAIT_MAX_MS).unref();
    await Promise.all([jobs.endWork(), deliveries?.end()]);
  };
  const close = async (jobsTimeoutMs?: number) => {
    closing = true;
    const deliveriesStopped = deliveries?.stop(jobsTimeoutMs);
    await stopImports();
    await jobs.stop(jobsTimeoutMs);
    await deliveriesStopped;
    extraction.close();
    await analysis.close();
    await service.queryHistory.store();
    await replica?.close();
    await database.destroy();
    await tracing.stop();
  };
  return { service, endWork, close };
}
