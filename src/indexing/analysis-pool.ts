/**
 * Analyses documents in worker threads, so that the largest legal text does not block other requests. A thread works on
 * several documents concurrently. Accounts take turns, and a turn is one batch of a document. So a small text of one
 * account waits for about one batch of another account's large file.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { onlyOnce } from '../concurrency/only-once.ts';
import { siblingModule } from '../concurrency/sibling-module.ts';
import { REQUEST_WAIT_MAX_MS, type RemainingWait, type WaitLimits } from '../concurrency/wait-queue.ts';
import type { Queryable } from '../database/connection/database.ts';
import { overloaded, serverShuttingDown } from '../terms/errors.ts';
import type { DocumentText, PassageBatch } from './analyse-document.ts';
import type { AnalysisTask } from './analysis-worker.ts';
import { createExpectedWait } from './expected-wait.ts';
import { createDocumentStem, type StemOver } from './stems.ts';
import { openThreadedAnalysis, type RunAnalysis, type ThreadedAnalysis } from './threaded-analysis.ts';

/**
 * The document's account, and the signal that ends the analysis: before its start, between two batches, or while its
 * batches wait to be consumed. The wait before its start counts against `remainingWait`.
 */
export type AnalysisOptions = {
  accountId: string;
  signal?: AbortSignal;
  remainingWait?: RemainingWait | undefined;
};

/**
 * The batches of a document. `stemOver` names the transaction that waits for them: the stems that they still need come
 * over its connection if no other is free.
 */
export type Batches = AsyncIterable<PassageBatch> & { stemOver?(transaction: Queryable): void };

/**
 * Splits and analyses a document. Resolves with its batches as soon as the first is ready; the others follow.
 *
 * - A few batches are made ahead. A large document (`isLarge`) keeps others waiting until all its batches are consumed.
 * - A caller that stops early must end the iterator or abort the signal.
 * - A packed text that fills its buffer is detached afterwards: the thread takes it over without a copy.
 * @throws what `stem` throws, unchanged, and the signal's reason. An error in a later batch is thrown when that batch
 * is requested.
 */
export type Analyse = (document: DocumentText, options: AnalysisOptions) => Promise<Batches>;

/** Ends the analysis of a document whose remaining batches are not needed. */
export async function endAnalysis(batches: AsyncIterable<PassageBatch>): Promise<void> {
  await batches[Symbol.asyncIterator]().return?.();
}

export type AnalysisPool = {
  analyse: Analyse;
  /** Makes an account count as present. The more accounts are present, the fewer documents each analyses at a time. */
  markAccountPresent(accountId: string): void;
  /** Rejects the documents whose analysis has not started: the server shuts down. */
  rejectWaiting(): void;
  close(): Promise<void>;
};

/**
 * Idle threads end after this time, and none starts before its first document: a thread takes 30 MB. The first long
 * text or file after a pause then waits a quarter of a second for it; short texts and queries are analysed without
 * threads.
 */
const IDLE_TIMEOUT_MS = 60_000;

/** More documents than a thread ever has: the permits here bound them, not the pool's own limit. */
const DOCUMENTS_IN_THREAD = 1_000;

/** UTF-16 units of a text, or bytes of a packed one. A document up to this length has a few batches at most. */
const SMALL_MAX_LENGTH = 50_000;

/** Whether a text of this length is analysed in batches that are stored one by one. */
export const isLarge = (length: number): boolean => length > SMALL_MAX_LENGTH;

/** Heap of a thread, far above the need of its documents. A fault that exceeds it ends the thread, not the server. */
const HEAP_MAX_MEBIBYTES = 256;

/** Heap for young objects. Without the bound V8 takes up to four times as much, and is no faster. */
const YOUNG_MAX_MEBIBYTES = 12;

/** Small documents in analysis at a time: one is analysed while others wait for their stems. */
const SMALL_DOCUMENTS = 4;

/**
 * Large texts of requests in analysis at a time: one is analysed while the last batches of another are stored. Each
 * takes memory in its thread, and a connection for the transaction that stores it.
 */
const LARGE_TEXTS = 2;

/** Large files in analysis at a time. They take ten times as much memory as texts, and no request waits for them. */
const LARGE_FILES = 1;

/** Batches of a document that are made ahead: a quarter of a second's work, 1 MB, or 4 MB of rare ideographs. */
const BATCHES_AHEAD = 3;

/** Waiting documents of all accounts together: 100 MB of small texts. */
const WAITING_MAX = 1_000;

/** A worker thread, the permit for its steps, and the number of its documents. */
type Thread = {
  run: RunAnalysis;
  close(): Promise<void>;
  permit: FairSemaphore;
  documents: number;
};

