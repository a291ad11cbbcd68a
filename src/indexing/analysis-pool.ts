/**
 * Analyses documents in worker threads, so that the largest legal text does not block other requests. A thread works on
 * several documents concurrently: accounts take turns, and a turn is one batch of a document. So a small text of one
 * account waits for about one batch of another account's large file.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Stem } from '../analysis/lexemes.ts';
import { createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { onlyOnce } from '../concurrency/only-once.ts';
import { siblingModule } from '../concurrency/sibling-module.ts';
import type { WaitBudget } from '../concurrency/wait-queue.ts';
import { overloaded, serverShuttingDown } from '../errors.ts';
import type { AnalysedPart, DocumentText } from './analyse-document.ts';
import { type Dialogue, openDialogue } from './analysis-dialogue.ts';

/**
 * The document's account, and the signal that ends the analysis: before its start, between two batches, or while its
 * batches wait to be consumed. The wait before its start is charged to `budget`.
 */
export type Analysed = { accountId: string; signal?: AbortSignal; budget?: WaitBudget | undefined };

/**
 * Splits and analyses a document. Resolves with its batches once the first is ready, while the next are analysed.
 *
 * - A few batches are made ahead. A large document (`isLarge`) keeps others waiting until all its batches are consumed.
 * - A caller that stops early must end the iterator or abort the signal.
 * - A packed text that fills its buffer is detached afterwards: the thread takes it over without a copy.
 * @throws what `stem` throws, unchanged, and the signal's reason; for a later batch, when that batch is requested
 */
export type Analyse = (document: DocumentText, analysed: Analysed) => Promise<AsyncIterable<AnalysedPart>>;

/** Ends the analysis of a document whose remaining batches are not needed. */
export async function endParts(parts: AsyncIterable<AnalysedPart>): Promise<void> {
  await parts[Symbol.asyncIterator]().return?.();
}

export type AnalysisPool = {
  analyse: Analyse;
  /** Counts an account as present from now on; with more accounts present, each analyses fewer documents at a time. */
  markAccountPresent(accountId: string): void;
  /** For the shutdown of the server: documents that have not started are rejected. */
  refuseWaiting(): void;
  close(): Promise<void>;
};

/** Idle threads end after this time. One always stays, because starting a thread takes half a second. */
const IDLE_TIMEOUT_MS = 60_000;

/** More documents than a thread ever has: the turns here decide, not the pool's own limit. */
const DOCUMENTS_IN_THREAD = 1_000;

/** UTF-16 units of a text, or bytes of a packed one, up to which a document takes one turn or a few. */
const SMALL_MAX_LENGTH = 50_000;

/** Whether a text of this length is analysed in batches that are stored one by one. */
export const isLarge = (length: number): boolean => length > SMALL_MAX_LENGTH;

/** Heap of a thread, far above the need of the documents in it: a fault ends the thread, not the server. */
const HEAP_MAX_MEBIBYTES = 256;

/** Heap for young objects. Without the bound V8 takes up to four times as much, and is no faster. */
const YOUNG_MAX_MEBIBYTES = 12;

/** Small documents in analysis at a time: one has its turn while others wait for their stems. */
const SMALL_DOCUMENTS = 4;

/**
 * Large texts of requests in analysis at a time: one is analysed while the last batches of another are stored. Each
 * takes memory in its thread, and a connection for the transaction that stores it.
 */
const LARGE_TEXTS = 2;

/** Large files in analysis at a time. They take ten times as much memory as texts, and are queued anyway. */
const LARGE_FILES = 1;

/** Batches of a document that are made ahead: a quarter of a second's work, 1 MB; of rare ideographs 4 MB. */
const PARTS_AHEAD = 3;

/** The longest wait of a request: below a minute, after which most clients and proxies time out. */
const REQUEST_WAIT_MAX_MS = 50_000;

/** Waiting documents of all accounts together; this many small texts are 100 MB. */
const WAITING_MAX = 1_000;

/** A worker thread and the turns in it. */
type Thread = { pool: Piscina; turns: FairSemaphore; documents: number };

const createThread = (isKept: boolean): Thread => ({
  pool: new Piscina({
    filename: siblingModule(import.meta, 'analysis-worker'),
    name: 'analyse',
    minThreads: isKept ? 1 : 0,
    maxThreads: 1,
    concurrentTasksPerWorker: DOCUMENTS_IN_THREAD,
    idleTimeout: IDLE_TIMEOUT_MS,
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: HEAP_MAX_MEBIBYTES,
      maxYoungGenerationSizeMb: YOUNG_MAX_MEBIBYTES,
    },
  }),
  turns: createFairSemaphore(1),
  documents: 0,
});

/**
 * Bounds how many documents of each kind are in analysis at a time, and shares them out between accounts. `isKept`: the
 * document keeps its permit until its last batch is consumed.
 */
