/** Far more requests than a service can answer, and clients that play for time: the short and the long form in one. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readResidentBytes } from '../scripts/benchmark/processes.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  withDataDirectory,
} from '../scripts/service-process.ts';
import { type Answer, exchange } from './exchange.ts';
import { startLoad } from './mixed-load.ts';
import { countConnections } from './open-connections.ts';

/** How many send at once, for how long; and how many play for time. */
export type Size = {
  senders: number;
  loadMs: number;
  slowClients: number;
  /** Whether the time-outs are waited for, half a minute. */
  untilCut: boolean;
};

/** The promise of the memory that a server takes, without its database. */
const MEMORY_BOUND_BYTES = 512 * 1024 ** 2;
/** Three places for requests, so that a few slow ones would stop everything if they held them. */
const NARROW = { DATABASE_POOL_SIZE: '4', LOG_LEVEL: 'fatal' };
/** An import of this many characters takes long enough for a queue on any machine. */
const TEXT = 'The pangolin met the okapi at the river. '.repeat(1_000);
/** What a client waits after a refusal; far less than it is told. */
const PAUSE_MS = 50;
/** The service's time-outs for headers and for what stalls are 20 and 30 s. */
const CUT_TIMEOUT_MS = 60_000;

/** A request of `importTextContent` in bytes. */
const importRequest = ({ apiKey }: RunningService, body: string) =>
  `POST /v1/importTextContent HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

type Beginning = (service: RunningService, knowledgeBaseId: string, documentId: string) => string;

/** What slow clients send, and then no more. */
const SLOW: Beginning[] = [
  () => 'POST /v1/query HTTP/1.1\r\nHost: a\r\nx-slow: ',
  (service, knowledgeBaseId) => {
    const body = JSON.stringify({ knowledgeBaseId, title: 'Never', content: TEXT });
    return importRequest(service, body).slice(0, -1_000);
  },
];

/** So many more ask for more than the kernel keeps for a connection, 6 MB, and read nothing of it. */
const READERS = 4;
const ANSWERS_UNREAD = 30;
const askForMuch: Beginning = ({ apiKey }, _, documentId) =>
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

/** Sends imports without a pause, as long as `ending` has not come; gives what came back. */
async function overrun(
  { address, apiKey }: RunningService,
  knowledgeBaseId: string,
  { senders, ending }: { senders: number; ending: AbortSignal },
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const body = JSON.stringify({ knowledgeBaseId, title: 'One of many', content: TEXT });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', connection: 'close' };
  const sender = async () => {
    while (!ending.aborted) {
      const sent = { method: 'POST', path: '/v1/importTextContent', headers, body };
      const answer = await exchange(address, sent, CUT_TIMEOUT_MS);
      answers.push(answer);
      if (answer.status !== 200) await delay(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return answers;
}

/** Registers the tests in this size. */
export function testOverload({ senders, loadMs, slowClients, untilCut }: Size): void {
  let service: RunningService;
  let knowledgeBaseId: string;
  let end = () => {};
  let ended: Promise<void>;
  beforeAll(async () => {
    const started = Promise.withResolvers<void>();
    ended = withDataDirectory(async (dataDirectory) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      end = resolve;
      service = await startService(dataDirectory, { settings: NARROW });
      knowledgeBaseId = await createKnowledgeBase(service, 'Overrun');
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
  });

  test('more requests than can be answered: some are, the others are refused with 503, and memory stays', async () => {
    const ending = new AbortController();
    const answering = overrun(service, knowledgeBaseId, { senders, ending: ending.signal });
    let largestBytes = readResidentBytes(service.pid);
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < loadMs) {
      largestBytes = Math.max(largestBytes, readResidentBytes(service.pid));
      // What tells of the service has its turn at once.
      for (const path of ['/livez', '/readyz']) {
        expect((await exchange(service.address, { method: 'GET', path })).status).toBe(200);
      }
      await delay(100);
    }
    ending.abort();
    const answers = await answering;
    const refusals = answers.filter(({ status }) => status !== 200);
    const goodCount = answers.length - refusals.length;
    process.stdout.write(
      `overload: ${goodCount} answers, ${refusals.length} refusals, ${Math.round(largestBytes / 1024 ** 2)} MiB\n`,
    );
    expect(goodCount).toBeGreaterThan(0);
    expect(refusals.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refusals) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(body).toMatchObject({ success: false, errorCode: 'SERVICE_UNAVAILABLE' });
    }
    expect(largestBytes).toBeLessThan(MEMORY_BOUND_BYTES);
    // What was promised is there, once: nobody has repeated an import here.
    const { length } = await call<unknown[]>(service, `listDocuments?knowledgeBaseId=${knowledgeBaseId}`);
    expect(length).toBe(Math.min(goodCount, 1000));
  });

  test(`${slowClients} clients that stop in the middle of headers, body or answer do not disturb others`, async () => {
    const { id } = await call<{ id: string }>(service, 'importTextContent', {
      knowledgeBaseId,
      title: 'Much to read',
      content: TEXT.repeat(5),
    });
    const sockets = await Promise.all(
      Array.from({ length: slowClients }, async (_, number) => {
        const begin = number < READERS ? askForMuch : SLOW[number % SLOW.length];
        return await openSlow(service.address, begin?.(service, knowledgeBaseId, id) ?? '');
      }),
    );
    // The answers that nobody reads are work as well, and made first.
    const usage = { method: 'GET', path: '/v1/getUsage', headers: { 'x-api-key': service.apiKey } };
    await vi.waitUntil(async () => (await exchange(service.address, usage)).status === 200, {
      timeout: 60_000,
      interval: 200,
    });
    const load = await startLoad(service, { clients: 4 });
    await delay(loadMs);
    const { wrong, ...counts } = await load.stop();
    process.stdout.write(
      `${slowClients} slow clients: ${JSON.stringify(counts)}, ` +
        `${Math.round(readResidentBytes(service.pid) / 1024 ** 2)} MiB\n`,
    );
    expect(wrong).toEqual([]);
    expect(counts).toMatchObject({ refused: 0, cut: 0 });
    expect(counts.right).toBeGreaterThan(0);
    expect(await load.findDamage()).toEqual([]);
    // A handful is kept for whoever comes next.
    if (untilCut)
      await vi.waitUntil(() => countConnections(service.address) < 20, { timeout: CUT_TIMEOUT_MS });
    for (const socket of sockets) socket.destroy();
  });
}
