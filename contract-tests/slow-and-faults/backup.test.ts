/** Backs up a service in use, restores it into a new directory and compares the answers; kills backups and restores. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import type { Api } from '../../src/contract-check/requests/api.ts';
import { type Caller, createCaller } from '../../src/contract-check/requests/calling.ts';
import { runCommand, startCommand } from '../harness/service/command-line.ts';
import { type Account, openAccount } from '../harness/service/opened-account.ts';
import {
  environmentOf,
  type RunningService,
  startService,
  startWorker,
  withEmbeddedDirectory,
} from '../harness/service/service-process.ts';

/** The service imports no files until the test starts a worker. */
const WITHOUT_WORKER = { options: ['--no-worker'] };
/** The maximum of getDocumentStatus's waitSeconds. */
const WAIT_SECONDS = 30;

const WORDS = ['okapi', 'giraffe', 'zebra', 'heron', 'walrus', 'marmot', 'gecko', 'beaver'];
const textOf = (index: number) =>
  `The ${WORDS[index % WORDS.length]} number ${index} meets the ${WORDS[(index * 3 + 1) % WORDS.length]}.\n`;

/** Uploads a file. Returns its id. */
async function upload(api: Api, knowledgeBaseId: string, content: string): Promise<string> {
  const size = Buffer.byteLength(content);
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'a.txt', size });
  expect((await fetch(ticket.uploadUrl, { method: 'PUT', body: content })).status).toBe(200);
  return ticket.fileId;
}

const importNew = async (api: Api, knowledgeBaseId: string, content: string) =>
  await api.importFile(await upload(api, knowledgeBaseId, content));

async function untilDone(api: Api, documentId: string): Promise<string> {
  return (await api.getDocumentStatus(documentId, WAIT_SECONDS)).status;
}