function createRooms(connections: number) {
  const small = createFairSemaphore(SMALL_DOCUMENTS);
  const texts = createFairSemaphore(Math.max(1, Math.min(LARGE_TEXTS, connections >> 2)));
  // With few connections, one must stay free for the stems of the document that is being stored.
  const files = connections < 4 ? texts : createFairSemaphore(LARGE_FILES);
  const rooms = [small, texts, files];
  const roomFor = (document: DocumentText): { room: FairSemaphore; isKept: boolean } => {
    const isText = document.format === 'text';
    const length = isText ? document.content.length : document.extracted.byteLength;
    if (!isLarge(length)) return { room: small, isKept: false };
    return { room: isText ? texts : files, isKept: true };
  };
  return {
    /** @throws SERVICE_UNAVAILABLE, for texts of requests, and the signal's reason */
    async enter(document: DocumentText, { accountId, signal, budget }: Analysed) {
      const found = roomFor(document);
      const { room } = found;
      const isRequest = document.format === 'text';
      const waiting = room.queueOf(accountId)?.length() ?? 0;
      if (isRequest && waiting >= WAITING_MAX / room.ownerCount()) throw overloaded();
      await room.acquire(accountId, {
        ...(signal && { signal }),
        ...(isRequest && { budget, waitMaxMs: REQUEST_WAIT_MAX_MS }),
      });
      return found;
    },
    greet(accountId: string) {
      for (const room of rooms) room.markPresent(accountId);
    },
    refuseWaiting() {
      for (const room of rooms) room.rejectAll(serverShuttingDown);
    },
  };
}

/**
 * Starts the pool. `stem` runs on this thread, which has the database. `connections` is the size of the database's
 * pool: a document whose first batch is being stored holds one, while it waits for stems on another. `close` ends all
 * analyses.
 */
export function createAnalysisPool(stem: Stem, { connections }: { connections: number }): AnalysisPool {
  const count = Math.max(1, Math.min(availableParallelism() - 1, Math.floor(connections / 2)));
  const threads = Array.from({ length: count }, (_, i) => createThread(i === 0));
  const rooms = createRooms(connections);
  return {
    async analyse(document, analysed) {
      const { accountId, signal } = analysed;
      const { room, isKept } = await rooms.enter(document, analysed);
      const thread = threads.reduce((least, other) => (other.documents < least.documents ? other : least));
      thread.documents++;
      const end = onlyOnce(() => {
        thread.documents--;
        room.release(accountId);
      });
      const turns = {
        take: takeTurn(thread.turns, accountId, signal),
        leave: () => thread.turns.release(accountId),
      };
      const dialogue = openDialogue(thread.pool, document, { stem, turns });
      return await startParts(dialogue, { signal, end, isKept });
    },
    markAccountPresent: rooms.greet,
    refuseWaiting: rooms.refuseWaiting,
    close: async () => {
      await Promise.all(threads.map(({ pool }) => pool.destroy()));
    },
  };
}

const takeTurn =
  (turns: FairSemaphore, accountId: string, signal: AbortSignal | undefined) =>
  (isReturning: boolean): Promise<void> =>
    turns.acquire(accountId, { isReturning, ...(signal && { signal }) });

/** `end` returns the document's permit: after its last batch is made or, where `isKept`, consumed. */
type Ending = { signal: AbortSignal | undefined; end: () => void; isKept: boolean };

async function startParts(dialogue: Dialogue, ending: Ending): Promise<AsyncIterable<AnalysedPart>> {
  const parts = readParts(dialogue, ending).values();
  const first = await parts.next();
  return startingWith(first.value as AnalysedPart, endingWith(parts, ending.end)); // every document has a batch
}

/** The batches as a stream, some of them made ahead. */
function readParts(dialogue: Dialogue, { signal, end, isKept }: Ending): ReadableStream<AnalysedPart> {
  let abort = () => {};
  const finish = () => {
    signal?.removeEventListener('abort', abort);
    dialogue.close();
    if (!isKept) end();
  };
  const fail = (parts: ReadableStreamDefaultController, error: unknown) => {
    finish();
    end();
    parts.error(error);
  };
  return new ReadableStream<AnalysedPart>(
    {
      start(parts) {
        abort = () => fail(parts, signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        if (signal?.aborted) abort();
      },
      async pull(parts) {
        try {
          const part = await dialogue.nextPart();
          if (signal?.aborted) return;
          if (part.totals) finish();
          parts.enqueue(part);
          if (part.totals) parts.close();
        } catch (error) {
          if (!signal?.aborted) fail(parts, error);
        }
      },
      cancel: finish,
    },
    { highWaterMark: PARTS_AHEAD },
  );
}

/** Calls `end` after the last batch, or when the consumer stops. */
const endingWith = (
  parts: AsyncIterator<AnalysedPart, undefined>,
  end: () => void,
): AsyncIterator<AnalysedPart, undefined> => ({
  async next() {
    const result = await parts.next();
    if (result.done) end();
    return result;
  },
  async return() {
    end(); // all batches may be made already, and then the stream has nothing to cancel
    return (await parts.return?.()) ?? { value: undefined, done: true };
  },
});

/** Puts `first` before `rest`. Its `return` always ends `rest`; a generator's would not before `first` is consumed. */
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
      await rest.return?.().catch(() => {}); // errors in batches that were never requested
      return { value: undefined, done: true };
    },
  };
}
