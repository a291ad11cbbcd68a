/**
 * The service's metrics in Prometheus's text format. Loaded only where they are enabled, since prom-client takes
 * longer to load than the log and the HTTP framework together.
 */
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { singleFlight } from '../concurrency/single-flight.ts';
import { measureReplica } from './replica-metrics.ts';
import { gaugeStorage } from './storage-gauges.ts';
import type { JobFigures, Meter, ReplicaFigures, StorageFigures } from './telemetry.ts';

const PREFIX = 'knowledge_retrieval_';

/** Seconds: from a query answered from PostgreSQL's cache to an import under overload. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds: from a line of text to the longest extraction, by extraction-limits.ts. */
const STEP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The time-out of the job figures. A scrape omits them while the database does not answer. */
const DATABASE_TIMEOUT_MS = 1_000;

/** Twice as long as the figures of the database may take together. Scrapers give up after ten seconds. */
const EXPOSE_TIMEOUT_MS = 4_000;

/** Sources read at each scrape. */
export type MetricSources = {
  pool: { totalCount: number; idleCount: number; waitingCount: number; options: { max: number } };
  readJobFigures(): Promise<JobFigures[]>;
  readStorageFigures(): Promise<StorageFigures>;
  /** Undefined: there is no read replica. */
  readReplicaFigures?: (() => Promise<ReplicaFigures>) | undefined;
  countLostLines(): number;
  /** WORD_VECTORS is on. */
  hasWordVectors: boolean;
};

export type Prometheus = Meter & {
  /**
   * All metrics as text, and its media type. If the database hangs, it resolves after DATABASE_TIMEOUT_MS. Simultaneous
   * scrapes share one answer: however many there are, they take the time of one.
   */
  expose(): Promise<{ type: string; text: string }>;
};

function timeRequests(registers: Registry[]): Pick<Meter, 'requestEnded' | 'stepEnded'> {
  const requests = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help:
      'Time from the arrival of a request to the end of its answer, without the wait that its client has asked for ' +
      '(waitSeconds, or a stream of MCP). Status 499: the client hung up before.',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const steps = new Histogram({
    name: `${PREFIX}step_duration_seconds`,
    help:
      "Time of a step: searching, extracting a file's text (with its wait for a process), storing an import, or " +
      'delivering an event.',
    labelNames: ['step'],
    buckets: STEP_BUCKETS,
    registers,
  });
  return {
    requestEnded: ({ operation, status, seconds }) => requests.observe({ operation, status }, seconds),
    stepEnded: (step, seconds) => steps.observe({ step }, seconds),
  };
}

function countEnds(registers: Registry[]): Pick<Meter, 'importsEnded' | 'eventSent'> {
  const imports = new Counter({
    name: `${PREFIX}imports_total`,
    help: 'Ended imports of files, by the status of their document and its error code (empty: none).',
    labelNames: ['status', 'error_code'],
    registers,
  });
  const webhooks = new Counter({
    name: `${PREFIX}webhook_attempts_total`,
    help: 'Attempts to deliver an event to a webhook: received (status 200 to 299) or failed.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    importsEnded: (outcome, count) => {
      const error_code = 'errorCode' in outcome ? outcome.errorCode : '';
      imports.inc({ status: outcome.status, error_code }, count);
    },
    eventSent: (outcome) => webhooks.inc({ outcome }),
  };
}

/** Queries for which a model was asked. */
function countModels(registers: Registry[]): Pick<Meter, 'meaningAsked' | 'rerankAsked'> {
  const meanings = new Counter({
    name: `${PREFIX}meaning_queries_total`,
    help:
      'Queries that asked the model for their meaning: compared, or answered by words alone because of a timeout, or ' +
      'because the model was unavailable, limited requests, or gave a wrong answer.',
    labelNames: ['outcome'],
    registers,
  });
  const rerankings = new Counter({
    name: `${PREFIX}rerank_queries_total`,
    help:
      'Queries whose best passages the reranker was asked to order: reranked, ' +
      'or in the order without it because of a ' +
      'timeout, or because the reranker was unavailable, limited requests, or gave a wrong answer.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    meaningAsked: (outcome) => meanings.inc({ outcome }),
    rerankAsked: (outcome) => rerankings.inc({ outcome }),
  };
}

/** Only the server that makes the vectors has these figures. */
function gaugeMissingVectors(
  registers: Registry[],
): Pick<Meter, 'passagesWithoutVectors' | 'documentsWithoutVectors'> {
  const withoutVectors = new Gauge({
    name: `${PREFIX}passages_without_vectors`,
    help: 'Stored passages to which this server is giving vectors, and that have none yet.',
    registers,
  });
  withoutVectors.remove();
  const waitingForVectors = new Gauge({
    name: `${PREFIX}documents_without_vectors`,
    help: 'Documents that wait for vectors by a model, of all accounts: of the server that makes them now.',
    registers,
  });
  waitingForVectors.remove();
  return {
    passagesWithoutVectors: (count) =>
      count === undefined ? withoutVectors.remove() : withoutVectors.set(count),
    documentsWithoutVectors: (count) =>
      count === undefined ? waitingForVectors.remove() : waitingForVectors.set(count),
  };
}

/** Only the server that makes the vectors of a model has these figures. */
function gaugeVectorIndexes(registers: Registry[]): Pick<Meter, 'vectorIndexes'> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: PREFIX + name, help, labelNames, registers });
  const pgvector = gauge('pgvector', '1: the database has pgvector 0.7 or later. 0: it has not.');
  const indexes = gauge(
    'vector_indexes',
    'Indexes of pgvector, one for each large knowledge base: built, or missing.',
    ['state'],
  );
  const share = gauge('vector_index_built_share', 'How much of an index is built, while one is being built.');
  pgvector.remove();
  share.remove();
  return {
    vectorIndexes(figures) {
      indexes.reset();
      if (figures?.builtShare === undefined) share.remove();
      else share.set(figures.builtShare);
      if (figures === undefined) return pgvector.remove();
      pgvector.set(figures.isUsable ? 1 : 0);
      for (const state of ['built', 'missing'] as const) indexes.set({ state }, figures[state]);
    },
  };
}

