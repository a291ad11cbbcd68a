/** Metrics need the token, have few series, and do not wait for the database. */
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readStorageFigures } from '../database/distribution/storage-figures.ts';
import { countWaitingLocks } from '../database/testing/waiting-locks.ts';
import { metricsTokenFile } from '../serve/secrets/secret-files.ts';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';

const METRICS_TOKEN = 'a token for the tests';
let suite: TestService;
beforeAll(async () => {
  suite = await startTestService({ settings: { METRICS_TOKEN } });
});
afterAll(() => suite.close());

const fetchMetrics = (authorization: string, method = 'GET') =>
  fetch(`${suite.address}/metrics`, { method, headers: { authorization } });

/** The samples by name with labels. */
async function scrape(): Promise<Map<string, number>> {
  const text = await (await fetchMetrics(`Bearer ${METRICS_TOKEN}`)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at).replace('knowledge_retrieval_', ''), Number(line.slice(at + 1))];
    }),
  );
}

const requestCount = (operation: string, status: number) =>
  `request_duration_seconds_count{operation="${operation}",status="${status}"}`;

/** The names of the series of requests. Those of Node itself come and go with its open handles. */
const requestSeries = (samples: Map<string, number>) =>
  [...samples.keys()].filter((name) => name.startsWith('request_')).toSorted();

/** Uploads and imports a file, and waits until the metrics count its outcome. */
async function importFile(bytes: string, outcome: string): Promise<void> {
  const { body: created } = await suite.call('createKnowledgeBase', { name: 'one' });
  const ticket = { knowledgeBaseId: created.data.id, fileName: 'a.pdf', size: Buffer.byteLength(bytes) };
  const { body } = await suite.call('presignUploadUrl', ticket);
  await fetch(String(body.data.uploadUrl), { method: 'PUT', body: bytes });
  await suite.call('importFile', { fileId: body.data.fileId });
  await vi.waitUntil(async () => (await scrape()).has(outcome), { timeout: 60_000, interval: 100 });
}

test('answers 401 without a token, and shows no metrics', async () => {
  for (const authorization of ['', 'Bearer', 'Bearer a token for the test', METRICS_TOKEN]) {
    const response = await fetchMetrics(authorization);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('knowledge_retrieval_');
  }
  expect((await fetchMetrics(`Bearer ${METRICS_TOKEN}`, 'POST')).status).toBe(405);
});

test('requests are counted by operation and status, searches also by duration', async () => {
  const before = await scrape();
  await suite.call('query', { query: 'anything' });
  await suite.call('query', { query: '' });
  const after = await scrape();
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(grown(requestCount('query', 200))).toBe(1);
  expect(grown(requestCount('query', 422))).toBe(1);
  expect(grown('request_duration_seconds_bucket{le="+Inf",operation="query",status="200"}')).toBe(1);
  expect(grown('step_duration_seconds_count{step="searching"}')).toBe(1);
});

test('unknown paths and methods share one label', async () => {
  await fetch(`${suite.address}/${randomUUID()}`);
  const before = await scrape();
  for (const method of ['GET', 'DELETE', 'PROPFIND']) {
    await fetch(`${suite.address}/${randomUUID()}`, { method, headers: { 'x-request-id': randomUUID() } });
    await fetch(`${suite.address}/v1/${randomUUID()}?${randomUUID()}`, { method });
  }
  const after = await scrape();
  expect(requestSeries(after)).toEqual(requestSeries(before));
  expect(after.get(requestCount('other', 404))).toBe(7);
});

test('a request whose client has hung up is counted as 499', async () => {
  const { body: created } = await suite.call('createKnowledgeBase', { name: 'one' });
  const ticket = { knowledgeBaseId: created.data.id, fileName: 'a.txt', size: 1 };
  const { body } = await suite.call('presignUploadUrl', ticket);
  await fetch(String(body.data.uploadUrl), { method: 'PUT', body: 'a' });
  // The request waits for the locked row until its client hangs up.
  await suite.service.database.transaction().execute(async (transaction) => {
    await sql`SELECT 1 FROM files WHERE knowledge_base_id = ${created.data.id} FOR UPDATE`.execute(
      transaction,
    );
    const hangingUp = new AbortController();
    const asked = fetch(`${suite.address}/v1/importFile`, {
      method: 'POST',
      headers: { 'x-api-key': suite.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ fileId: body.data.fileId }),
      signal: hangingUp.signal,
    });
    await vi.waitUntil(async () => (await countWaitingLocks(suite.service.database)) > 0);
    hangingUp.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitUntil(async () => (await scrape()).get(requestCount('importFile', 499)) === 1);
  });
});

