/** Runs two servers through failures, outages and bad starts: no secret and no content leaks. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { toSent } from '../../../src/contract-check/requests/calling.ts';
import { type Answer, exchange, type Sent } from '../../../src/contract-check/requests/exchange.ts';
import { OPERATION_IDS } from '../../../src/contract-check/spec/routes.ts';
import { pathOf } from '../../harness/calls/uploading.ts';
import { findDescendants } from '../../harness/machine/processes.ts';
import { runCommand, spawnCommand } from '../../harness/service/command-line.ts';
import { startDatabaseProxy } from '../../harness/service/service-database.ts';
import {
  environmentOf,
  type RunningService,
  type Settings,
  startService,
  withEmbeddedDirectory,
} from '../../harness/service/service-process.ts';
import { startTraceCollector } from './trace-collector.ts';

const newSecret = () => randomBytes(20).toString('hex');

/** A word in every text that clients send: queries, documents, names. Only answers may contain it. */
const CONTENT_WORD = 'zyzzyva';

/** Secrets that no output may contain. The run adds the signatures of upload addresses. */
const secrets = new Map(
  [
    'METRICS_TOKEN',
    'UPLOAD_SECRET',
    'the password of DATABASE_URL',
    'a header for the collector of traces',
    'AWS_SECRET_ACCESS_KEY',
    'BOOTSTRAP_API_KEY',
  ].map((name) => [name, newSecret()]),
);
const secretOf = (name: string): string => secrets.get(name) ?? '';

/** The output of the run by its source. Answers may contain the client's own content. */
const outputs = new Map<string, string>();
const ANSWERS = 'answers';
const record = (source: string, text: string) => void outputs.set(source, (outputs.get(source) ?? '') + text);

const recordOutput = {
  onLog: (text: string) => record('log', text),
  onOutput: (text: string) => record('output', text),
};

const collector = await startTraceCollector();
const settings: Settings = {
  METRICS_TOKEN: secretOf('METRICS_TOKEN'),
  UPLOAD_SECRET: secretOf('UPLOAD_SECRET'),
  AWS_ACCESS_KEY_ID: 'a-key-id',
  AWS_SECRET_ACCESS_KEY: secretOf('AWS_SECRET_ACCESS_KEY'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secretOf('a header for the collector of traces')}`,
  OTEL_BSP_SCHEDULE_DELAY: '100',
  LOG_LEVEL: 'trace',
};

/** Sends a request and records its answer. Returns undefined if no answer came. */
async function send({ address }: RunningService, sent: Sent): Promise<Answer | undefined> {
  const answer = await exchange(address, sent).catch(() => undefined);
  if (answer === undefined) return undefined;
  record(ANSWERS, `${JSON.stringify(answer.headers)} ${answer.text}\n`);
  return answer;
}

/** Calls an operation with the key. Returns the data of a success. */
async function callOperation(
  service: RunningService,
  operationId: (typeof OPERATION_IDS)[number],
  input: object,
) {
  const sent = toSent(operationId, input);
  const answer = await send(service, { ...sent, headers: { ...sent.headers, 'x-api-key': service.apiKey } });
  return answer?.status === 200 ? (answer.body as { data: Record<string, string> }).data : undefined; // the envelope
}

/** Adds the signature of an upload address to the secrets. Amazon's has another name. */
function addSignature(uploadUrl: string): void {
  const { searchParams } = new URL(uploadUrl);
  const signature = searchParams.get('signature') ?? searchParams.get('X-Amz-Signature') ?? '';
  secrets.set(`the signature of upload address ${secrets.size}`, signature);
}

/** Creates a webhook and tests it. Its address may hold a token of the receiver, so it is a secret too. */
async function useWebhook(service: RunningService): Promise<void> {
  const token = newSecret();
  const webhook = await callOperation(service, 'createWebhook', {
    url: `https://hooks.example.com/${token}`,
  });
  if (webhook === undefined) return;
  secrets.set(`the webhook secret ${secrets.size}`, String(webhook.secret).slice('whsec_'.length));
  secrets.set(`the webhook address ${secrets.size}`, token);
  await callOperation(service, 'testWebhook', { webhookId: webhook.id });
  await callOperation(service, 'listWebhooks', {});
}

/** A file that extraction can read, and files that it cannot. */
const FILES = {
  'zyzzyva.txt': 'The zyzzyva eats palms.',
  'zyzzyva.pdf': '%PDF-1.7 zyzzyva and no more',
  'zyzzyva.docx': 'PK\x03\x04 zyzzyva and no more',
  'zyzzyva.bin': '\x00\x01zyzzyva\x02',
};

