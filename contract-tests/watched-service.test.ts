/** What an operator sees of a service: its log, metrics and traces tell what happens, and none of its secrets. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { UploadTicket } from '../generated/types.gen.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  startWorker,
  withDataDirectory,
} from '../scripts/service-process.ts';
import { runCommand } from './running-service.ts';

const newSecret = () => randomBytes(20).toString('hex');

const METRICS_TOKEN = newSecret();
/** What must be seen nowhere; more comes while the service is used. */
const secrets = new Map([
  ['METRICS_TOKEN', METRICS_TOKEN],
  ['UPLOAD_SECRET', newSecret()],
  ['the password of DATABASE_URL', newSecret()],
  ['a header for the collector of traces', newSecret()],
  ['AWS_SECRET_ACCESS_KEY', newSecret()],
]);
const secretOf = (name: string): string => secrets.get(name) ?? '';

/** A caller's trace and span, as a `traceparent` names them. */
const CALLER = { trace: randomBytes(16), span: randomBytes(8) };

/** Takes what an OpenTelemetry collector takes. */
const collected: { target: string; authorization: string; bytes: Buffer }[] = [];
const collector = createServer(async (request, response) => {
  const { url: target = '', headers } = request;
  collected.push({ target, authorization: headers.authorization ?? '', bytes: await buffer(request) });
  response.end();
});

let logged = '';
let service: RunningService;

/** Every line of the log so far that is a request's. */
const requestLines = () =>
  logged
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));

