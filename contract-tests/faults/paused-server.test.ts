/**
 * A server and a worker are paused (SIGSTOP) for longer than their leases, and continued when others have done their
 * work: nothing is doubled, and nothing newer is overwritten or told before something older.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { WebhookEvent } from '../../generated/types.gen.ts';
import { type Caller, createCaller } from '../../src/contract-check/requests/calling.ts';
import { readPages } from '../../src/contract-check/requests/read-pages.ts';
import { keepReceiver, verify } from '../harness/calls/receiver.ts';
import { type Cluster, withCluster } from '../harness/service/cluster.ts';
import type { RunningProgram } from '../harness/service/service-process.ts';

/** Longer than a worker's heartbeat (20 s), and than the lease of a webhook (30 s). */
const PAUSE_MS = 35_000;
/** A continued process has done by then what it still wanted to do. */
const SETTLED_MS = 15_000;
const settings = { WEBHOOK_PRIVATE_NETWORKS: 'allow', LOG_LEVEL: 'fatal' };

/** Pauses a process. Resolves with a function that continues it. */
function pause({ pid }: RunningProgram): () => void {
  process.kill(pid, 'SIGSTOP');
  return () => process.kill(pid, 'SIGCONT');
}

/** A text of many words, whose import takes seconds. */
const LONG_TEXT = Array.from(
  { length: 400_000 },
  (_, i) => `w${i.toString(36)}${i % 12 === 0 ? '.' : ''}`,
).join(' ');

async function importLongFile({ api }: Caller, knowledgeBaseId: string, externalId: string): Promise<string> {
  const query = { knowledgeBaseId, fileName: 'long.txt', externalId };
  return (await api.uploadFile(query, LONG_TEXT)).id;
}

/** The types of the events of each document, in the order of their first arrival. */
function typesByDocument(events: WebhookEvent[]): Map<string, string[]> {
  const types = new Map<string, string[]>();
  for (const { type, data } of events) types.set(data.id, [...(types.get(data.id) ?? []), type]);
  return types;
}

/** The number of a document's passages. Asserts that each is listed once. */
async function countPassages({ api }: Caller, documentId: string): Promise<number> {
  const pages = await readPages((cursor) => api.listPassages({ documentId, limit: 1_000, ...cursor }));
  const ids = pages.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  return ids.length;
}

async function startWatched(cluster: Cluster) {
  const server = await cluster.startServer();
  const caller = createCaller(server);
  // The first event gets no answer: the worker has its lease when it is paused.
  const receiver = await keepReceiver((n) => (n === 0 ? undefined : 204));
  const { id: knowledgeBaseId } = await caller.api.createKnowledgeBase({ name: 'Paused' });
  const { secret } = await caller.api.createWebhook({ url: receiver.url });
  return { caller, receiver, knowledgeBaseId, secret };
}

test('a worker paused in an import and in the delivery of events, while another one does both', async () => {
  await withCluster({ store: 'directory', settings }, async (cluster) => {
    const { caller, receiver, knowledgeBaseId, secret } = await startWatched(cluster);
    const { api } = caller;
    const worker = await cluster.startWorker();
    const texts = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        api.importTextContent({ knowledgeBaseId, title: `Text ${i}`, content: `The text ${i}.` }),
      ),
    );
    const older = await importLongFile(caller, knowledgeBaseId, 'long');
    await expect.poll(async () => (await api.getDocumentStatus(older)).status).toBe('processing');
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBeGreaterThan(0);
    const resume = pause(worker);

    const other = await cluster.startWorker();
    await expect
      .poll(async () => (await api.getDocumentStatus(older, 30)).status, { timeout: 90_000 })
      .toBe('processed');
    const newer = await importLongFile(caller, knowledgeBaseId, 'long');
    await expect
      .poll(async () => (await api.getDocumentStatus(newer, 30)).status, { timeout: 90_000 })
      .toBe('processed');
    for (const { id } of texts) await api.deleteDocument(id);
    const deleted = () => receiver.received.filter(({ body }) => body.includes('"document.deleted"')).length;
    await expect.poll(deleted, { timeout: 60_000 }).toBe(texts.length + 1); // the older version, too
    const passages = await countPassages(caller, newer);

    resume();
    await delay(SETTLED_MS);
    const { data } = await api.listDocuments({ knowledgeBaseId });
    expect(data.map(({ id, status }) => ({ id, status }))).toEqual([{ id: newer, status: 'processed' }]);
    expect(await countPassages(caller, newer)).toBe(passages);
    const types = typesByDocument(receiver.received.map((each) => verify(each, secret)));
    for (const { id } of texts)
      expect(new Set(types.get(id)), id).toEqual(new Set(['document.processed', 'document.deleted']));
    for (const [id, each] of types)
      expect(each.indexOf('document.deleted') < 0 || each.at(-1) === 'document.deleted', id).toBe(true);
    await Promise.all([worker.stop(), other.stop()]);
  });
});

test('a server paused in requests that their clients repeat at another server', async () => {
  await withCluster({ store: 'directory', settings }, async (cluster) => {
    const [paused, other] = [await cluster.startServer(), createCaller(await cluster.startServer())];
    const names = Array.from({ length: 40 }, () => randomUUID());
    const create = (caller: Caller, name: string) =>
      caller.request('createKnowledgeBase', { name }, { 'idempotency-key': name });
    const sent = names.map((name) => create(createCaller(paused), name));
    const settled = Promise.allSettled(sent);
    await Promise.any(sent);
    const resume = pause(paused);
    const retried = await Promise.all(
      names.map(async (name) => {
        for (;;) {
          const answer = await create(other, name).catch(() => undefined);
          if (answer?.status === 200) return answer.text;
          expect(answer?.status ?? 503).toBe(503);
          await delay(1_000);
        }
      }),
    );
    await delay(PAUSE_MS);
    resume();
    for (const [i, each] of (await settled).entries())
      if (each.status === 'fulfilled' && each.value.status === 200) expect(each.value.text).toBe(retried[i]);
    expect((await other.api.getUsage()).knowledgeBaseCount).toBe(names.length);
    await paused.stop();
  });
});
