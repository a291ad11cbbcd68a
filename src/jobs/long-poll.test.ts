/** A long poll is answered soon after its document has its final status, and delays no other request. */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';
import { createTelemetry, type Meter, unmetered } from '../telemetry/telemetry.ts';
import { parseDocumentId } from '../terms/ids.ts';
import { importFile } from './importing/import-file.ts';
import type { LongPolls } from './long-poll.ts';

let suite: TestService;
let knowledgeBaseId: string;
/** The number of open long polls. */
let open = 0;
/** What the metrics count of getDocumentStatus. */
const counts: { seconds: number }[] = [];

const counted = ({ untilFinal, end }: LongPolls): LongPolls => ({
  async untilFinal(...wait) {
    open += 1;
    await untilFinal(...wait);
    open -= 1;
  },
  end,
});

// Without workers, so that documents stay pending. With two connections, to show that no long poll holds one.
beforeAll(async () => {
  const requestEnded: Meter['requestEnded'] = (ended) => {
    if (ended.operation === 'getDocumentStatus') counts.push(ended);
  };
  suite = await startTestService({
    settings: { DATABASE_POOL_SIZE: '2' },
    runsWorkers: false,
    change: ({ longPolls }) => ({
      longPolls: counted(longPolls),
      telemetry: createTelemetry({ ...unmetered, requestEnded }),
    }),
  });
  const { body } = await suite.call('createKnowledgeBase', { name: 'waits' });
  knowledgeBaseId = String(body.data.id);
});
afterAll(() => suite.close());

async function importPending(): Promise<string> {
  const { body: ticket } = await suite.call('presignUploadUrl', {
    knowledgeBaseId,
    fileName: 'a.txt',
    size: 4,
  });
  await fetch(String(ticket.data.uploadUrl), { method: 'PUT', body: 'text' });
  return String((await suite.call('importFile', { fileId: ticket.data.fileId })).body.data.id);
}

const path = (documentId: string, waitSeconds: number) =>
  `getDocumentStatus?documentId=${documentId}&waitSeconds=${waitSeconds}`;

const runImport = (documentId: string) =>
  importFile(suite.service, {
    payload: parseDocumentId(documentId, undefined),
    signal: new AbortController().signal,
  });

const untilOpen = (count: number) => vi.waitUntil(() => open === count, { timeout: 60_000, interval: 5 });

/** Sends a long poll that nobody wants to be answered. */
function hold(documentId: string, waitSeconds: number) {
  const headers = { 'x-api-key': suite.apiKey };
  const sent = request(`${suite.address}/v1/${path(documentId, waitSeconds)}`, { headers }).end();
  return sent.on('error', () => {});
}

test('forty long polls hold no connection, and are answered soon after the import', async () => {
  const [documentId, unfinished] = [await importPending(), await importPending()];
  const answers = Array.from({ length: 40 }, () => suite.call(path(documentId, 30)));
  await untilOpen(40);
  expect((await suite.call('getUsage')).status).toBe(200);
  await runImport(documentId);
  const runOut = vi.fn();
  const short = hold(unfinished, 5).on('response', runOut);
  const statuses = (await Promise.all(answers)).map(({ body }) => body.data.status);
  expect(new Set(statuses)).toEqual(new Set(['processed']));
  expect(runOut).not.toHaveBeenCalled();
  await untilOpen(1);
  short.destroy();
  await untilOpen(0);
});

test('allows 1,000 long polls an account and 4,000 in all; one more ends one of the largest account', async () => {
  const document = parseDocumentId(await importPending(), undefined);
  const ending = new AbortController();
  const ended: string[] = [];
  const wait = (accountId: string) => {
    const waiting = suite.service.longPolls.untilFinal(
      { ...document, accountId },
      { seconds: 30, signal: ending.signal },
    );
    void waiting.then(() => ended.push(accountId));
  };
  for (let number = 0; number < 1_100; number++) wait('a');
  wait('b');
  await untilOpen(1_001);
  expect(ended).toEqual(Array(100).fill('a'));
  for (const other of ['c', 'd', 'e']) for (let number = 0; number < 999; number++) wait(other);
  for (let number = 0; number < 3; number++) wait('b');
  await untilOpen(4_000);
  expect(ended).toEqual(Array(101).fill('a'));
  ending.abort();
  await untilOpen(0);
});

test('answers the unfinished status after waitSeconds', async () => {
  const documentId = await importPending();
  const start = performance.now();
  const { body } = await suite.call(path(documentId, 1));
  expect(body.data.status).toBe('pending');
  expect(performance.now() - start).toBeGreaterThan(990);
});

test('the metrics count no wait that a client has asked for, whether it gets its answer or hangs up', async () => {
  const documentId = await importPending();
  const countedBefore = counts.length;
  const startMs = performance.now();
  await suite.call(path(documentId, 1));
  const sent = hold(documentId, 30);
  await untilOpen(1);
  await delay(1_100);
  sent.destroy();
  await vi.waitUntil(() => counts.length === countedBefore + 2);
  const tookSeconds = (performance.now() - startMs) / 1000;
  const countedSeconds = counts.slice(countedBefore).reduce((sum, { seconds }) => sum + seconds, 0);
  // Both waits took two seconds of it.
  expect(countedSeconds).toBeLessThan(tookSeconds - 2);
});

test('answers 404 as soon as the document or its knowledge base is deleted', async () => {
  const documentId = await importPending();
  const waiting = suite.call(path(documentId, 30));
  await untilOpen(1);
  await suite.call('deleteDocument', { documentId });
  expect((await waiting).status).toBe(404);

  const { body } = await suite.call('createKnowledgeBase', { name: 'to be deleted' });
  const kept = knowledgeBaseId;
  knowledgeBaseId = String(body.data.id);
  const inDeleted = await importPending();
  const alsoWaiting = suite.call(path(inDeleted, 30));
  await untilOpen(1);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
  expect((await alsoWaiting).status).toBe(404);
  knowledgeBaseId = kept;
});

test('ends when the client disconnects', async () => {
  const documentId = await importPending();
  const sent = hold(documentId, 30);
  await untilOpen(1);
  sent.destroy();
  await untilOpen(0);
});

// Must be the last test: afterwards this service accepts no long polls.
test('ends when the server stops, and further long polls are answered at once', async () => {
  const documentId = await importPending();
  const waiting = suite.call(path(documentId, 30));
  await untilOpen(1);
  suite.service.longPolls.end();
  expect((await waiting).body.data.status).toBe('pending');
  expect((await suite.call(path(documentId, 30))).body.data.status).toBe('pending');
});
