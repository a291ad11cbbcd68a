/** Settings are read once, all problems are reported at once, and no secret is repeated. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateApiKey } from '../terms/api-key.ts';
import { readConfig, SETTING_NAMES } from './config.ts';

test('by default the service uses the embedded database and listens on loopback', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    isPortSet: false,
    workerPort: undefined,
    shutdownDelaySeconds: 0,
    databaseUrl: undefined,
    storageLimitBytes: 10 * 1024 ** 3,
    knowledgeBaseLimit: 1000,
    initialCredits: 1_000_000_000,
    creditsPerQuery: 1,
    uploadTicketTtlSeconds: 3600,
    importTimeoutSeconds: 600,
    importWaitSeconds: 86_400,
    rateLimitPerMinute: 0,
    hasWordVectors: false,
    webhookLimit: 10,
    webhookRetrySeconds: 259_200,
    allowsPrivateReceivers: false,
    validateResponses: false,
  });
});

test('an empty value counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}));
});

test('an error names every wrong setting, and repeats no value', () => {
  const wrong = {
    PORT: '70000',
    BASE_URL: 'ftp://x',
    DATABASE_URL: 'mysql://user:hunter2@host',
    BOOTSTRAP_API_KEY: 'hunter2',
    UPLOAD_SECRET: 'hunter2',
    STORAGE_LIMIT_BYTES: '-1',
    KNOWLEDGE_BASE_LIMIT: '1.5',
    CREDITS_PER_QUERY: 'one',
    IMPORT_TIMEOUT_SECONDS: '0',
    WEBHOOK_PRIVATE_NETWORKS: 'yes',
    CORS_ORIGIN: 'foo',
    VALIDATE_RESPONSES: 'maybe',
    WORD_VECTORS: 'no',
    LOG_LEVEL: 'loud',
  };
  let message = '';
  try {
    readConfig(wrong);
  } catch (error) {
    message = String(error);
  }
  for (const name of Object.keys(wrong)) expect(message).toContain(`${name}: `);
  expect(message).not.toContain('hunter2');
});

test('S3_ENDPOINT and S3_REGION need S3_BUCKET; without them there is no S3 store', () => {
  expect(readConfig({}).s3).toBeUndefined();
  const S3_ENDPOINT = 'http://127.0.0.1:9000';
  expect(readConfig({ S3_BUCKET: 'files', S3_ENDPOINT }).s3).toEqual({
    bucket: 'files',
    endpoint: S3_ENDPOINT,
    region: undefined,
  });
  expect(() => readConfig({ S3_ENDPOINT, S3_REGION: 'eu-central-1' })).toThrow(
    /S3_ENDPOINT: needs S3_BUCKET.*\n.*S3_REGION: needs S3_BUCKET/,
  );
  expect(() => readConfig({ S3_BUCKET: 'files', S3_ENDPOINT: 'minio:9000' })).toThrow('S3_ENDPOINT: must be');
});

test('DATABASE_READ_URL needs DATABASE_URL', () => {
  const DATABASE_READ_URL = 'postgres://replica.example.org/texts';
  expect(() => readConfig({ DATABASE_READ_URL })).toThrow('DATABASE_READ_URL: needs DATABASE_URL');
  const config = readConfig({ DATABASE_READ_URL, DATABASE_URL: 'postgres://example.org/texts' });
  expect(config.databaseReadUrl).toBe(DATABASE_READ_URL);
});

test('a bootstrap key is read unchanged, a public address without its trailing slash', () => {
  const key = generateApiKey();
  const config = readConfig({ BOOTSTRAP_API_KEY: key, BASE_URL: 'https://kr.example.org/api/' });
  expect([config.bootstrapApiKey, config.baseUrl]).toEqual([key, 'https://kr.example.org/api']);
});

test('traces are on if a collector is set, unless OpenTelemetry’s own variables disable them', () => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(readConfig({}).isTracing).toBe(false);
  expect(readConfig({ OTEL_TRACES_SAMPLER: 'traceidratio' }).isTracing).toBe(false);
  expect(readConfig(collector).isTracing).toBe(true);
  expect(readConfig({ ...collector, OTEL_SDK_DISABLED: 'TRUE' }).isTracing).toBe(false);
  expect(readConfig({ ...collector, OTEL_TRACES_EXPORTER: 'none' }).isTracing).toBe(false);
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'user:hunter2@collector' })).toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http(s) address',
  );
});

test('invisible white space around a value stops the start', () => {
  const wrong = { DATA_DIR: ' ', HOST: '127.0.0.1 ', UPLOAD_SECRET: `${'s'.repeat(32)}\n` };
  for (const [name, value] of Object.entries(wrong))
    expect(() => readConfig({ [name]: value })).toThrow(`${name}: must not begin or end with white space`);
  expect(readConfig({ DATA_DIR: '/a b' }).dataDir).toBe('/a b');
});

test.each([
  ['BASE_URL', 'https://user:hunter2@example.org', 'no more than an origin and a path'],
  ['BASE_URL', 'https://example.org/?a=b', 'no more than an origin and a path'],
  ['BASE_URL', 'https:example.org', 'must be an http(s) address'],
  [
    'DATABASE_URL',
    'postgres:database',
    'must be an address such as postgres://USER:PASSWORD@HOST:5432/DATABASE',
  ],
  ['PORT', '8080,8081', 'PORT: must be a whole number from 0 to 65535'],
  ['PORT', '99999', 'PORT: must be a whole number from 0 to 65535'],
  ['CREDITS_PER_QUERY', '-1', 'must be a whole number from 0 to 9007199254740991'],
  ['CREDITS_PER_QUERY', '9'.repeat(20), 'must be a whole number from 0 to 9007199254740991'],
  ['IMPORT_TIMEOUT_SECONDS', '0', 'must be a whole number from 1 to '],
  ['IMPORT_WAIT_SECONDS', '604801', 'must be a whole number from 1 to 604800'],
  ['LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
])('%s=%s stops the start', (name, value, problem) => {
  expect(() => readConfig({ [name]: value })).toThrow(problem);
});

test('origins are normalised as browsers send them; * allows all', () => {
  expect(readConfig({}).corsOrigins).toEqual([]);
  expect(readConfig({ CORS_ORIGIN: '*' }).corsOrigins).toEqual(['*']);
  const CORS_ORIGIN = 'HTTPS://App.example.org:443/,http://[::1]:5173 , https://app.example.org';
  expect(readConfig({ CORS_ORIGIN }).corsOrigins).toEqual(['https://app.example.org', 'http://[::1]:5173']);
});

test.each([
  'foo',
  'null',
  'app.example.org',
  'https://*.example.org',
  'https://app.example.org/page',
  'https://a.example.org https://b.example.org',
  'https://a.example.org,',
  '*,https://a.example.org',
  'https://user@a.example.org',
  'https://a.example.org:99999',
])('%s is refused: no browser sends such an origin', (CORS_ORIGIN) => {
  expect(() => readConfig({ CORS_ORIGIN })).toThrow('CORS_ORIGIN: must be * or origins such as');
});

test('a short token for the metrics is refused, and not repeated', () => {
  expect(() => readConfig({ METRICS_TOKEN: 'hunter2' })).toThrow(/METRICS_TOKEN: must have 16/);
  expect(readConfig({ METRICS_TOKEN: 'sixteen letters.' }).metricsToken).toBe('sixteen letters.');
});

test('the page of settings lists each setting, and no other; those of OpenTelemetry share a row', () => {
  const table = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
  const listed = [...table.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name);
  const own = SETTING_NAMES.filter((name) => !name.startsWith('OTEL_'));
  expect(listed.toSorted()).toEqual(own.toSorted());
});
