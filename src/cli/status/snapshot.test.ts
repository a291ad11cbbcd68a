/** Snapshots of several servers: what is added up, what all of them report alike, and what a restart means. */
import { expect, test } from 'vitest';
import { parseExposition } from './exposition.ts';
import { showSnapshot } from './screen.ts';
import { type Snapshot, toSnapshot } from './snapshot.ts';

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
  const { now, sinceStart } = toSnapshot(after, before);
  expect(now).toMatchObject({
    seconds: 2,
    requests: { count: 7, perSecond: 3.5, p50Seconds: 0.05, faults: 1 },
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
  const { sinceStart } = toSnapshot([scrapeOf('a', 0, { ...RUNNING, ...figures })]);
  expect(sinceStart.requests).toMatchObject({ count: 4, p50Seconds: 0.05, faults: 0 });
  expect(sinceStart.answers).toMatchObject({ successes: 1, overloaded: 3 });
  expect(sinceStart.operations.map(({ operation }) => operation)).toEqual(['query']);
});

test('a server that has started again is counted from 0, and one that was not there not at all', () => {
  const before = [scrapeOf('a', 0, { ...RUNNING, ...requests('query', 200, 100) })];
  const after = [
    scrapeOf('a', 1, { ...RUNNING, process_start_time_seconds: 1_001, ...requests('query', 200, 3) }),
    scrapeOf('b', 1, { ...RUNNING, ...requests('query', 200, 50) }),
  ];
  expect(toSnapshot(after, before).now?.requests.count).toBe(3);
  expect(toSnapshot(after).now).toBeNull();
});

test('queues and sizes come from one server that reaches the database', () => {
  const queue = { 'jobs_waiting{queue="import-file"}': 7, 'jobs_active{queue="import-file"}': 2 };
  const storage = { database_size_bytes: 100, 'table_size_bytes{table="passages"}': 60, documents: 4 };
  const { queues, storage: stored } = toSnapshot([
    scrapeOf('a', 0, { ...RUNNING, database_up: 0 }),
    scrapeOf('b', 0, { ...RUNNING, ...queue, ...storage }),
    scrapeOf('c', 0, { ...RUNNING, ...queue, ...storage }),
  ]);
  expect(queues).toEqual({ 'import-file': { waiting: 7, running: 2, oldestWaitingSeconds: 0 } });
  expect(stored).toMatchObject({
    databaseBytes: 100,
    documents: 4,
    tables: [{ table: 'passages', bytes: 60 }],
    passagesWithoutVectors: null,
    documentsWithoutVectors: null,
  });
});

test('what Citus moves to other servers is shown, and what it cannot move is a problem', () => {
  const linesOf = (moves: Figures) => {
    const snapshot = toSnapshot([scrapeOf('a', 0, { ...RUNNING, database_size_bytes: 100, ...moves })]);
    return showSnapshot(snapshot).join('\n');
  };
  const moves = { 'shard_moves{state="moved"}': 5, 'shard_moves{state="moving"}': 3 };
  expect(linesOf(moves)).toContain('rebalanced by Citus: 5 shards moved, 3 to move, 0 failing');
  expect(linesOf(moves)).not.toContain('citus_rebalance_status');
  expect(linesOf({ ...moves, 'shard_moves{state="failing"}': 2 })).toContain('Citus cannot move 2 shards');
  expect(linesOf({})).not.toContain('Citus');
});

test('passages without vectors are shown while one of the servers makes some', () => {
  const storage = { ...RUNNING, database_size_bytes: 100 };
  const show = (figures: object) =>
    showSnapshot(toSnapshot([scrapeOf('a', 0, storage), scrapeOf('b', 0, { ...storage, ...figures })])).join(
      '\n',
    );
  expect(show({ passages_without_vectors: 4_321 })).toContain('4321 passages without vectors');
  expect(show({ documents_without_vectors: 2_000 })).toContain('2000 documents without vectors');
  expect(show({ passages_without_vectors: 0, documents_without_vectors: 0 })).not.toContain('vectors');
  expect(show({})).not.toContain('vectors');
});