test('ended imports are counted by status and error code, and their steps are timed', async () => {
  await importFile('A few words.', 'imports_total{status="processed",error_code=""}');
  await importFile('%PDF-1.7 and no more', 'imports_total{status="failed",error_code="FILE_CORRUPT"}');
  const samples = await scrape();
  expect(samples.get('step_duration_seconds_count{step="extracting"}')).toBeGreaterThanOrEqual(2);
  expect(samples.get('step_duration_seconds_count{step="storing"}')).toBeGreaterThanOrEqual(1);
});

test('the metrics hold queues, database pool, event loop and process', async () => {
  const samples = await scrape();
  expect(samples.get('jobs_waiting{queue="import-file"}')).toBeGreaterThanOrEqual(0);
  expect(samples.get('oldest_waiting_job_age_seconds{queue="import-file"}')).toBeGreaterThanOrEqual(0);
  expect(samples.get('database_pool_connections')).toBeGreaterThan(0);
  for (const name of ['idle_connections', 'waiting_requests'])
    expect(samples.get(`database_pool_${name}`)).toBeGreaterThanOrEqual(0);
  expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(samples.get('database_up')).toBe(1);
});

test('scrapes are answered while the database hangs, and do not fill its pool', async () => {
  const { database } = suite.service;
  await database.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE knowledge_jobs IN ACCESS EXCLUSIVE MODE`.execute(transaction);
    const scrapes = await Promise.all(Array.from({ length: 40 }, scrape));
    for (const samples of scrapes) {
      expect(samples.get('database_up')).toBe(0);
      expect(samples.has('jobs_waiting{queue="import-file"}')).toBe(false);
      expect(samples.get('database_pool_waiting_requests')).toBe(0);
    }
  });
  await vi.waitUntil(async () => (await scrape()).get('database_up') === 1);
});

test('the pages for people are counted by their names, with all their files', async () => {
  for (const path of ['/', '/console/none.js', '/docs', '/docs/', '/docs/page.css', '/openapi.json'])
    await fetch(suite.address + path, { redirect: 'manual' });
  await fetch(suite.address, { headers: { accept: 'text/html' } });
  const samples = await scrape();
  expect(samples.get(requestCount('console', 200))).toBe(2);
  expect(samples.get(requestCount('console', 404))).toBe(1);
  expect(samples.get(requestCount('docs', 200))).toBe(2);
  expect(samples.get(requestCount('docs', 302))).toBe(1);
  expect(samples.get(requestCount('openapi', 200))).toBe(1);
});

test('what is stored is measured at the first scrape, and not at each', async () => {
  const empty = await startTestService({ settings: { METRICS_TOKEN } });
  const read = async () =>
    await (
      await fetch(`${empty.address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    ).text();
  const before = await read();
  expect(before).toMatch(/^knowledge_retrieval_documents 0$/m);
  expect(before).toMatch(/^knowledge_retrieval_database_size_bytes [1-9]\d{6,}$/m);
  const tables = before.matchAll(/table_size_bytes\{table="(\w+)"\} [1-9]/g);
  expect([...tables].map(([, table]) => table)).toEqual(
    expect.arrayContaining(['passages', 'passage_lexemes', 'jobs', 'other']),
  );
  const { body } = await empty.call('createKnowledgeBase', { name: 'one' });
  const text = { knowledgeBaseId: body.data.id, title: 'One', content: 'One passage.' };
  await empty.call('importTextContent', text);
  expect(await read()).toMatch(/^knowledge_retrieval_documents 0$/m);
  expect(await readStorageFigures(empty.service.database)).toMatchObject({
    knowledgeBases: 1,
    documents: 1,
    passages: 1,
    documentBytes: 12,
  });
  await empty.close();
});

test('without METRICS_TOKEN the token in DATA_DIR opens the metrics, and only its owner can read it', async () => {
  const service = await startTestService();
  const file = metricsTokenFile(service.service.config);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const statusWith = async (token: string) =>
    (await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status;
  const token = readFileSync(file, 'utf8');
  expect([await statusWith(token), await statusWith(token.slice(1)), await statusWith('')]).toEqual([
    200, 401, 401,
  ]);
  await service.close();
});