/** Uploads each file in several wrong ways and in the right one, and imports it. */
async function uploadFiles(service: RunningService, knowledgeBaseId: string): Promise<void> {
  for (const [fileName, body] of Object.entries(FILES)) {
    const size = Buffer.byteLength(body);
    const ticket = await callOperation(service, 'presignUploadUrl', { knowledgeBaseId, fileName, size });
    if (ticket?.uploadUrl === undefined) continue;
    addSignature(ticket.uploadUrl);
    const path = pathOf(ticket.uploadUrl);
    const put = { method: 'PUT', path, body };
    await send(service, { ...put, body: 'wrong length' });
    await send(service, { ...put, path: path.replace('ignature=', 'ignature=x') });
    await send(service, { ...put, method: 'POST' });
    await send(service, { ...put, path: path.replace('?', '/') });
    await send(service, put);
    const document = await callOperation(service, 'importFile', { fileId: String(ticket.fileId) });
    const final = { documentId: document?.id ?? 'unknown', waitSeconds: '30' };
    await callOperation(service, 'getDocumentStatus', final);
  }
}

/** Sends keys in wrong headers, paths and bodies, and keys that differ a little from the right one. */
async function misplaceKey(service: RunningService): Promise<void> {
  const { apiKey } = service;
  const path = '/v1/getUsage';
  const requests: Sent[] = [
    { method: 'GET', path, headers: { 'x-api-key': `${apiKey}0` } },
    { method: 'GET', path, headers: { 'x-api-key': apiKey.toUpperCase() } },
    { method: 'GET', path, headers: { authorization: `Bearer ${apiKey}` } },
    { method: 'GET', path, headers: { cookie: `x-api-key=${apiKey}` } },
    { method: 'GET', path: `${path}?x-api-key=${apiKey}` },
    { method: 'GET', path: `${path}/${apiKey}` },
    { method: 'GET', path: `/${apiKey}/${secretOf('METRICS_TOKEN')}` },
    { method: 'GET', path: `/metrics?token=${secretOf('METRICS_TOKEN')}` },
    { method: 'POST', path: '/v1/query', headers: { 'x-api-key': apiKey }, body: apiKey },
  ];
  for (const sent of requests) await send(service, sent);
}

/** Calls all operations, with valid and invalid input. */
async function useEverything(service: RunningService): Promise<void> {
  const knowledgeBase = await callOperation(service, 'createKnowledgeBase', { name: CONTENT_WORD });
  const knowledgeBaseId = knowledgeBase?.id ?? 'x'.repeat(36);
  const text = { knowledgeBaseId, title: CONTENT_WORD, content: `A ${CONTENT_WORD} is a weevil.` };
  await useWebhook(service);
  await callOperation(service, 'importTextContent', text);
  await callOperation(service, 'query', { query: CONTENT_WORD });
  await callOperation(service, 'query', { query: CONTENT_WORD, limit: CONTENT_WORD });
  await callOperation(service, 'query', { query: `\u0000${CONTENT_WORD}` });
  for (const operationId of OPERATION_IDS)
    await callOperation(service, operationId, VALID_INPUTS[operationId]);
  await uploadFiles(service, knowledgeBaseId);
  await misplaceKey(service);
  for (const path of ['/livez', '/readyz', '/docs', '/openapi.json'])
    await send(service, { method: 'GET', path });
  const authorization = `Bearer ${secretOf('METRICS_TOKEN')}`;
  const metrics = await exchange(service.address, {
    method: 'GET',
    path: '/metrics',
    headers: { authorization },
  });
  expect(metrics.status).toBe(200);
  record('metrics', metrics.text);
}

/** Makes statements fail as a bug of the service would. One of PostgreSQL's errors contains the row. */
async function breakSchema(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('ALTER TABLE documents ADD CONSTRAINT never CHECK (false) NOT VALID');
  await client.query('ALTER TABLE passages RENAME TO passages_elsewhere');
  await client.end();
}

/** Records the command lines of a server and its descendants, as `ps` shows them. */
const recordProcesses = ({ pid }: RunningService) => {
  for (const each of [pid, ...findDescendants(pid)]) {
    const file = `/proc/${each}/cmdline`;
    if (existsSync(file)) record('list of processes', readFileSync(file, 'utf8'));
  }
};