test('whether pgvector is used, and how far its indexes are, is shown by the server that keeps them', () => {
  const storage = { ...RUNNING, database_size_bytes: 100 };
  const show = (figures: Figures) =>
    showSnapshot(
      toSnapshot([scrapeOf('a', 0, storage), scrapeOf('b', 0, { ...storage, ...figures })]),
    ).filter((line) => line.includes('pgvector'));
  const counts = (built: number, missing: number) => ({
    'vector_indexes{state="built"}': built,
    'vector_indexes{state="missing"}': missing,
  });
  expect(show({})).toEqual([]);
  expect(show({ pgvector: 0, ...counts(0, 0) })).toEqual([]);
  expect(show({ pgvector: 0, ...counts(0, 3) })).toEqual([
    '          no pgvector: 3 large knowledge bases compared in part',
  ]);
  expect(show({ pgvector: 1, ...counts(0, 0) })).toEqual([
    '          pgvector: no knowledge base is large enough for an index',
  ]);
  expect(show({ pgvector: 1, ...counts(2, 0) })).toEqual([
    '          pgvector: 2 of 2 large knowledge bases indexed',
  ]);
  expect(show({ pgvector: 1, ...counts(1, 2), vector_index_built_share: 0.374 })).toEqual([
    '          pgvector: 1 of 3 large knowledge bases indexed, 37.4 % of the next one',
  ]);
});

test('says where word vectors are on, and whether a server is without them', () => {
  const show = (...vectors: number[]) =>
    showSnapshot(
      toSnapshot(
        vectors.map((word_vectors, i) =>
          scrapeOf(`http://server-${i}`, 0, { ...RUNNING, database_size_bytes: 100, word_vectors }),
        ),
      ),
    ).join('\n');
  expect(show(0, 0)).not.toContain('WORD_VECTORS');
  expect(show(1, 1)).toContain('found by words and by meaning: WORD_VECTORS is on');
  expect(show(1, 1)).not.toContain('the same everywhere');
  expect(show(1, 0)).toContain(
    'WORD_VECTORS is on, but not at http://server-1: set it to the same everywhere.',
  );
});

/** Two servers of which one is busy, and a third one that is gone: now and two seconds before. */
function readBusy(): Snapshot {
  const many = Array.from({ length: 30 }, (_, index) => requests(`anOperation${index}`, 200, 1e9));
  const figures = Object.assign({}, ...many, requests('query', 500, 3), requests('refused', 503, 1e9));
  const servers = ['http://127.0.0.1:18080', 'http://127.0.0.1:18081'] as const;
  const gone = { address: 'http://127.0.0.1:18082', reason: 'No server answers at http://127.0.0.1:18082.' };
  const before = servers.map((address) => scrapeOf(address, 0, RUNNING));
  const after = [
    scrapeOf(servers[0], 2, { ...RUNNING, ...figures, log_lines_lost_total: 1, documents: 3 }),
    scrapeOf(servers[1], 2, { ...RUNNING, database_up: 0 }),
    gone,
  ];
  return toSnapshot(after, before);
}

