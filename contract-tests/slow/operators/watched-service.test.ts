/** The log, metrics and traces of a service, as its operator sees them. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, inject, test, vi } from 'vitest';
import type { UploadTicket } from '../../../generated/types.gen.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { keepForTests } from '../../harness/service/kept-service.ts';
import { databaseUrlOf } from '../../harness/service/service-database.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  root,
  startService,
  startWorker,
  withDataDirectory,
} from '../../harness/service/service-process.ts';
import { startTraceCollector } from './trace-collector.ts';

const newSecret = () => randomBytes(20).toString('hex');

const METRICS_TOKEN = newSecret();
const COLLECTOR_HEADER = newSecret();

/** The ids of a caller's trace and span, for `traceparent`. */
const CALLER = { trace: randomBytes(16), span: randomBytes(8) };

const collector = await startTraceCollector();
// Registered first and so run last: the service sends its last spans when it stops.
afterAll(() => collector.close());

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

let logged = '';

/** The lines of the log so far that are about requests. */
const requestLines = () =>
  logged
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));

/** A second server on the database and files of the shared service. It imports nothing. */
async function startWatched(dataDirectory: string): Promise<RunningService> {
  const apiKey = await runCommand(dataDirectory, 'keys', 'generate');
  await writeFile(join(dataDirectory, 'api-key'), apiKey);
  await symlink(join(inject('dataDirectory'), 'files'), join(dataDirectory, 'files'));
  const settings = {
    DATABASE_URL: databaseUrlOf(inject('dataDirectory')),
    BOOTSTRAP_API_KEY: apiKey,
    UPLOAD_SECRET: newSecret(),
    METRICS_TOKEN,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${COLLECTOR_HEADER}`,
    OTEL_SERVICE_NAME: 'a service by its name',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    LOG_LEVEL: 'trace',
  };
  const onLog = (bytes: string) => {
    logged += bytes;
  };
  return await startService(dataDirectory, { settings, options: ['--no-worker'], onLog });
}

const service = await keepForTests(startWatched);

const scrape = async (address = service.address) =>
  await (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();

/** A reading of these servers by `status`, with the token that their first start has made. */
async function readStatus(dataDirectory: string, addresses: string[]): Promise<unknown> {
  const urls = addresses.flatMap((address) => ['--url', address]);
  return JSON.parse(await runCommand(dataDirectory, 'status', '--json', '--interval', '0', ...urls));
}

/** The upload address of a new ticket. */
async function presign(): Promise<string> {
  const knowledgeBaseId = await createKnowledgeBase(service, 'watched');
  const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 5 };
  const { uploadUrl } = await call<{ uploadUrl: string }>(service, 'presignUploadUrl', ticket);
  return uploadUrl;
}

test('the first line of the log has the version', () => {
  expect(JSON.parse(logged.split('\n', 1)[0] ?? '')).toMatchObject({ msg: 'starting', version });
});

test('each request is one line of the log, with its account, operation, status and duration', async () => {
  const requestId = `watched-${newSecret()}`;
  await fetch(`${service.address}/v1/getUsage?what=ever`, {
    headers: { 'x-api-key': service.apiKey, 'x-request-id': requestId },
  });
  const line = await vi.waitUntil(() => requestLines().find((each) => each.requestId === requestId));
  expect(line).toEqual({
    level: 30,
    time: expect.any(Number),
    requestId,
    method: 'GET',
    path: '/v1/getUsage',
    operationId: 'getUsage',
    status: 422,
    errorCode: 'INPUT_VALIDATION_FAILED',
    durationMs: expect.any(Number),
    accountId: expect.stringMatching(/^[\da-f-]{36}$/),
    keyId: service.apiKey.split('_')[1],
    msg: 'request',
  });
});

test('browsers may not sniff, frame or cache the answer of /metrics, with the token or without', async () => {
  const withToken = { authorization: `Bearer ${METRICS_TOKEN}` };
  for (const [headers, status] of [[withToken, 200] as const, [{}, 401] as const]) {
    const response = await fetch(`${service.address}/metrics`, { headers });
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
  }
});

test('health checks and scrapes are logged at level debug', async () => {
  for (const path of ['/livez', '/readyz']) expect((await fetch(service.address + path)).status).toBe(200);
  await scrape();
  await vi.waitUntil(() => requestLines().some(({ path }) => path === '/metrics'));
  for (const path of ['/livez', '/readyz', '/metrics'])
    expect(requestLines().find((line) => line.path === path).level).toBe(20);
});

test('a request becomes a span of its caller’s trace, and is exported as the OTEL_ variables say', async () => {
  const traceparent = `00-${CALLER.trace.toString('hex')}-${CALLER.span.toString('hex')}-01`;
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json', traceparent };
  const body = JSON.stringify({ query: 'watched' });
  await fetch(`${service.address}/v1/query`, { method: 'POST', headers, body });
  const sent = await vi.waitUntil(
    () => collector.collected.find(({ bytes }) => bytes.includes(CALLER.trace)),
    {
      timeout: 60_000,
    },
  );
  expect(sent.target).toBe('/v1/traces');
  expect(sent.authorization).toBe(COLLECTOR_HEADER);
  for (const part of [CALLER.span, 'a service by its name', 'service.version', version, 'query', 'searching'])
    expect(sent.bytes.includes(part)).toBe(true);
});

test('a worker beside a server reports its imports, and `status` adds up what both count', async () => {
  await withDataDirectory(async (dataDirectory) => {
    const settings = { METRICS_TOKEN };
    const server = await startService(dataDirectory, { settings, options: ['--no-worker'] });
    const worker = await startWorker(dataDirectory, { settings: { ...settings, WORKER_PORT: '0' } });
    const knowledgeBaseId = await createKnowledgeBase(server, 'watched');
    const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 5 };
    const { fileId, uploadUrl } = await call<UploadTicket>(server, 'presignUploadUrl', ticket);
    await fetch(uploadUrl, { method: 'PUT', body: 'right' });
    const { id } = await call<{ id: string }>(server, 'importFile', { fileId });
    await call(server, `getDocumentStatus?documentId=${id}&waitSeconds=30`);
    const imported = 'knowledge_retrieval_imports_total{status="processed",error_code=""} 1';
    await vi.waitUntil(async () => (await scrape(worker.address)).includes(imported));
    expect(await scrape(server.address)).not.toContain(imported);
    for (const path of ['/livez', '/readyz']) expect((await fetch(worker.address + path)).status).toBe(200);
    for (const path of ['/v1/getUsage', `/uploads/${fileId}`, `/downloads/${id}`])
      expect((await fetch(worker.address + path)).status).toBe(404);
    for (const query of ['right', 'wrong', '']) await call(server, 'query', { query }).catch(() => {});
    expect(await readStatus(dataDirectory, [server.address, worker.address])).toMatchObject({
      now: null,
      sinceStart: {
        operations: expect.arrayContaining([
          expect.objectContaining({
            operation: 'query',
            count: 3,
            faults: 0,
            p95Seconds: expect.any(Number),
          }),
          expect.objectContaining({ operation: 'importFile', count: 1 }),
        ]),
        // Of the server the query without words, of the worker the three paths above.
        answers: { refusals: 4, overloaded: 0, faults: 0 },
        imports: { processed: 1, failed: 0, timeout: 0, failures: {} },
      },
      queues: { 'import-file': { waiting: 0, oldestWaitingSeconds: 0 } },
      storage: { documents: 1, passages: 1, documentBytes: 5 },
      servers: [server, worker].map(({ address }) => ({
        address,
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        isDatabaseUp: true,
        connections: { max: 16, waiting: 0 },
      })),
      unreachable: [],
    });
    await worker.stop();
    await server.stop();
  });
});

test('after SIGTERM a server is not ready, but still answers requests in progress', async () => {
  const { pathname, search, hostname, port, host } = new URL(await presign());
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nri`);
  // After the signal come the rest of the upload and a health check on the same connection.
  const isWaiting = async () =>
    (await fetch(`${service.address}/livez`)).ok && logged.includes('"path":"/livez"');
  await vi.waitUntil(isWaiting);
  process.kill(service.pid, 'SIGTERM');
  await vi.waitUntil(() => logged.includes('"msg":"stopping"'));
  socket.write(`ght${`GET /readyz HTTP/1.1\r\nHost: ${host}\r\n\r\n`}`);
  const answers = await text(socket);
  expect(answers).toMatch(/^HTTP\/1\.1 200 /);
  expect(answers).toMatch(/HTTP\/1\.1 503 [\s\S]*SERVICE_UNAVAILABLE/);
});
