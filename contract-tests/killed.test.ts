/** Two hundred imports end once and rightly while server, worker, PostgreSQL and reading processes are killed again and again. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Document, SearchResult } from '../generated/types.gen.ts';
import { findDescendants } from '../scripts/benchmark/processes.ts';
import {
  call,
  createKnowledgeBase,
  findPostgresPid,
  type RunningService,
  startService,
  startWorker,
  withDataDirectory,
} from '../scripts/service-process.ts';
import { createInParallel } from './lists.ts';
import { runCommand } from './running-service.ts';

const FILES = 200;
const LANES = 4;
/** Long enough for some imports between two deaths, short enough for several deaths. */
const PAUSE_MS = { least: 800, most: 2_500 };
/** Another seed kills in another order: KILL_SEED=2 npx vitest … */
const SEED = Number(process.env.KILL_SEED ?? 1);
/** That a database is away fills the log here, and is meant to. */
const QUIET = { settings: { LOG_LEVEL: 'fatal' } };
/** What a client tries in vain while something is dead. */
const RETRY_PAUSE_MS = 200;
/** The promise: a dead worker's import is taken over within a minute. A busy machine takes longer for all of them. */
const END_TIMEOUT_MS = 60_000;

/** mulberry32 (Tommy Ettinger, public domain): numbers in [0, 1), the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const isBlank = (index: number) => index % 20 === 19;
const wordOf = (index: number) => `okapi${index}x`;
const textOf = (index: number) =>
  isBlank(index) ? ' \n' : `A file that tells of the ${wordOf(index)} only.\n`;

/** The processes below these that read a file, or wait for one; Linux alone tells. */
function findReaders(pids: number[]): number[] {
  return pids.flatMap(findDescendants).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('extraction-process.ts');
    } catch {
      return false; // It has ended.
    }
  });
}

/** Who dies by turns, and who besides them: the death of a reading process takes no time from the others'. */
const VICTIMS = ['server', 'worker', 'postgres'] as const;
const SMALL_VICTIMS = process.platform === 'linux' ? (['reader'] as const) : [];
type Victim = (typeof VICTIMS | typeof SMALL_VICTIMS)[number];

/** Server and worker on one data directory, each started again whenever it is killed. */
async function startPair(dataDirectory: string) {
  const pair = {
    service: await startService(dataDirectory, QUIET),
    worker: await startWorker(dataDirectory, QUIET),
  };
  const deaths = new Map<Victim, number>([...VICTIMS, ...SMALL_VICTIMS].map((victim) => [victim, 0]));
  const next = random(SEED + 1);
  const kill = {
    async server() {
      await pair.service.kill();
      pair.service = await startService(dataDirectory, QUIET);
    },
    async worker() {
      await pair.worker.kill();
      // PostgreSQL may be away just now, as it is for an operator's supervisor, which tries again.
      await vi.waitUntil(
        async () => {
          pair.worker = await startWorker(dataDirectory, QUIET).catch(() => pair.worker);
          return isAlive(pair.worker.pid);
        },
        { timeout: 30_000, interval: RETRY_PAUSE_MS },
      );
    },
    async postgres() {
      const pid = findPostgresPid(dataDirectory);
      if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
    },
    async reader() {
      const readers = findReaders([pair.service.pid, pair.worker.pid]);
      const pid = readers[Math.floor(next() * readers.length)];
      if (pid === undefined) return false;
      process.kill(pid, 'SIGKILL');
    },
  };
  return { pair, kill, deaths };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Kills one of the victims after the other until `signal` aborts. */
async function killUntil(
  signal: AbortSignal,
  victims: readonly Victim[],
  { kill, deaths }: Awaited<ReturnType<typeof startPair>>,
) {
  const next = random(SEED);
  for (let turn = 0; !signal.aborted; turn++) {
    await delay(PAUSE_MS.least + next() * (PAUSE_MS.most - PAUSE_MS.least), undefined, { signal }).catch(
      () => {},
    );
    const victim = victims[turn < victims.length ? turn : Math.floor(next() * victims.length)];
    if (signal.aborted || victim === undefined) return;
    if ((await kill[victim]()) !== false) deaths.set(victim, (deaths.get(victim) ?? 0) + 1);
  }
}

/** Tries again what fails, as a client does that knows its requests may be repeated. */
async function persist<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch {
      await delay(RETRY_PAUSE_MS);
    }
  }
}