test('problems come first, as sentences; all other lines fit 80 columns', () => {
  const lines = showSnapshot(readBusy());
  expect(lines.slice(0, 5)).toEqual([
    'PROBLEM   No server answers at http://127.0.0.1:18082.',
    'PROBLEM   http://127.0.0.1:18080 cannot write its log: 1 line lost.',
    'PROBLEM   http://127.0.0.1:18081 gets no answer from its database.',
    'PROBLEM   3 requests failed (5xx) in the last 2 s: see the log.',
    'PROBLEM   3 % of the requests got 503 (overload or outage) in the last 2 s.',
  ]);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('what was since the start is no problem, and no two columns run together', () => {
  const failed = { ...RUNNING, 'webhook_attempts_total{outcome="failed"}': 23, ...requests('query', 500, 9) };
  const started = Date.now() / 1000 - 12 * 60 - 29;
  const build = 'build_info{version="10.20.30"}';
  const snapshot = toSnapshot([
    scrapeOf('http://a', 0, {
      ...failed,
      log_lines_lost_total: 4,
      [build]: 1,
      process_start_time_seconds: started,
    }),
  ]);
  const text = showSnapshot(snapshot).join('\n');
  expect(text).not.toContain('PROBLEM');
  expect(text).toContain('WEBHOOKS  deliveries since the start: 0 received, 23 failed');
  expect(text).toMatch(/^a +10\.20\.30 {2,}12 min (29|30) s {2,}0 bytes/m);
});

test('the share of queries that the model did not answer is shown; more than half of them are a problem', () => {
  const asked = (compared: number, timeout: number, limited: number) =>
    scrapeOf('http://a', compared, {
      ...RUNNING,
      'meaning_queries_total{outcome="compared"}': compared,
      'meaning_queries_total{outcome="limited"}': limited,
      'meaning_queries_total{outcome="timeout"}': timeout,
    });
  const linesOf = (...scrapes: Parameters<typeof toSnapshot>) => showSnapshot(toSnapshot(...scrapes));
  const [shown] = linesOf([asked(97, 2, 1)]).filter((line) => line.startsWith('MEANING'));
  expect(shown).toBe(
    'MEANING   3.0 % of 100 queries since the start by words alone, without the model (timeout 2, limited 1)',
  );
  expect(linesOf([asked(5, 0, 0)]).join()).toContain('MEANING   0 % of 5 queries');
  expect(linesOf([scrapeOf('http://a', 0, RUNNING)]).join()).not.toContain('MEANING');
  expect(linesOf([asked(98, 9, 1)], [asked(97, 2, 1)])[0]).toBe(
    'PROBLEM   The model did not answer 7 of 8 queries in the last 1 s: see `doctor` and the log.',
  );
});

test('imports that wait while none runs are a problem; a long queue that moves is none', () => {
  const waiting = {
    ...RUNNING,
    'jobs_waiting{queue="import-file"}': 2,
    'oldest_waiting_job_age_seconds{queue="import-file"}': 5400,
  };
  const linesOf = (figures: Figures) => showSnapshot(toSnapshot([scrapeOf('http://a', 0, figures)]));
  expect(linesOf(waiting)[0]).toBe(
    'PROBLEM   2 imports waiting, for up to 1 h 30 min, and none is running. Is there a worker?',
  );
  expect(linesOf({ ...waiting, 'jobs_active{queue="import-file"}': 1 })[0]).toMatch(/^REQUESTS/);
});

test('the share of a read replica is shown; that it is not in use is a problem', () => {
  const inUse = {
    ...RUNNING,
    'queries_total{database="replica"}': 97,
    'queries_total{database="primary"}': 3,
    replica_in_use: 1,
    replica_lag_bytes: 0,
  };
  const linesOf = (figures: Figures) => showSnapshot(toSnapshot([scrapeOf('http://a', 0, figures)]));
  expect(linesOf(inUse)[0]).toMatch(/^REQUESTS/);
  expect(linesOf(inUse)).toContain('          on the read replica since the start: 97.0 % of the queries');
  const problemOf = (figures: Figures) =>
    linesOf({ ...inUse, replica_in_use: 0, ...figures })
      .slice(0, 2)
      .join(' ');
  expect(problemOf({ replica_lag_bytes: 2 ** 21 })).toContain('the read replica is 2 MiB behind');
  const { replica_lag_bytes: _lag, ...away } = { ...inUse, replica_in_use: 0 };
  expect(linesOf(away).slice(0, 2).join(' ')).toContain('the read replica does not answer');
  expect(linesOf(RUNNING).join()).not.toContain('replica');
});
