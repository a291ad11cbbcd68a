/**
 * The service's metrics in Prometheus's text format. Loaded only where they are enabled, since prom-client takes
 * longer to load than the log and the HTTP framework together.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { singleFlight } from '../concurrency/single-flight.ts';
import type { JobFigures, Meter } from './telemetry.ts';

const PREFIX = 'knowledge_retrieval_';

/** Seconds: from an answer out of the database's cache to the longest wait that a request can ask for. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds: from a line of text to the longest extraction that extraction-limits.ts allows. */
const STEP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** A scrape must not wait for a database that does not answer: values unknown by then are omitted. */
const DATABASE_TIMEOUT_MS = 1_000;

/** Sources read at each scrape. */
export type MetricSources = {
  pool: { totalCount: number; idleCount: number; waitingCount: number };
  readJobFigures(): Promise<JobFigures[]>;
  countLostLines(): number;
};

export type Prometheus = Meter & {
  /** All metrics, and the media type of the text. Never waits long, and never throws because of the database. */
  expose(): Promise<{ type: string; text: string }>;
};

function createMeter(registers: Registry[]): Meter {
  const requests = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Time from the arrival of a request to the end of its answer; status 499: the client hung up before.',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const steps = new Histogram({
    name: `${PREFIX}step_duration_seconds`,
    help: 'Time of the steps of the work: searching, reading a file (its wait for its turn included), storing an import.',
    labelNames: ['step'],
    buckets: STEP_BUCKETS,
    registers,
  });
  const imports = new Counter({
    name: `${PREFIX}imports_total`,
    help: 'Imports of files that have ended, by the status of their document and the code of what was wrong (empty: nothing).',
    labelNames: ['status', 'error_code'],
    registers,
  });
  return {
    requestEnded: ({ operation, status, seconds }) => requests.observe({ operation, status }, seconds),
    stepEnded: (step, seconds) => steps.observe({ step }, seconds),
    importsEnded: (outcome, count) => {
      const error_code = 'errorCode' in outcome ? outcome.errorCode : '';
      imports.inc({ status: outcome.status, error_code }, count);
    },
  };
}

/** Counts lost lines of the log, which itself reports them once it can be written again. */
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
  gauge('connections', 'Open connections to the database, idle or in use.', () => pool.totalCount);
  gauge('idle_connections', 'Open connections that nobody uses.', () => pool.idleCount);
  gauge('waiting_requests', 'Who waits for a connection to become free.', () => pool.waitingCount);
}

/** Returns a function that updates the gauges. */
function gaugeJobs({ readJobFigures }: MetricSources, registers: Registry[]): () => Promise<void> {
  const labelNames = ['queue'] as const;
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `${PREFIX}${name}`, help, labelNames, registers });
  const waiting = gauge(
    'jobs_waiting',
    'Jobs that no worker has taken yet, those to be tried again included.',
  );
  const active = gauge('jobs_active', 'Jobs that a worker has taken.');
  const age = gauge(
    'oldest_waiting_job_age_seconds',
    'How long the oldest waiting job exists; 0: none waits.',
  );
  const up = new Gauge({
    name: `${PREFIX}database_up`,
    help: 'Whether the database has answered this scrape in time; the jobs are left out where it has not.',
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

/** Starts to count; process, memory, event loop and garbage collection under prom-client's own names. */
export function createPrometheus(sources: MetricSources): Prometheus {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meter = createMeter([registry]);
  gaugePool(sources, [registry]);
  countLostLogLines(sources, [registry]);
  const updateJobs = gaugeJobs(sources, [registry]);
  return {
    ...meter,
    async expose() {
      await updateJobs();
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
