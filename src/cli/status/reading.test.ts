/** Readings of several servers: what is added up, what all of them report alike, and what a restart means. */
import { expect, test } from 'vitest';
import { parseExposition } from './exposition.ts';
import { toReading } from './reading.ts';
import { showReading } from './screen.ts';

type Figures = Record<string, number>;

/** A server's metrics at a second of the test. The names have no prefix. */
const scrapeOf = (address: string, second: number, figures: Figures) => ({
  address,
  atMs: second * 1000,
  samples: parseExposition(
    Object.entries(figures)
      .map(
        ([name, value]) =>
          `${/^(process|nodejs)/.test(name) ? '' : 'knowledge_retrieval_'}${name} ${value}\n`,
      )
      .join(''),
  ),
});

/** Requests of an operation, all faster than 0.1 s. */
const requests = (operation: string, status: number, count: number): Figures => ({
  [`request_duration_seconds_bucket{le="0.1",operation="${operation}",status="${status}"}`]: count,
  [`request_duration_seconds_bucket{le="+Inf",operation="${operation}",status="${status}"}`]: count,
  [`request_duration_seconds_count{operation="${operation}",status="${status}"}`]: count,
});

const RUNNING = { process_start_time_seconds: 1_000, database_up: 1 };

test('requests, imports and deliveries of all servers are added up, now and since the start', () => {
  const failure = 'imports_total{status="failed",error_code="FILE_CORRUPT"}';
  const before = [
    scrapeOf('a', 0, { ...RUNNING, ...requests('query', 200, 10) }),
    scrapeOf('b', 0, { ...RUNNING, ...requests('query', 200, 5), [failure]: 1 }),
  ];
  const after = [
    scrapeOf('a', 2, { ...RUNNING, ...requests('query', 200, 14), ...requests('query', 500, 1) }),
    scrapeOf('b', 2, {
      ...RUNNING,
      ...requests('query', 200, 6),
      ...requests('upload', 429, 1),
      [failure]: 3,
    }),
  ];
  const { now, sinceStart } = toReading(after, before);
  expect(now).toMatchObject({
    seconds: 2,
    requests: { count: 7, perSecond: 3.5, p50: 0.05, faults: 1 },
    operations: [
      { operation: 'query', count: 6 },
      { operation: 'upload', count: 1 },
    ],
    answers: { successes: 5, rateLimited: 1, faults: 1, refusals: 0, overloaded: 0, hungUp: 0 },
    imports: { processed: 0, failed: 2, failures: { FILE_CORRUPT: 2 } },
  });
  expect(sinceStart.requests).toMatchObject({ count: 22, faults: 1 });
});

test('probes are no requests, and refusals before the request was read have no time', () => {
  const figures = {
    ...requests('livez', 200, 9),
    ...requests('refused', 503, 3),
    ...requests('query', 200, 1),
  };
  const { sinceStart } = toReading([scrapeOf('a', 0, { ...RUNNING, ...figures })]);
  expect(sinceStart.requests).toMatchObject({ count: 4, p50: 0.05, faults: 0 });
  expect(sinceStart.answers).toMatchObject({ successes: 1, overloaded: 3 });
  expect(sinceStart.operations.map(({ operation }) => operation)).toEqual(['query']);
});

test('a server that has started again is counted from 0, and one that was not there not at all', () => {
  const before = [scrapeOf('a', 0, { ...RUNNING, ...requests('query', 200, 100) })];
  const after = [
    scrapeOf('a', 1, { ...RUNNING, process_start_time_seconds: 1_001, ...requests('query', 200, 3) }),
    scrapeOf('b', 1, { ...RUNNING, ...requests('query', 200, 50) }),
  ];
  expect(toReading(after, before).now?.requests.count).toBe(3);
  expect(toReading(after).now).toBeNull();
});

test('queues and sizes come from one server that reaches the database', () => {
  const queue = { 'jobs_waiting{queue="import-file"}': 7, 'jobs_active{queue="import-file"}': 2 };
  const storage = { database_size_bytes: 100, 'table_size_bytes{table="passages"}': 60, documents: 4 };
  const { queues, storage: stored } = toReading([
    scrapeOf('a', 0, { ...RUNNING, database_up: 0 }),
    scrapeOf('b', 0, { ...RUNNING, ...queue, ...storage }),
    scrapeOf('c', 0, { ...RUNNING, ...queue, ...storage }),
  ]);
  expect(queues).toEqual({ 'import-file': { waiting: 7, running: 2, oldestWaitingSeconds: 0 } });
  expect(stored).toMatchObject({
    databaseBytes: 100,
    documents: 4,
    tables: [{ table: 'passages', bytes: 60 }],
  });
});

test('problems come first, as sentences; everything fits 80 columns and 24 rows', () => {
  const many = Array.from({ length: 30 }, (_, index) => requests(`anOperation${index}`, 200, 1e9));
  const figures = Object.assign({}, ...many, requests('query', 500, 3), requests('refused', 503, 1e9));
  const lines = showReading(
    toReading([
      scrapeOf('http://127.0.0.1:18080', 0, { ...RUNNING, ...figures, log_lines_lost_total: 1 }),
      scrapeOf('http://127.0.0.1:18081', 0, { ...RUNNING, database_up: 0 }),
      { address: 'http://127.0.0.1:18082', reason: 'No server answers at http://127.0.0.1:18082.' },
    ]),
    { rows: 24 },
  );
  expect(lines.slice(0, 5)).toEqual([
    'PROBLEM   No server answers at http://127.0.0.1:18082.',
    'PROBLEM   http://127.0.0.1:18080 could not write 1 line of its log.',
    'PROBLEM   http://127.0.0.1:18081 gets no answer from its database.',
    'PROBLEM   3 requests failed (5xx) since the start: see the log.',
    'PROBLEM   3 % of the requests got 503 (overload or outage) since the start.',
  ]);
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('imports that wait while none runs are a problem; a long queue that moves is none', () => {
  const waiting = {
    ...RUNNING,
    'jobs_waiting{queue="import-file"}': 2,
    'oldest_waiting_job_age_seconds{queue="import-file"}': 5400,
  };
  const linesOf = (figures: Figures) => showReading(toReading([scrapeOf('http://a', 0, figures)]));
  expect(linesOf(waiting)[0]).toBe(
    'PROBLEM   2 imports waiting, for up to 1 h 30 min, and none is running. Is there a worker?',
  );
  expect(linesOf({ ...waiting, 'jobs_active{queue="import-file"}': 1 })[0]).toMatch(/^REQUESTS/);
});
