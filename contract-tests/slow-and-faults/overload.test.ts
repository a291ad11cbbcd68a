/** More imports at once than a service can process, far more searches, and slow clients. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test, vi } from 'vitest';
import { type Answer, exchange } from '../../src/contract-check/requests/exchange.ts';
import { startLoad } from '../harness/load/mixed-load.ts';
import { countConnections } from '../harness/load/open-connections.ts';
import { readResidentBytes } from '../harness/machine/processes.ts';
import { keepForTests } from '../harness/service/kept-service.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
} from '../harness/service/service-process.ts';

/** The number of concurrent senders, their duration, and the number of slow clients. */
const { imports, searchers, loadMs, slowClients } = inject('isLong')
  ? { imports: 1_000, searchers: 400, loadMs: 20_000, slowClients: 1_000 }
  : { imports: 200, searchers: 300, loadMs: 3_000, slowClients: 300 };

/** The promised memory limit of a server, without its database. */
const MEMORY_BOUND_BYTES = 512 * 1024 ** 2;
/** Three permits for requests: a few slow clients would stop everything if they held them. */
const NARROW = { DATABASE_POOL_SIZE: '4', LOG_LEVEL: 'fatal' };
/** An import of this text, and a search with many of its words, takes long enough for a queue on any machine. */
const TEXT = 'The pangolin met the okapi at the river. '.repeat(1_000);
const QUERY = 'Where did the pangolin meet the okapi?';
/** A client's pause after a refusal, far shorter than the server asks for. */
const PAUSE_MS = 50;
/** The service's time-outs are 20 s for headers and 30 s for stalled connections. */
const CUT_TIMEOUT_MS = 60_000;

