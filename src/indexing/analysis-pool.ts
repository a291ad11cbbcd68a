/**
 * Analyses documents in worker threads, so that the largest legal text does not hold up other requests. A thread works on
 * several documents side by side: accounts take turns, and a turn is a part of a document. So a small text of one account
 * waits for about one part of another account's large file.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Stem } from '../analysis/lexemes.ts';
import { onlyOnce } from '../concurrency/only-once.ts';
import { createShares, type Shares } from '../concurrency/shares.ts';
import type { WaitBudget } from '../concurrency/waiting-line.ts';
import { overloaded, serverEnding } from '../errors.ts';
import type { AnalysedPart, DocumentText } from './analyse-document.ts';
import { type Dialogue, openDialogue } from './analysis-dialogue.ts';

/**
 * Whose document it is, and what ends its analysis: before it begins, between two parts, or where nobody takes them. The
 * wait before it begins takes from `budget`.
 */
export type Analysed = { accountId: string; signal?: AbortSignal; budget?: WaitBudget | undefined };

/**
 * Splits and analyses a document; resolves with its parts once the first is there, while the next are analysed.
 * A few parts lie ready, and a large document (`isLarge`) keeps others waiting until all of them are taken: whoever does
 * not take them all ends their iterator, or aborts the signal.
 * A packed text that fills its buffer is gone afterwards: the thread takes it over without a copy.
 * @throws what stemming throws, unchanged, and the signal's reason; for a later part, when that is asked for
 */
export type Analyse = (document: DocumentText, analysed: Analysed) => Promise<AsyncIterable<AnalysedPart>>;

/** Ends the analysis of a document whose parts nobody takes any more. */
export async function endParts(parts: AsyncIterable<AnalysedPart>): Promise<void> {
  await parts[Symbol.asyncIterator]().return?.();
}

export type AnalysisPool = {
  analyse: Analyse;
  /** Lets an account count as there, whatever it asks for: beside it, others analyse fewer documents at a time. */
  greet(accountId: string): void;
  /** The server is about to end: documents that wait to be begun wait no longer. */
  refuseWaiting(): void;
  close(): Promise<void>;
};

/** A thread that had nothing to do for this long ends; one always stays, because starting takes half a second. */
const IDLE_TIMEOUT_MS = 60_000;

/** More documents than are ever in one thread: which of them has its turn is decided here. */
const DOCUMENTS_IN_THREAD = 1_000;

/** UTF-16 units of a text, or bytes of a packed one, up to which a document is analysed in one turn, or in few. */
const SMALL_MAX_LENGTH = 50_000;

/** Whether a text of this length is analysed in parts that are stored one by one. */
export const isLarge = (length: number): boolean => length > SMALL_MAX_LENGTH;

/** Far above what the documents that are under way take: a fault ends the thread, not the server. */
const HEAP_MAX_MEBIBYTES = 256;

/** For what is young in the heap: V8 takes up to four times as much otherwise, and is no faster with it. */
const YOUNG_MAX_MEBIBYTES = 12;

/** Small documents under way at a time: one has its turn while others wait for their stems. */
const SMALL_DOCUMENTS = 4;

/**
 * Large texts of requests under way at a time: one is analysed while the last parts of another are stored. Each takes
 * memory in its thread, and a connection for the transaction that stores it.
 */
const LARGE_TEXTS = 2;

/** Large files take ten times as much memory, and are queued anyway. */
const LARGE_FILES = 1;

/** Parts of a document that may lie ready: a quarter of a second's work, 1 MB; of rare ideographs 4 MB. */
const PARTS_AHEAD = 3;

/** A request waits for no longer: below a minute, after which most clients and proxies give up. */
const REQUEST_WAIT_MAX_MS = 50_000;

/** Documents of all accounts together that may wait; that many texts which are small are 100 MB. */
const WAITING_MAX = 1_000;

/** A worker thread and the turns in it. */
type Thread = { pool: Piscina; turns: Shares; documents: number };

const createThread = (isKept: boolean): Thread => ({
  pool: new Piscina({
    filename: fileURLToPath(new URL('./analysis-worker.ts', import.meta.url)),
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
  turns: createShares(1),
  documents: 0,
});

/**
 * Bounds how many documents of each kind are under way at a time, shared out between accounts. `isKept`: the room is
 * kept until the last part is taken.
 */
function createRooms(connections: number) {
  const small = createShares(SMALL_DOCUMENTS);
  const texts = createShares(Math.max(1, Math.min(LARGE_TEXTS, connections >> 2)));
  // Of few connections one must be left for the stems of what is being stored.
  const files = connections < 4 ? texts : createShares(LARGE_FILES);
  const rooms = [small, texts, files];
  const roomFor = (document: DocumentText): { room: Shares; isKept: boolean } => {
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
      const waiting = room.waitingOf(accountId)?.length() ?? 0;
      if (isRequest && waiting >= WAITING_MAX / room.ownerCount()) throw overloaded();
      await room.take(accountId, {
        ...(signal && { signal }),
        ...(isRequest && { budget, waitMaxMs: REQUEST_WAIT_MAX_MS }),
      });
      return found;
    },
    greet(accountId: string) {
      for (const room of rooms) room.greet(accountId);
    },
    refuseWaiting() {
      for (const room of rooms) room.refuseAll(serverEnding);
    },
  };
}

/**
 * Starts the pool; `stem` runs on this thread, where the database is. `connections` are the database's: a document
 * whose first part is being stored holds one while it waits for stems through another. `close` ends what runs.
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
        room.leave(accountId);
      });
      const turns = {
        take: takeTurn(thread.turns, accountId, signal),
        leave: () => thread.turns.leave(accountId),
      };
      const dialogue = openDialogue(thread.pool, document, { stem, turns });
      return await startParts(dialogue, { signal, end, isKept });
    },
    greet: rooms.greet,
    refuseWaiting: rooms.refuseWaiting,
    close: async () => {
      await Promise.all(threads.map(({ pool }) => pool.destroy()));
    },
  };
}

const takeTurn =
  (turns: Shares, accountId: string, signal: AbortSignal | undefined) =>
  (isReturning: boolean): Promise<void> =>
    turns.take(accountId, { isReturning, ...(signal && { signal }) });

/** `end` gives the document's room back: when its last part is made, or, where that is kept, taken. */
type Ending = { signal: AbortSignal | undefined; end: () => void; isKept: boolean };

async function startParts(dialogue: Dialogue, ending: Ending): Promise<AsyncIterable<AnalysedPart>> {
  const parts = readParts(dialogue, ending).values();
  const first = await parts.next();
  return startingWith(first.value as AnalysedPart, endingWith(parts, ending.end)); // every document has a part
}

/** The parts, made some ahead of those that are taken. */
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

/** Calls `end` when all parts are taken, or nobody takes any more. */
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
    end(); // all parts may be made already, and then there is nothing to cancel
    return (await parts.return?.()) ?? { value: undefined, done: true };
  },
});

/** Puts `first` before `rest`, and ends `rest` with itself: a generator would not before `first` is taken and left. */
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
      await rest.return?.().catch(() => {}); // what went wrong in parts that nobody asks for
      return { value: undefined, done: true };
    },
  };
}