/** A second server of the shared service's database, which imports nothing. */
async function startWatched(dataDirectory: string): Promise<RunningService> {
  const apiKey = await runCommand(dataDirectory, 'keys', 'generate');
  secrets.set('the API key', apiKey);
  secrets.set('the secret of the API key', apiKey.split('_')[2] ?? '');
  await writeFile(join(dataDirectory, 'api-key'), apiKey);
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = collector.address() as AddressInfo; // listening on TCP
  const socket = join(inject('dataDirectory'), 'postgres');
  const settings = {
    DATABASE_URL: `postgres://postgres:${secretOf('the password of DATABASE_URL')}@x/postgres?host=${socket}`,
    BOOTSTRAP_API_KEY: apiKey,
    UPLOAD_SECRET: secretOf('UPLOAD_SECRET'),
    AWS_SECRET_ACCESS_KEY: secretOf('AWS_SECRET_ACCESS_KEY'),
    METRICS_TOKEN,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secretOf('a header for the collector of traces')}`,
    OTEL_SERVICE_NAME: 'a service by its name',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    LOG_LEVEL: 'trace',
  };
  const onLog = (bytes: string) => {
    logged += bytes;
  };
  return await startService(dataDirectory, { settings, options: ['--no-worker'], onLog });
}

let end = () => {};
let ended: Promise<void>;
beforeAll(async () => {
  const started = Promise.withResolvers<void>();
  ended = withDataDirectory(async (dataDirectory) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    end = resolve;
    service = await startWatched(dataDirectory);
    started.resolve();
    await promise;
    await service.stop();
  });
  ended.catch(started.reject);
  await started.promise;
});
afterAll(async () => {
  end();
  await ended;
  collector.close();
});

const scrape = async (address = service.address) =>
  await (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();

/** A ticket's address; its signature is a secret. */
async function presign(): Promise<string> {
  const knowledgeBaseId = await createKnowledgeBase(service, 'watched');
  const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 5 };
  const { uploadUrl } = await call<{ uploadUrl: string }>(service, 'presignUploadUrl', ticket);
  secrets.set(
    `the signature of upload address ${secrets.size}`,
    new URL(uploadUrl).searchParams.get('signature') ?? '',
  );
  return uploadUrl;
}

test('each request is one line of the log, with who, what and how long', async () => {
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

test('health checks and scrapes are logged for those only who look closer', async () => {
  for (const path of ['/livez', '/readyz']) expect((await fetch(service.address + path)).status).toBe(200);
  await scrape();
  await vi.waitUntil(() => requestLines().some(({ path }) => path === '/metrics'));
  for (const path of ['/livez', '/readyz', '/metrics'])
    expect(requestLines().find((line) => line.path === path).level).toBe(20);
});

test('a request becomes a span of its caller’s trace, and is sent as OpenTelemetry’s variables say', async () => {
  const traceparent = `00-${CALLER.trace.toString('hex')}-${CALLER.span.toString('hex')}-01`;
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json', traceparent };
  const body = JSON.stringify({ query: 'watched' });
  await fetch(`${service.address}/v1/query`, { method: 'POST', headers, body });
  const sent = await vi.waitUntil(() => collected.find(({ bytes }) => bytes.includes(CALLER.trace)), {
    timeout: 10_000,
  });
  expect(sent.target).toBe('/v1/traces');
  expect(sent.authorization).toBe(secretOf('a header for the collector of traces'));
  for (const part of [CALLER.span, 'a service by its name', 'query', 'searching'])
    expect(sent.bytes.includes(part)).toBe(true);
});

test('secrets are in no line of the log, no metric, no trace and no list of processes', async () => {
  const { address, apiKey } = service;
  const uploadUrl = await presign();
  await fetch(uploadUrl, { method: 'PUT', body: 'wrong length' });
  await fetch(uploadUrl.replace('signature=', 'signature=x'), { method: 'PUT', body: 'right' });
  await fetch(uploadUrl, { method: 'PUT', body: 'right' });
  await fetch(uploadUrl, { method: 'POST', body: 'right' });
  // Where keys end up that were put in the wrong place, or are wrong by a character.
  await fetch(`${address}/v1/getUsage?x-api-key=${apiKey}`, { headers: { 'x-api-key': `${apiKey}0` } });
  await fetch(`${address}/v1/getUsage`, { headers: { authorization: `Bearer ${apiKey}` } });
  await fetch(`${address}/v1/query`, { method: 'POST', headers: { 'x-api-key': apiKey }, body: apiKey });
  await fetch(`${address}/metrics?token=${METRICS_TOKEN}`);
  const metrics = await scrape();
  await vi.waitUntil(() => requestLines().filter(({ operationId }) => operationId === 'upload').length >= 4);
  const sources = {
    log: logged,
    metrics,
    traces: Buffer.concat(collected.map(({ bytes }) => bytes)).toString('latin1'),
    ...(process.platform === 'linux' && {
      processes: readFileSync(`/proc/${service.pid}/cmdline`, 'utf8'),
    }),
  };
  expect(logged).toContain('"operationId":"upload"');
  for (const [source, content] of Object.entries(sources))
    for (const [name, secret] of secrets)
      expect(content.includes(secret), `${name} in ${source}`).toBe(false);
});

test('a worker beside a server tells of its imports, and answers nothing else', async () => {
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
    for (const path of ['/v1/getUsage', `/uploads/${fileId}`])
      expect((await fetch(worker.address + path)).status).toBe(404);
    await worker.stop();
    await server.stop();
  });
});

test('a start that fails tells no secret either', async () => {
  const password = newSecret();
  await withDataDirectory(async (dataDirectory) => {
    let complaint = '';
    const onLog = (bytes: string) => {
      complaint += bytes;
    };
    const DATABASE_URL = `postgres://somebody:${password}@127.0.0.1:1/nowhere`;
    const settings = { DATABASE_URL, METRICS_TOKEN, LOG_LEVEL: 'trace' };
    await expect(startService(dataDirectory, { settings, onLog })).rejects.toThrow('ended before');
    await vi.waitUntil(() => complaint !== '');
    for (const secret of [password, METRICS_TOKEN]) expect(complaint).not.toContain(secret);
  });
});

test('from SIGTERM on a server is not ready, and still answers what has begun', async () => {
  const { pathname, search, hostname, port, host } = new URL(await presign());
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nri`);
  // The rest of the upload comes after the signal, and a health check of the same connection behind it.
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