/** Starts servers that fail because of a setting that is a secret, or of one beside a secret. */
async function startBadly(dataDirectory: string): Promise<void> {
  const password = secretOf('the password of DATABASE_URL');
  const wrong: Settings[] = [
    { DATABASE_URL: `postgres://somebody:${password}@127.0.0.1:1/nowhere` },
    { DATABASE_URL: `postgres//somebody:${password}@127.0.0.1` },
    { BOOTSTRAP_API_KEY: `${secretOf('BOOTSTRAP_API_KEY')}0` },
    {
      UPLOAD_SECRET: secretOf('UPLOAD_SECRET').slice(0, 20),
      LOG_LEVEL: secretOf('METRICS_TOKEN').slice(0, 20),
    },
  ];
  const started = wrong.map((each) =>
    expect(
      startService(dataDirectory, { settings: { ...settings, ...each }, ...recordOutput }),
    ).rejects.toThrow(),
  );
  await Promise.all(started);
}

test('no output of a whole run contains a secret, and only answers contain words of queries and documents', {
  timeout: 300_000,
}, async () => {
  await withEmbeddedDirectory(async (dataDirectory) => {
    const apiKey = await runCommand(dataDirectory, 'keys', 'generate');
    secrets.set('BOOTSTRAP_API_KEY', apiKey).set('the secret in the API key', apiKey.split('_')[2] ?? '');
    await writeFile(join(dataDirectory, 'api-key'), apiKey);
    const first = await startService(dataDirectory, {
      settings: { ...settings, BOOTSTRAP_API_KEY: apiKey },
      ...recordOutput,
    });
    const generated = readFileSync(join(dataDirectory, 'metrics-token'), 'utf8');
    secrets.set('the token in DATA_DIR/metrics-token', generated);
    const proxy = await startDatabaseProxy(dataDirectory);
    const DATABASE_URL = proxy.url;
    secrets.set('the password of the embedded database', new URL(DATABASE_URL).password);
    // No S3 store listens at this address: uploads fail, and so do requests that need an uploaded file.
    const store = { S3_BUCKET: 'a-bucket', S3_ENDPOINT: 'http://127.0.0.1:1', S3_REGION: 'nowhere' };
    const second = await startService(dataDirectory, {
      settings: { ...settings, DATABASE_URL, ...store },
      options: ['--no-worker'],
      ...recordOutput,
    });
    await useEverything(first);
    await useEverything(second);
    for (const server of [first, second]) recordProcesses(server);
    proxy.setFault({ isDown: true });
    await useEverything(second);
    proxy.heal();
    await vi.waitUntil(async () => (await send(second, { method: 'GET', path: '/readyz' }))?.status === 200, {
      timeout: 60_000,
    });
    await breakSchema(proxy.url);
    for (const server of [first, second]) await useEverything(server);
    const doctor = await spawnCommand(
      environmentOf(dataDirectory, { ...settings, DATABASE_URL, ...store }),
      'doctor',
    );
    record('doctor', doctor.output + doctor.complaints);
    for (const command of [
      ['keys', 'list'],
      ['accounts', 'list'],
      ['status', '--url', first.address, '--interval', '0'],
    ])
      record('command line', await runCommand(dataDirectory, ...command));
    await second.stop();
    proxy.close();
    await first.kill();
    await startBadly(dataDirectory);
  });
  collector.close();
  record('traces', Buffer.concat(collector.collected.map(({ bytes }) => bytes)).toString('latin1'));

  // The run was complete: answers of all kinds, an outage, faults, and output from every source.
  for (const status of [200, 401, 404, 405, 422, 500, 503])
    expect(outputs.get('log')).toContain(`"status":${status}`);
  expect([...outputs.keys()].toSorted()).toEqual(
    [ANSWERS, 'command line', 'doctor', 'list of processes', 'log', 'metrics', 'output', 'traces'].filter(
      (source) => source !== 'list of processes' || existsSync('/proc/self/cmdline'),
    ),
  );
  const leaks: string[] = [];
  for (const [source, text] of outputs)
    for (const [name, secret] of secrets) {
      const isOwn = source === ANSWERS && /^the (signature|webhook)/.test(name);
      if (!isOwn && text.includes(secret)) leaks.push(`${name} in ${source}`);
    }
  for (const [source, text] of outputs)
    if (source !== ANSWERS && text.includes(CONTENT_WORD)) leaks.push(`content in ${source}`);
  expect(leaks).toEqual([]);
});