/** The module of the threads, and whether passages get vectors there. */
type ThreadSettings = { file: string; hasWordVectors: boolean };

const startPool = (file: string) =>
  new Piscina<AnalysisTask, void>({
    filename: file,
    name: 'analyse',
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: DOCUMENTS_IN_THREAD,
    idleTimeout: IDLE_TIMEOUT_MS,
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: HEAP_MAX_MEBIBYTES,
      maxYoungGenerationSizeMb: YOUNG_MAX_MEBIBYTES,
    },
  });

/**
 * A thread that fails while it starts, such as below an installation that is being replaced, fails the documents that
 * wait for it. Piscina would let them wait for ever, start no other thread, and emit an error that ends the process.
 * The next document gets a new pool.
 */
function createThread({ file, hasWordVectors }: ThreadSettings): Thread {
  let pool: Piscina<AnalysisTask, void> | undefined;
  let failed = Promise.withResolvers<never>();
  const open = () => {
    const opened = startPool(file);
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => {}); // perhaps no document waits
    opened.on('error', (error) => {
      failure.reject(error);
      if (pool === opened) pool = undefined;
      opened.destroy().catch(() => {}); // it has failed already
    });
    failed = failure;
    return opened;
  };
  return {
    run(task, options) {
      pool ??= open();
      return Promise.race([pool.run({ ...task, hasWordVectors }, options), failed.promise]);
    },
    close: async () => await pool?.destroy(),
    permit: createFairSemaphore(1),
    documents: 0,
  };
}

/** UTF-16 units of a text, or bytes of a packed one. */
function lengthOf(document: DocumentText): number {
  if (document.format === 'text') return document.content.length;
  if (document.format === 'extracted') return document.extracted.byteLength;
  if (document.format === 'files')
    return document.files.reduce((sum, { extracted }) => sum + extracted.byteLength, 0);
  return document.passages.reduce((sum, { text }) => sum + text.length, 0);
}

/** Whether no request waits for the document. */
const isOfFile = ({ format }: DocumentText): boolean => format === 'extracted' || format === 'files';

/** Creates the function that waits for the turn of a large text. */
function createAcquireText(texts: FairSemaphore, parallel: number) {
  const expected = createExpectedWait();
  /** @throws SERVICE_UNAVAILABLE, as soon as it would wait in vain */
  return async (
    accountId: string,
    { signal, remainingWait }: Pick<WaitLimits, 'signal' | 'remainingWait'>,
  ) => {
    const waitMaxMs = Math.min(REQUEST_WAIT_MAX_MS, remainingWait?.leftMs ?? Infinity);
    const place = {
      ahead: texts.queueOf(accountId)?.length() ?? 0,
      parallel: Math.max(1, Math.floor(parallel / texts.ownerCount())),
      waitMaxMs,
    };
    const watched = expected.watch(accountId, place);
    const signals = signal === undefined ? watched.signal : AbortSignal.any([signal, watched.signal]);
    await texts.acquire(accountId, { signal: signals, remainingWait, waitMaxMs }).finally(watched.end);
    return expected.begin(accountId);
  };
}

/**
 * Creates the permits for documents, which accounts share: for small documents, large texts and large files. `isKept`:
 * the document keeps its permit until its last batch is consumed.
 */
function createDocumentPermits(connections: number) {
  const small = createFairSemaphore(SMALL_DOCUMENTS);
  const parallel = Math.max(1, Math.min(LARGE_TEXTS, connections >> 2));
  const texts = createFairSemaphore(parallel);
  const files = createFairSemaphore(LARGE_FILES);
  const all = [small, texts, files];
  const acquireText = createAcquireText(texts, parallel);
  const permitsFor = (document: DocumentText): { permits: FairSemaphore; isKept: boolean } => {
    if (!isLarge(lengthOf(document))) return { permits: small, isKept: false };
    return { permits: isOfFile(document) ? files : texts, isKept: true };
  };
  return {
    /** @throws SERVICE_UNAVAILABLE, for texts of requests, and the signal's reason */
    async acquire(document: DocumentText, { accountId, signal, remainingWait }: AnalysisOptions) {
      const found = permitsFor(document);
      const { permits } = found;
      const isRequest = !isOfFile(document);
      const waiting = permits.queueOf(accountId)?.length() ?? 0;
      if (isRequest && waiting >= WAITING_MAX / permits.ownerCount()) throw overloaded();
      const limits = { ...(signal && { signal }), ...(isRequest && { remainingWait }) };
      if (permits === texts) {
        const end = await acquireText(accountId, limits);
        return { ...found, end };
      }
      await permits.acquire(accountId, { ...limits, ...(isRequest && { waitMaxMs: REQUEST_WAIT_MAX_MS }) });
      return { ...found, end: () => {} };
    },
    markPresent(accountId: string) {
      for (const permits of all) permits.markPresent(accountId);
    },
    rejectWaiting() {
      for (const permits of all) permits.rejectAll(serverShuttingDown);
    },
  };
}

