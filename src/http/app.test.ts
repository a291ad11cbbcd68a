/** A failure inside the service reaches the client as an envelope without internal details. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';

const METRICS_TOKEN = 'a token for the tests';
const SECRET = 'SELECT * FROM secrets';

describe('a crash inside a handler', () => {
  let crashing: TestService;
  beforeAll(async () => {
    crashing = await startTestService({
      change: () => ({ importShortText: () => Promise.reject(new TypeError(SECRET)) }),
    });
  });
  afterAll(() => crashing.close());

  test('answers 500 INTERNAL_ERROR with a constant message and a request id, and keeps running', async () => {
    const { body: created } = await crashing.call('createKnowledgeBase', { name: 'one' });
    const text = { knowledgeBaseId: created.data.id, title: 'a', content: 'b' };
    const { status, headers, body } = await crashing.call('importTextContent', text);
    expect(status).toBe(500);
    expect(body).toMatchObject({ success: false, errorCode: 'INTERNAL_ERROR', data: {} });
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect((await crashing.call('getUsage')).body.data).toMatchObject({
      knowledgeBaseCount: 1,
      storageUsed: 0,
    });
  });
});

describe('a handler that breaks the contract', () => {
  let breaking: TestService;
  beforeAll(async () => {
    breaking = await startTestService({
      change: ({ config }) => ({ config: { ...config, baseUrl: 'no address' } }),
    });
  });
  afterAll(() => breaking.close());

  test('answers 500 INTERNAL_ERROR instead of the broken response', async () => {
    const { body: created } = await breaking.call('createKnowledgeBase', { name: 'one' });
    const ticket = { knowledgeBaseId: created.data.id, fileName: 'a.txt', size: 1 };
    const { status, body } = await breaking.call('presignUploadUrl', ticket);
    expect([status, body.errorCode]).toEqual([500, 'INTERNAL_ERROR']);
  });
});

describe('a database that is stopped', () => {
  let directory: string;
  let postgres: EmbeddedPostgres;
  let service: TestService;
  const startPostgres = () => startEmbeddedPostgres({ directory, durable: false, onLog: () => {} });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-away-'));
    postgres = await startPostgres();
    service = await startTestService({
      connection: postgres.connection,
      settings: { METRICS_TOKEN },
    });
  });
  afterAll(async () => {
    await service.close();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('answers 503 SERVICE_UNAVAILABLE with Retry-After, and 200 after the database has started again', async () => {
    const operations = ['getUsage', 'getBalance', 'listKnowledgeBases'];
    await postgres.stop();
    for (const operation of operations) {
      const { status, headers, body } = await service.call(operation);
      expect([status, body.errorCode, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
    }
    expect((await fetch(`${service.address}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.address}/livez`)).status).toBe(200);
    const scrape = await fetch(`${service.address}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(await scrape.text()).toContain('knowledge_retrieval_database_up 0');
    postgres = await startPostgres();
    for (const operation of operations) expect((await service.call(operation)).status).toBe(200);
  });
});

describe('with BASE_URL and CORS_ORIGIN', () => {
  let service: TestService;
  beforeAll(async () => {
    const settings = {
      BASE_URL: 'https://kr.example.org/api/',
      CORS_ORIGIN: 'https://app.example.org, HTTP://Localhost:5173/',
    };
    service = await startTestService({ settings });
  });
  afterAll(() => service.close());

  test('upload addresses begin with BASE_URL, and work behind a proxy that strips its path', async () => {
    const { body: created } = await service.call('createKnowledgeBase', { name: 'one' });
    const ticket = { knowledgeBaseId: created.data.id, fileName: 'a.txt', size: 3 };
    const { body } = await service.call('presignUploadUrl', ticket);
    const uploadUrl = String(body.data.uploadUrl);
    expect(uploadUrl).toMatch(/^https:\/\/kr\.example\.org\/api\/uploads\//);
    const path = uploadUrl.replace('https://kr.example.org/api', '');
    expect((await fetch(service.address + path, { method: 'PUT', body: 'abc' })).status).toBe(200);
  });

  test('the spec at /openapi.json names BASE_URL', async () => {
    const { servers } = (await (await fetch(`${service.address}/openapi.json`)).json()) as {
      servers: object[];
    }; // a spec
    expect(servers).toEqual([{ url: 'https://kr.example.org/api', description: 'This server' }]);
  });

  const origins = ['https://app.example.org', 'http://localhost:5173'];
  test.each(origins)('pages of %s may send their key and read both successes and errors', async (origin) => {
    const target = `${service.address}/v1/getUsage`;
    const preflight = {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key,idempotency-key',
    };
    const allowed = await fetch(target, { method: 'OPTIONS', headers: preflight });
    expect(allowed.headers.get('access-control-allow-headers')).toBe('x-api-key,idempotency-key');
    for (const headers of [{ origin, 'x-api-key': service.apiKey }, { origin }]) {
      expect((await fetch(target, { headers })).headers.get('access-control-allow-origin')).toBe(origin);
    }
  });

  test('pages of other origins may not call; Vary: Origin keeps caches from serving them', async () => {
    const target = `${service.address}/v1/getUsage`;
    const headers = { origin: 'https://app.example.org.evil.example', 'x-api-key': service.apiKey };
    const preflight = { ...headers, 'access-control-request-method': 'GET' };
    for (const init of [{ headers }, { method: 'OPTIONS', headers: preflight }]) {
      const response = await fetch(target, init);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(response.headers.get('vary')).toBe('Origin');
    }
  });
});