/** Creates documents in every state, a file without an import, and a request with an idempotency key. */
async function fill({ api, request }: Caller, { dataDirectory }: RunningService, texts: number) {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({
    name: 'Backed up',
    description: 'All of it',
  });
  for (let index = 0; index < texts; index++)
    await api.importTextContent({ knowledgeBaseId, title: `text ${index}`, content: textOf(index) });
  const processed = await importNew(api, knowledgeBaseId, textOf(texts));
  const failed = await importNew(api, knowledgeBaseId, ' \n');
  const worker = await startWorker(dataDirectory);
  expect(await untilDone(api, processed.id)).toBe('processed');
  expect(await untilDone(api, failed.id)).toBe('failed');
  await worker.stop();
  const key = { 'idempotency-key': randomUUID() };
  const keyedInput = { knowledgeBaseId, title: 'Once', content: 'Only once.' };
  const { text: firstAnswer } = await request('importTextContent', keyedInput, key);
  const uploadedFileId = await upload(api, knowledgeBaseId, 'This waits for its import.');
  const pending = await importNew(api, knowledgeBaseId, 'This waits for a worker.');
  return { knowledgeBaseId, processed, pending, uploadedFileId, key, keyedInput, firstAnswer };
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** A restore queues an unfinished import again. This changes its times and its position in the queue. */
const withoutTimes = <
  T extends { status: string; createdAt?: string; updatedAt?: string; queuePosition?: number },
>(
  document: T,
) =>
  document.status === 'pending' ? { ...document, createdAt: '', updatedAt: '', queuePosition: 0 } : document;

/** The answers of every read operation to this account. */
async function observe({ api }: Caller, { knowledgeBaseId }: Filled) {
  const balance = await api.getBalance();
  const documents = (await api.listDocuments({ knowledgeBaseId, limit: 1000 })).data;
  const details = [];
  for (const { id } of documents)
    details.push(
      withoutTimes(await api.getDocument(id)),
      withoutTimes(await api.getDocumentStatus(id)),
      (await api.listPassages({ documentId: id })).data,
    );
  const found = [];
  for (const query of [...WORDS, 'gecko meets walrus', 'nothing of that'])
    found.push(await api.query({ query }));
  return {
    balance,
    usage: await api.getUsage(),
    knowledgeBases: await api.listKnowledgeBases({}),
    documents: documents.map(withoutTimes),
    details,
    found,
  };
}

/** Imports, uploads and deletes until `signal` aborts. Returns the number of rounds. */
async function churn({ api }: Caller, signal: AbortSignal): Promise<number> {
  let rounds = 0;
  for (; !signal.aborted; rounds++) {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Churned' });
    const text = await api.importTextContent({ knowledgeBaseId, title: 'text', content: textOf(rounds) });
    const file = await importNew(api, knowledgeBaseId, textOf(rounds + 1));
    await upload(api, knowledgeBaseId, textOf(rounds + 2));
    if (rounds % 3 === 0) await api.deleteKnowledgeBase(knowledgeBaseId);
    else await api.deleteDocument(rounds % 3 === 1 ? text.id : file.id);
  }
  return rounds;
}

/** Expects that the restored service has the idempotency key, the upload and the pending import. */
async function expectWorkContinues(
  { api, request }: Caller,
  filled: Filled,
  service: RunningService,
): Promise<void> {
  const again = await request('importTextContent', filled.keyedInput, filled.key);
  expect(again.text).toBe(filled.firstAnswer);
  const worker = await startWorker(service.dataDirectory);
  expect(await untilDone(api, filled.pending.id)).toBe('processed');
  const { id } = await api.importFile(filled.uploadedFileId);
  expect(await untilDone(api, id)).toBe('processed');
  await worker.stop();
}

/** Runs `use` with a temporary folder for archives and restored data directories. */
async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-restored-'));
  return await use(folder).finally(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
}

/** Starts a service on a restored data directory. Copies the file of the first API key, which no backup contains. */
async function startRestored(dataDirectory: string, source: RunningService): Promise<RunningService> {
  await copyFile(join(source.dataDirectory, 'api-key'), join(dataDirectory, 'api-key'));
  return await startService(dataDirectory, WITHOUT_WORKER);
}

/** Runs `use` with a service without workers. `kept` has documents in every state; `other` is for the churn. */
async function withFilledService(
  texts: number,
  use: (context: { service: RunningService; kept: Account; other: Caller; filled: Filled }) => Promise<void>,
): Promise<void> {
  await withEmbeddedDirectory(async (dataDirectory) => {
    const service = await startService(dataDirectory, WITHOUT_WORKER);
    const kept = await openAccount({ credits: 500 }, service);
    const other = createCaller(service);
    const filled = await fill(kept, service, texts);
    await use({ service, kept, other, filled });
    await service.stop();
  });
}

/** Starts a command and kills it once `isDue`. Returns false if the command ended before. */
async function killWhen(isDue: () => boolean, dataDirectory: string, ...args: string[]): Promise<boolean> {
  const child = startCommand(environmentOf(dataDirectory), ...args);
  child.stdout.resume();
  child.stderr.resume();
  const exited = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await vi.waitUntil(() => hasEnded() || isDue(), { timeout: 60_000, interval: 1 });
  child.kill('SIGKILL');
  await exited;
  return child.signalCode === 'SIGKILL';
}

/** Returns a function that tests whether `path` has existed for `ms` milliseconds. */
function createAgeTest(path: string, ms: number): () => boolean {
  let seen: number | undefined;
  return () => {
    if (existsSync(path)) seen ??= performance.now();
    return seen !== undefined && performance.now() - seen >= ms;
  };
}

/** Kills a backup at each delay after its first byte. A killed backup leaves no archive. */
async function killBackups({ dataDirectory }: RunningService, archive: string, delaysMs: number[]) {
  for (const ms of delaysMs) {
    const isDue = createAgeTest(`${archive}.unfinished`, ms);
    const isKilled = await killWhen(isDue, dataDirectory, 'backup', archive);
    if (isKilled) expect(existsSync(archive)).toBe(false);
    await rm(archive, { force: true });
  }
}

/** Kills a restore at each delay after its first write. No service starts on an unfinished restore. */
async function killRestores(fresh: string, archive: string, delaysMs: number[]): Promise<void> {
  const marker = join(fresh, 'restore-unfinished');
  for (const ms of delaysMs) {
    const isKilled = await killWhen(createAgeTest(marker, ms), fresh, 'restore', archive);
    // A restore removes the marker last. Without it the restore is complete, and the next one starts anew.
    if (!isKilled || !existsSync(marker)) await rm(fresh, { recursive: true, force: true });
  }
  if (existsSync(marker))
    await expect(startService(fresh, WITHOUT_WORKER)).rejects.toThrow('ended before it answered');
}

/** Backs up into `folder` while the other account churns. Returns the path of the archive. */
async function backUpDuringChurn(service: RunningService, other: Caller, folder: string): Promise<string> {
  const ending = new AbortController();
  const churning = churn(other, ending.signal);
  const archive = await runCommand(service.dataDirectory, 'backup', folder);
  ending.abort();
  expect(await churning).toBeGreaterThan(0);
  return archive;
}

/** The long form kills 30 times, each 40 ms later than before. A whole backup takes about a hundred such steps. */
const { texts, killedAfterMs } = inject('isLong')
  ? { texts: 1_000, killedAfterMs: Array.from({ length: 30 }, (_, kill) => kill * 40) }
  : { texts: 12, killedAfterMs: [0] };
const TIMEOUT_MS = inject('isLong') ? 3_600_000 : 300_000;

test(
  'a backup made during writes, restored elsewhere after killed attempts, answers as at the time of the backup',
  async () => {
    await withFilledService(texts, async ({ service, kept, other, filled }) => {
      await withFolder(async (folder) => {
        const fresh = join(folder, 'fresh');
        await killBackups(service, join(folder, 'killed.tar.zst'), killedAfterMs);
        const before = await observe(kept, filled);
        const archive = await backUpDuringChurn(service, other, folder);
        await killRestores(fresh, archive, killedAfterMs);
        expect(await runCommand(fresh, 'restore', archive)).toBe('0 problems');

        const restored = await startRestored(fresh, service);
        const restoredCaller = createCaller({ address: restored.address, apiKey: kept.apiKey });
        const balance = before.balance - before.found.length;
        expect(await observe(restoredCaller, filled)).toEqual({ ...before, balance });
        await expectWorkContinues(restoredCaller, filled, restored);
        await restored.stop();
        expect(await runCommand(fresh, 'fsck')).toBe('0 problems');
        expect(await runCommand(service.dataDirectory, 'fsck')).toBe('0 problems');
      });
    });
  },
  TIMEOUT_MS,
);