/**
 * Starts the pool. `stem` runs on this thread, which has the database. `connections` is the size of the database's
 * pool: a large document holds one while its batches are stored. `close` ends all analyses.
 */
export function createAnalysisPool(
  stem: StemOver,
  {
    connections,
    hasWordVectors = true,
    file = siblingModule(import.meta, 'analysis-worker'),
  }: { connections: number } & Partial<ThreadSettings>,
): AnalysisPool {
  const count = Math.max(1, Math.min(availableParallelism() - 1, Math.floor(connections / 2)));
  const threads = Array.from({ length: count }, () => createThread({ file, hasWordVectors }));
  const documentPermits = createDocumentPermits(connections);
  return {
    async analyse(document, options) {
      const { accountId, signal } = options;
      const { permits, isKept, end: endExpected } = await documentPermits.acquire(document, options);
      const thread = threads.reduce((least, other) => (other.documents < least.documents ? other : least));
      thread.documents++;
      const end = onlyOnce(() => {
        thread.documents--;
        endExpected();
        permits.release(accountId);
      });
      const permit = {
        acquire: (isReturning: boolean) =>
          thread.permit.acquire(accountId, { isReturning, ...(signal && { signal }) }),
        release: () => thread.permit.release(accountId),
      };
      const stems = createDocumentStem(stem);
      const analysis = openThreadedAnalysis(thread.run, document, { stem: stems.stem, permit });
      const batches = await startBatches(analysis, { signal, end, isKept });
      return Object.assign(batches, { stemOver: stems.stemOver });
    },
    markAccountPresent: documentPermits.markPresent,
    rejectWaiting: documentPermits.rejectWaiting,
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** `end` returns the document's permit: after its last batch was made or, where `isKept`, consumed. */
type Ending = { signal: AbortSignal | undefined; end: () => void; isKept: boolean };

async function startBatches(
  analysis: ThreadedAnalysis,
  ending: Ending,
): Promise<AsyncIterable<PassageBatch>> {
  const batches = streamBatches(analysis, ending).values();
  const first = await batches.next();
  return startingWith(first.value as PassageBatch, endingWith(batches, ending.end)); // every document has a batch
}

/** The batches as a stream. It makes some of them ahead. */
function streamBatches(
  analysis: ThreadedAnalysis,
  { signal, end, isKept }: Ending,
): ReadableStream<PassageBatch> {
  let abort = () => {};
  const finish = () => {
    signal?.removeEventListener('abort', abort);
    analysis.close();
    if (!isKept) end();
  };
  const fail = (batches: ReadableStreamDefaultController, error: unknown) => {
    finish();
    end();
    batches.error(error);
  };
  return new ReadableStream<PassageBatch>(
    {
      start(batches) {
        abort = () => fail(batches, signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        if (signal?.aborted) abort();
      },
      async pull(batches) {
        try {
          const batch = await analysis.nextBatch();
          if (signal?.aborted) return;
          if (batch.totals) finish();
          batches.enqueue(batch);
          if (batch.totals) batches.close();
        } catch (error) {
          if (!signal?.aborted) fail(batches, error);
        }
      },
      cancel: finish,
    },
    { highWaterMark: BATCHES_AHEAD },
  );
}

/** Calls `end` after the last batch, or when the consumer stops. */
const endingWith = (
  batches: AsyncIterator<PassageBatch, undefined>,
  end: () => void,
): AsyncIterator<PassageBatch, undefined> => ({
  async next() {
    const result = await batches.next();
    if (result.done) end();
    return result;
  },
  async return() {
    end(); // when all batches are made already, the stream has nothing to cancel
    return (await batches.return?.()) ?? { value: undefined, done: true };
  },
});

/**
 * Puts `first` before `rest`. Its `return` always ends `rest`. That of a generator would not, before `first` is
 * consumed.
 */
export function startingWith<T>(first: T, rest: AsyncIterator<T, undefined>): AsyncIterableIterator<T> {
  let isStarted = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isStarted) return await rest.next();
      isStarted = true;
      return { value: first };
    },
    async return() {
      isStarted = true;
      await rest.return?.().catch(() => {}); // an error in a batch that was never requested
      return { value: undefined, done: true };
    },
  };
}