/** Resolves when all imports have ended; @throws after a minute in which none did: the rest is stuck. */
async function untilEnded(list: () => Promise<Document[]>): Promise<void> {
  const countUnfinished = async () => (await list()).filter(({ status }) => /^p.*ing$/.test(status)).length;
  for (let left = await countUnfinished(); left > 0; ) {
    const before = left;
    const hasEnded = async () => {
      left = await countUnfinished();
      return left < before;
    };
    await vi.waitUntil(hasEnded, { timeout: END_TIMEOUT_MS, interval: 500 });
  }
}

async function upload(service: RunningService, knowledgeBaseId: string, index: number): Promise<string> {
  const size = Buffer.byteLength(textOf(index));
  const fileName = `file ${index}.txt`;
  const ticket = await call<{ fileId: string; uploadUrl: string }>(service, 'presignUploadUrl', {
    knowledgeBaseId,
    fileName,
    size,
  });
  const { ok } = await fetch(ticket.uploadUrl, { method: 'PUT', body: textOf(index) });
  if (!ok) throw new Error('the upload was refused');
  return ticket.fileId;
}

test('SIGKILL at random loses, doubles and stalls no import, and leaves nothing that does not fit', async () => {
  await withDataDirectory(async (dataDirectory) => {
    const started = await startPair(dataDirectory);
    const { pair, deaths } = started;
    const knowledgeBaseId = await createKnowledgeBase(pair.service, 'okapis');

    const ending = new AbortController();
    const killing = Promise.all(
      [VICTIMS, SMALL_VICTIMS].map((victims) => killUntil(ending.signal, victims, started)),
    );
    let next = 0;
    const ids = new Map<number, string>();
    const lane = async () => {
      while (next < FILES) {
        const index = next++;
        const fileId = await persist(() => upload(pair.service, knowledgeBaseId, index));
        const { id } = await persist(() => call<Document>(pair.service, 'importFile', { fileId }));
        ids.set(index, id);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    ending.abort();
    await killing;
    expect(Math.min(...deaths.values())).toBeGreaterThan(0);

    const list = () =>
      persist(() => call<Document[]>(pair.service, `listDocuments?knowledgeBaseId=${knowledgeBaseId}`));
    await untilEnded(list);

    const documents = await list();
    expect(documents.map(({ id }) => id).toSorted()).toEqual([...ids.values()].toSorted());
    for (const [index, id] of ids) {
      const document = documents.find((each) => each.id === id);
      const end = isBlank(index)
        ? { status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } }
        : { status: 'processed' };
      expect(document).toMatchObject({
        title: `file ${index}.txt`,
        passageCount: isBlank(index) ? 0 : 1,
        ...end,
      });
    }
    const found = await createInParallel(FILES, async (index) => {
      const results = await call<SearchResult[]>(pair.service, 'query', { query: wordOf(index), limit: 50 });
      return results
        .filter(({ content }) => content.includes(wordOf(index)))
        .map((result) => result.document_id);
    });
    expect(found).toEqual(
      Array.from({ length: FILES }, (_, index) => (isBlank(index) ? [] : [ids.get(index)])),
    );
    const { storageUsed } = await call<{ storageUsed: number }>(pair.service, 'getUsage');
    expect(storageUsed).toBe(documents.reduce((sum, { size }) => sum + size, 0));
    expect(await runCommand(dataDirectory, 'fsck')).toBe('0 problems');
    await pair.worker.stop();
    await pair.service.stop();
  });
}, 420_000);

test('a worker alone imports what a server without workers takes, and refuses to start without a database', async () => {
  await withDataDirectory(async (dataDirectory) => {
    await expect(startWorker(dataDirectory, QUIET)).rejects.toThrow('ended before it answered');
    const service = await startService(dataDirectory, { ...QUIET, options: ['--no-worker'] });
    const knowledgeBaseId = await createKnowledgeBase(service, 'okapis');
    const fileId = await upload(service, knowledgeBaseId, 1);
    const { id } = await call<Document>(service, 'importFile', { fileId });
    const waited = await call<Document>(service, `getDocumentStatus?documentId=${id}&waitSeconds=2`);
    expect(waited.status).toBe('pending');
    const worker = await startWorker(dataDirectory, QUIET);
    const ended = await call<Document>(service, `getDocumentStatus?documentId=${id}&waitSeconds=30`);
    expect(ended.status).toBe('processed');
    await worker.stop();
    await service.stop();
  });
}, 120_000);