/** A request of `importTextContent` in bytes. */
const importRequest = ({ apiKey }: RunningService, body: string) =>
  `POST /v1/importTextContent HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

type Beginning = (service: RunningService, knowledgeBaseId: string, documentId: string) => string;

/** The first bytes of slow clients, which then stop. */
const SLOW: Beginning[] = [
  () => 'POST /v1/query HTTP/1.1\r\nHost: a\r\nx-slow: ',
  (service, knowledgeBaseId) => {
    const body = JSON.stringify({ knowledgeBaseId, title: 'Never', content: TEXT });
    return importRequest(service, body).slice(0, -1_000);
  },
];

/** This many slow clients request more than the kernel buffers for a connection (6 MB), and read none of it. */
const READERS = 4;
const ANSWERS_UNREAD = 30;
const requestMuch: Beginning = ({ apiKey }, _, documentId) =>
  `GET /v1/listPassages?documentId=${documentId} HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\n\r\n`.repeat(
    ANSWERS_UNREAD,
  );

async function openSlow(address: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(bytes);
  return socket;
}

/** A request of `operationId` as `exchange` sends it. */
const toSent = ({ apiKey }: RunningService, operationId: string, input: object) => ({
  method: 'POST',
  path: `/v1/${operationId}`,
  headers: { 'x-api-key': apiKey, 'content-type': 'application/json', connection: 'close' },
  body: JSON.stringify(input),
});

/** Sends searches without a pause until `ending` aborts. Returns the answers. */
async function overrun(service: NarrowService, ending: AbortSignal): Promise<Answer[]> {
  const answers: Answer[] = [];
  const sent = toSent(service, 'query', { query: QUERY, limit: 50 });
  const searcher = async () => {
    while (!ending.aborted) {
      const answer = await exchange(service.address, sent, CUT_TIMEOUT_MS);
      answers.push(answer);
      if (answer.status !== 200) await delay(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: searchers }, searcher));
  return answers;
}

/** Starts the service and creates a knowledge base. */
async function startNarrow(dataDirectory: string) {
  const service = await startService(dataDirectory, { settings: NARROW });
  return { ...service, knowledgeBaseId: await createKnowledgeBase(service, 'Overrun') };
}

type NarrowService = Awaited<ReturnType<typeof startNarrow>>;

/** Asserts until `ended` that the service answers health checks. Returns its peak memory in bytes. */
async function watchUntil(service: RunningService, ended: Promise<unknown>): Promise<number> {
  let largestBytes = readResidentBytes(service.pid);
  let isEnded = false;
  const end = ended.finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    largestBytes = Math.max(largestBytes, readResidentBytes(service.pid));
    for (const path of ['/livez', '/readyz']) {
      const { status } = await exchange(service.address, { method: 'GET', path }, CUT_TIMEOUT_MS);
      expect(status).toBe(200);
    }
    await delay(100);
  }
  await end;
  return largestBytes;
}

const toMebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** Sends imports and one search at once. Asserts that none is refused, and that the search ends first. */
async function testImports(service: NarrowService): Promise<void> {
  const { address, knowledgeBaseId } = service;
  const sent = toSent(service, 'importTextContent', { knowledgeBaseId, title: 'One of many', content: TEXT });
  const importing = Promise.all(
    Array.from({ length: imports }, () => exchange(address, sent, CUT_TIMEOUT_MS)),
  );
  const search = toSent(service, 'query', { query: 'nothing like it' });
  const searching = exchange(address, search, CUT_TIMEOUT_MS).then(() => performance.now());
  searching.catch(() => {}); // it is waited for below, after the imports
  const largestBytes = await watchUntil(service, importing);
  const endedAtMs = performance.now();
  const refused = (await importing).filter(({ status }) => status !== 200);
  process.stdout.write(`overload: ${imports} imports at once, ${toMebibytes(largestBytes)} MiB\n`);
  expect(refused).toEqual([]);
  expect(await searching).toBeLessThan(endedAtMs);
  expect(largestBytes).toBeLessThan(MEMORY_BOUND_BYTES);
}

function expectEarlyRefusal({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers['retry-after']).toBe('1');
  expect(body).toMatchObject({ success: false, errorCode: 'SERVICE_UNAVAILABLE' });
}

/** Sends more searches than the service can answer. */
async function testOverrun(service: NarrowService): Promise<void> {
  const ending = AbortSignal.timeout(loadMs);
  const answering = overrun(service, ending);
  const largestBytes = await watchUntil(service, answering);
  const answers = await answering;
  const refusals = answers.filter(({ status }) => status !== 200);
  const goodCount = answers.length - refusals.length;
  process.stdout.write(
    `overload: ${goodCount} answers, ${refusals.length} refusals, ${toMebibytes(largestBytes)} MiB\n`,
  );
  expect(goodCount).toBeGreaterThan(0);
  expect(refusals.length).toBeGreaterThan(0);
  for (const refusal of refusals) expectEarlyRefusal(refusal);
  expect(largestBytes).toBeLessThan(MEMORY_BOUND_BYTES);
}

/** Opens clients that begin a request and then stop. Resolves once the service has made their answers. */
async function openSlowClients(service: NarrowService): Promise<Socket[]> {
  const { address, apiKey, knowledgeBaseId } = service;
  const text = { knowledgeBaseId, title: 'Much to read', content: TEXT.repeat(5) };
  const { id } = await call<{ id: string }>(service, 'importTextContent', text);
  const sockets = await Promise.all(
    Array.from({ length: slowClients }, async (_, number) => {
      const begin = number < READERS ? requestMuch : SLOW[number % SLOW.length];
      return await openSlow(address, begin?.(service, knowledgeBaseId, id) ?? '');
    }),
  );
  // The service makes the unread answers before this one.
  const usage = { method: 'GET', path: '/v1/getUsage', headers: { 'x-api-key': apiKey } };
  const isAnswered = async () => (await exchange(address, usage)).status === 200;
  await vi.waitUntil(isAnswered, { timeout: 60_000, interval: 200 });
  return sockets;
}

/** Asserts that other clients are served beside many slow ones. */
async function testUndisturbed(service: NarrowService): Promise<void> {
  const load = await startLoad(service, { clients: 4 });
  await delay(loadMs);
  const { wrong, ...counts } = await load.stop();
  process.stdout.write(
    `${slowClients} slow clients: ${JSON.stringify(counts)}, ` +
      `${toMebibytes(readResidentBytes(service.pid))} MiB\n`,
  );
  expect(wrong).toEqual([]);
  expect(counts).toMatchObject({ refused: 0, cut: 0 });
  expect(counts.right).toBeGreaterThan(0);
  expect(await load.findDamage()).toEqual([]);
}

const service = await keepForTests(startNarrow);

test(`${imports} imports at once wait for their turn, and a search does not wait for them`, async () => {
  const knowledgeBaseId = await createKnowledgeBase(service, 'Imports'); // of this try alone
  await testImports({ ...service, knowledgeBaseId });
  const documents = await call<unknown[]>(service, `listDocuments?knowledgeBaseId=${knowledgeBaseId}`);
  expect(documents).toHaveLength(imports);
});

test('more searches than can be answered: some succeed, the others get 503, and memory stays bounded', async () => {
  await testOverrun(service);
});

test(`${slowClients} clients that stop in the middle of headers, body or answer do not disturb others`, async () => {
  const { address } = service;
  const sockets = await openSlowClients(service);
  await testUndisturbed(service);
  // The server keeps a few connections for the next clients.
  if (inject('isLong')) await vi.waitUntil(() => countConnections(address) < 20, { timeout: CUT_TIMEOUT_MS });
  for (const socket of sockets) socket.destroy();
});
