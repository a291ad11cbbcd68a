/**
 * Two servers and a worker on one database and one S3 store: what one of them has done is done for all. Other tests
 * have more of that: rate-limit, authentication (revoked keys), rolling-restart, killed, paused-server.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { type Cluster, startCluster } from '../../harness/service/cluster.ts';

const OVERLOAD_PAUSE_MS = 500;
/** The longest that a client may ask for. */
const WAIT_SECONDS = 30;
/** A wait that runs out shortly before one of WAIT_SECONDS. */
const SHORTER_WAIT_SECONDS = 27;

let cluster: Cluster;
let first: Caller & { kill(): Promise<void> };
let second: Caller;
let knowledgeBaseId: string;

const startServer = async () => {
  const server = await cluster.startServer();
  return { ...server, ...createCaller(server) };
};

beforeAll(async () => {
  cluster = await startCluster({ store: 's3', settings: { VALIDATE_RESPONSES: 'true' } });
  [first, second] = await Promise.all([startServer(), startServer()]);
  ({ id: knowledgeBaseId } = await first.api.createKnowledgeBase({ name: 'Several' }));
});
afterAll(() => cluster.stop());

/** Requests for every operation that takes an Idempotency-Key, each with a name and a key of its own. */
function newRequests(count: number): { operationId: OperationId; input: object; key: object }[] {
  const inputs = (name: string): [OperationId, object][] => [
    ['createKnowledgeBase', { name }],
    ['importTextContent', { knowledgeBaseId, title: name, content: `The text ${name}.` }],
    ['presignUploadUrl', { knowledgeBaseId, fileName: `${name}.txt`, size: 4 }],
    ['createWebhook', { url: `https://example.com/${name}`, events: ['document.failed'] }],
  ];
  return Array.from({ length: count }, () => inputs(randomUUID())).flatMap((all) =>
    all.map(([operationId, input]) => ({
      operationId,
      input,
      key: { 'idempotency-key': randomUUID() },
    })),
  );
}

type KeyedRequest = ReturnType<typeof newRequests>[number];

/** Sends a request, and again while the server is overloaded: a busy machine refuses some. */
async function send(caller: Caller, { operationId, input, key }: KeyedRequest): Promise<Answer> {
  for (;;) {
    const answer = await caller.request(operationId, input, { ...key });
    if (answer.status !== 503) return answer;
    await delay(OVERLOAD_PAUSE_MS);
  }
}

/** The numbers of knowledge bases, documents and webhooks. */
async function countEffects(): Promise<number[]> {
  const { knowledgeBaseCount } = await second.api.getUsage();
  const documents = await second.api.listDocuments({ knowledgeBaseId, limit: 50 });
  const webhooks = await second.api.listWebhooks();
  return [knowledgeBaseCount, documents.data.length, webhooks.data.length];
}

/** Webhooks are the fewest that an account may have. */
const ROUNDS = 4;

test('the same requests at two servers at once have one effect each, and get the same answers', async () => {
  const before = await countEffects();
  const requests = newRequests(ROUNDS);
  const answers = await Promise.all(
    requests.map((each) => Promise.all([first, second].map((server) => send(server, each)))),
  );
  for (const [left, right] of answers)
    expect([left?.status, right?.status, right?.text]).toEqual([200, 200, left?.text]);
  expect(await countEffects()).toEqual(before.map((count) => count + ROUNDS));
});

test('requests of a killed server have one effect each after they are sent to another one', async () => {
  const before = await countEffects();
  const requests = newRequests(ROUNDS);
  const sent = requests.map((each) => send(first, each));
  const settled = Promise.allSettled(sent);
  await Promise.any(sent);
  await first.kill();
  const answered = (await settled).map((each) => (each.status === 'fulfilled' ? each.value.text : undefined));
  expect(answered).toContain(undefined);
  const retried = await Promise.all(requests.map((each) => send(second, each)));
  for (const [i, { status, text }] of retried.entries())
    expect([status, text]).toEqual([200, answered[i] ?? text]);
  expect(await countEffects()).toEqual(before.map((count) => count + ROUNDS));
  first = await startServer();
});

/** Uploads a file through one server and imports it through the other. Returns the id of its document. */
async function importContent(content: string): Promise<string> {
  const file = { knowledgeBaseId, fileName: 'seen.txt', size: content.length };
  const { fileId, uploadUrl } = await first.api.presignUploadUrl(file);
  expect((await fetch(uploadUrl, { method: 'PUT', body: content })).status).toBe(200);
  return (await second.api.importFile(fileId)).id;
}

/** Imports a file that no worker takes: its status stays pending. */
async function importPostponed(): Promise<string> {
  const id = await importContent('A file that waits.');
  const client = new pg.Client(cluster.databaseUrl);
  await client.connect();
  const { rowCount } = await client.query(
    "UPDATE knowledge_retrieval.knowledge_jobs SET due_at = now() + interval '10 minutes' WHERE document_id = $1::uuid",
    [id.split('_').at(-1)], // the document's own id, after that of its knowledge base
  );
  await client.end();
  expect(rowCount).toBe(1);
  return id;
}

/** Whether a wait at each server for `documentId` ends before a shorter one that runs out. */
async function areWoken(documentId: string): Promise<boolean> {
  let hasRunOut = false;
  const runOut = () => {
    hasRunOut = true;
  };
  first.api.getDocumentStatus(await importPostponed(), SHORTER_WAIT_SECONDS).then(runOut, runOut);
  const waits = [first, second].map(({ api }) => api.getDocumentStatus(documentId, WAIT_SECONDS));
  for (const { status } of await Promise.all(waits)) expect(status).toBe('processed');
  return !hasRunOut;
}

test('a file goes through one server, the import through another, work to a worker; waits end at once', async () => {
  const content = 'A file that several machines have seen.';
  const id = await importContent(content);
  const woken = areWoken(id);
  const worker = await cluster.startWorker();
  expect(await woken).toBe(true);
  const { downloadUrl } = await first.api.presignDownloadUrl(id);
  expect(await (await fetch(downloadUrl)).text()).toBe(content);
  const found = await second.api.query({ query: 'several machines', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found[0]?.document_id).toBe(id);
  await worker.stop();
});
