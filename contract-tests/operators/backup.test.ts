/** A backup of a service that goes on, restored into a fresh place and compared; and what kills leave of either. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { type Api, type Caller, createCaller } from '../harness/calling.ts';
import { runCommand, startCommand } from '../harness/command-line.ts';
import { type Account, openAccount } from '../harness/opened-account.ts';
import {
  environmentOf,
  type RunningService,
  startService,
  startWorker,
  withDataDirectory,
} from '../harness/service-process.ts';

/** Only a worker that the test starts imports files. */
const UNATTENDED = { options: ['--no-worker'] };
/** The most that getDocumentStatus waits. */
const WAIT_SECONDS = 30;

const WORDS = ['okapi', 'giraffe', 'zebra', 'heron', 'walrus', 'marmot', 'gecko', 'beaver'];
const textOf = (index: number) =>
  `The ${WORDS[index % WORDS.length]} number ${index} meets the ${WORDS[(index * 3 + 1) % WORDS.length]}.\n`;

/** Sends a file's bytes; gives its id. */
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

/** Documents of an account in every state, a file that is not imported, and a request with a key and its answer. */
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
  const once = { knowledgeBaseId, title: 'Once', content: 'Only once.' };
  const { text: firstAnswer } = await request('importTextContent', once, key);
  const waiting = await upload(api, knowledgeBaseId, 'This waits for its import.');
  const pending = await importNew(api, knowledgeBaseId, 'This waits for a worker.');
  return { knowledgeBaseId, processed, pending, waiting, key, once, firstAnswer };
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** The time of an unfinished import begins anew with its restore, and its place among those that wait. */
const withoutTimes = <
  T extends { status: string; createdAt?: string; updatedAt?: string; queuePosition?: number },
>(
  document: T,
) =>
  document.status === 'pending' ? { ...document, createdAt: '', updatedAt: '', queuePosition: 0 } : document;

/** What every operation that only asks answers to this account. */
async function observe({ api }: Caller, { knowledgeBaseId }: Filled) {
  const balance = await api.getBalance();
  const documents = (await api.listDocuments({ knowledgeBaseId, limit: 1000 })).data;
  const each = [];
  for (const { id } of documents)
    each.push(
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
    each,
    found,
  };
}

/** Imports, uploads and deletes until `signal` aborts; gives how often. */
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

/** What must have survived besides the answers: keys, uploads, first answers, and imports that were under way. */
async function expectGoesOn(
  { api, request }: Caller,
  filled: Filled,
  service: RunningService,
): Promise<void> {
  const again = await request('importTextContent', filled.once, filled.key);
  expect(again.text).toBe(filled.firstAnswer);
  const worker = await startWorker(service.dataDirectory);
  expect(await untilDone(api, filled.pending.id)).toBe('processed');
  const { id } = await api.importFile(filled.waiting);
  expect(await untilDone(api, id)).toBe('processed');
  await worker.stop();
}

/** Runs `use` with a directory for archives and fresh places. */
async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-restored-'));
  return await use(folder).finally(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
}

/** Starts a service on a restored place; the first key is wherever its owner keeps it. */
async function startRestored(dataDirectory: string, source: RunningService): Promise<RunningService> {
  await copyFile(join(source.dataDirectory, 'api-key'), join(dataDirectory, 'api-key'));
  return await startService(dataDirectory, UNATTENDED);
}

/** A service without workers: one account has documents of every state, the first one is there to churn. */
async function withFilledService(
  texts: number,
  use: (place: { service: RunningService; kept: Account; other: Caller; filled: Filled }) => Promise<void>,
): Promise<void> {
  await withDataDirectory(async (dataDirectory) => {
    const service = await startService(dataDirectory, UNATTENDED);
    const kept = await openAccount({ credits: 500 }, service);
    const other = createCaller(service);
    const filled = await fill(kept, service, texts);
    await use({ service, kept, other, filled });
    await service.stop();
  });
}

/** Starts a command and kills it once `isDue`, unless it has ended by itself; gives whether it was killed. */
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

/** Whether `path` is there since `ms`. */
function since(path: string, ms: number): () => boolean {
  let seen: number | undefined;
  return () => {
    if (existsSync(path)) seen ??= performance.now();
    return seen !== undefined && performance.now() - seen >= ms;
  };
}

/** Kills backups so long after their first byte; none of them is there then. */
async function killBackups({ dataDirectory }: RunningService, archive: string, delaysMs: number[]) {
  for (const ms of delaysMs) {
    const isDue = since(`${archive}.unfinished`, ms);
    const isKilled = await killWhen(isDue, dataDirectory, 'backup', archive);
    if (isKilled) expect(existsSync(archive)).toBe(false);
    await rm(archive, { force: true });
  }
}

/** Kills restores so long after their first write; no service starts on what they leave. */
async function killRestores(fresh: string, archive: string, delaysMs: number[]): Promise<void> {
  const marker = join(fresh, 'restore-unfinished');
  for (const ms of delaysMs) {
    const isKilled = await killWhen(since(marker, ms), fresh, 'restore', archive);
    // All rows and files were there before the marker went.
    if (!isKilled || !existsSync(marker)) await rm(fresh, { recursive: true, force: true });
  }
  if (existsSync(marker))
    await expect(startService(fresh, UNATTENDED)).rejects.toThrow('ended before it answered');
}

/** Backs up while the other account churns; gives what is in `folder` then. */
async function backUpBesideChurn(service: RunningService, other: Caller, folder: string): Promise<string> {
  const ending = new AbortController();
  const churning = churn(other, ending.signal);
  const archive = await runCommand(service.dataDirectory, 'backup', folder);
  ending.abort();
  expect(await churning).toBeGreaterThan(0);
  return archive;
}

/** The long form kills from the first write on, in steps of which about a hundred make a whole backup. */
const { texts, killedAfterMs } = inject('isLong')
  ? { texts: 1_000, killedAfterMs: Array.from({ length: 30 }, (_, kill) => kill * 40) }
  : { texts: 12, killedAfterMs: [0] };
const TIMEOUT_MS = inject('isLong') ? 3_600_000 : 300_000;

test(
  'a backup during imports and deletions, restored elsewhere after killed tries, answers as at its moment',
  async () => {
    await withFilledService(texts, async ({ service, kept, other, filled }) => {
      await withFolder(async (folder) => {
        const fresh = join(folder, 'fresh');
        await killBackups(service, join(folder, 'killed.tar.zst'), killedAfterMs);
        const before = await observe(kept, filled);
        const archive = await backUpBesideChurn(service, other, folder);
        await killRestores(fresh, archive, killedAfterMs);
        expect(await runCommand(fresh, 'restore', archive)).toBe('0 problems');

        const restored = await startRestored(fresh, service);
        const there = createCaller({ address: restored.address, apiKey: kept.apiKey });
        const balance = before.balance - before.found.length;
        expect(await observe(there, filled)).toEqual({ ...before, balance });
        await expectGoesOn(there, filled, restored);
        await restored.stop();
        expect(await runCommand(fresh, 'fsck')).toBe('0 problems');
        expect(await runCommand(service.dataDirectory, 'fsck')).toBe('0 problems');
      });
    });
  },
  TIMEOUT_MS,
);