const createMeter = (registers: Registry[]): Meter => ({
  ...timeRequests(registers),
  ...countEnds(registers),
  ...countModels(registers),
  ...gaugeMissingVectors(registers),
  ...gaugeVectorIndexes(registers),
});

/** Counts lost log lines. The log reports them too, as soon as it can be written again. */
function countLostLogLines({ countLostLines }: MetricSources, registers: Registry[]): void {
  new Counter({
    name: `${PREFIX}log_lines_lost_total`,
    help: 'Lines of the log that could not be written.',
    registers,
    collect() {
      this.reset();
      this.inc(countLostLines());
    },
  });
}

function gaugePool({ pool }: MetricSources, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `${PREFIX}database_pool_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('max_connections', 'The most connections that this server opens.', () => pool.options.max);
  gauge('connections', 'Open connections to the database, idle or in use.', () => pool.totalCount);
  gauge('idle_connections', 'Open connections that are not in use.', () => pool.idleCount);
  gauge('waiting_requests', 'Requests that wait for a free connection.', () => pool.waitingCount);
}

/** Returns a function that updates the gauges. */
function gaugeJobs({ readJobFigures }: MetricSources, registers: Registry[]): () => Promise<void> {
  const labelNames = ['queue'] as const;
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `${PREFIX}${name}`, help, labelNames, registers });
  const waiting = gauge('jobs_waiting', 'Jobs that no worker has taken yet, retries included.');
  const active = gauge('jobs_active', 'Jobs that a worker has taken.');
  const age = gauge('oldest_waiting_job_age_seconds', 'Age of the oldest waiting job; 0: no job waits.');
  const up = new Gauge({
    name: `${PREFIX}database_up`,
    help: '1: the database has answered this scrape in time. 0: it has not, and the job figures are omitted.',
    registers,
  });
  const readFigures = singleFlight(readJobFigures, DATABASE_TIMEOUT_MS);
  return async () => {
    const figures = await readFigures().catch(() => undefined);
    up.set(figures === undefined ? 0 : 1);
    for (const each of [waiting, active, age]) each.reset();
    for (const { queue, ...jobs } of figures ?? []) {
      waiting.set({ queue }, jobs.waiting);
      active.set({ queue }, jobs.active);
      age.set({ queue }, jobs.oldestWaitingSeconds);
    }
  };
}

/** The version of this server, as a label of a gauge that is always 1. */
function gaugeBuild(registers: Registry[]): void {
  const build = new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the label is the version of this server.',
    labelNames: ['version'],
    registers,
  });
  build.set({ version: manifest.version }, 1);
}

/** Whether this server finds passages by their meaning. */
function gaugeVectors({ hasWordVectors }: MetricSources, registers: Registry[]): void {
  const vectors = new Gauge({
    name: `${PREFIX}word_vectors`,
    help: '1: this server has word vectors (WORD_VECTORS=on). 0: it has none.',
    registers,
  });
  vectors.set(hasWordVectors ? 1 : 0);
}

/** Metrics of process, memory, event loop and garbage collection, with prom-client's names. A process has them once. */
let processRegistry: Registry | undefined;

function openProcessRegistry(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Creates the metrics of a service. */
export function createPrometheus(sources: MetricSources): Prometheus {
  const registry = new Registry();
  const registers = [registry];
  const meter = createMeter(registers);
  gaugeBuild(registers);
  gaugeVectors(sources, registers);
  gaugePool(sources, registers);
  countLostLogLines(sources, registers);
  const updateJobs = gaugeJobs(sources, registers);
  const updateStorage = gaugeStorage(sources.readStorageFigures, { prefix: PREFIX, registers });
  const updateReplica =
    sources.readReplicaFigures && measureReplica(sources.readReplicaFigures, { prefix: PREFIX, registers });
  const all = Registry.merge([openProcessRegistry(), registry]);
  const expose = async () => {
    await Promise.all([updateJobs(), updateStorage(), updateReplica?.()]);
    return { type: all.contentType, text: await all.metrics() };
  };
  return { ...meter, expose: singleFlight(expose, EXPOSE_TIMEOUT_MS) };
}
