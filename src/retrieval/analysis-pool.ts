/** Analyses documents in worker threads, so that the largest legal text does not hold up other requests. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { AnalysedPart, DocumentText } from './analysis.ts';
import type { AnalysisMessage, AnalysisTask, StemReply, StemRequest } from './analysis-worker.ts';
import type { Stem } from './lexemes.ts';
import { createPace, endPace, takeOne } from './pace.ts';

/**
 * Splits and analyses a document; resolves with its parts once the first is there, while the next are analysed.
 * A few parts lie ready, then the thread waits until one is taken: whoever does not take them all ends their iterator,
 * or no other document would have its turn.
 * A packed text that fills its buffer is gone afterwards: the thread takes it over without a copy.
 * @throws what stemming throws, unchanged; for a later part, when that is asked for
 */
export type Analyse = (document: DocumentText) => Promise<AsyncIterable<AnalysedPart>>;

/** Ends the analysis of a document whose parts nobody takes any more. */
export async function endParts(parts: AsyncIterable<AnalysedPart>): Promise<void> {
  await parts[Symbol.asyncIterator]().return?.();
}

export type AnalysisPool = { analyse: Analyse; close(): Promise<void> };

/** A thread that had nothing to do for this long ends; one always stays, because starting takes half a second. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Starts the pool; `stem` runs on this thread, where the database is. `connections` are the database's: a document
 * whose first part is being stored may hold one while it waits for stems through another, so that there are at most
 * half as many threads, and one less than the machine has cores. `close` ends what runs.
 */
export function createAnalysisPool(stem: Stem, { connections }: { connections: number }): AnalysisPool {
  const threads = Math.max(1, Math.min(availableParallelism() - 1, Math.floor(connections / 2)));
  const pool = new Piscina<AnalysisTask, void>({
    filename: fileURLToPath(new URL('./analysis-worker.ts', import.meta.url)),
    name: 'analyse',
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_TIMEOUT_MS,
    env: {},
  });
  return {
    analyse: (document) => startAnalysis(pool, document, stem),
    close: () => pool.destroy(),
  };
}

/** The memory of a document's packed text, where there is nothing else in it. */
function packedTextOf(document: DocumentText): ArrayBuffer[] {
  if (document.format === 'text') return [];
  const { buffer, byteLength } = document.extracted;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

async function startAnalysis(
  pool: Piscina<AnalysisTask, void>,
  document: DocumentText,
  stem: Stem,
): Promise<AsyncIterable<AnalysedPart>> {
  const pace = createPace();
  const parts = analyseIn(pool, { document, pace }, stem).values();
  const first = await parts.next();
  return startingWith(first.value as AnalysedPart, paced(parts, pace)); // every document has a part
}

/** Parts of which each that is asked for tells that the one before was taken. */
const paced = <T>(parts: AsyncIterator<T>, pace: SharedArrayBuffer): AsyncIterator<T> => ({
  next() {
    takeOne(pace);
    return parts.next();
  },
  return: async () => (await parts.return?.()) ?? { value: undefined, done: true },
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

/**
 * The parts as a worker posts them; whoever cancels them ends its work. The last part ends them, and not the worker's
 * end, which may be heard of before its last message.
 */
function analyseIn(
  pool: Piscina<AnalysisTask, void>,
  task: Omit<AnalysisTask, 'port'>,
  stem: Stem,
): ReadableStream<AnalysedPart> {
  const { port1: ours, port2: port } = new MessageChannel();
  let failure: { error: unknown } | undefined;
  let isRead = true;
  const answer = async ({ language, words }: StemRequest): Promise<void> => {
    const reply: StemReply = { stems: undefined };
    try {
      reply.stems = await stem(language, words);
    } catch (error) {
      failure = { error };
    }
    ours.postMessage(reply);
  };
  return new ReadableStream({
    start(parts) {
      ours.on('message', (message: AnalysisMessage) => {
        if ('asked' in message) return void answer(message.asked);
        if (isRead) parts.enqueue(message.part);
        if (message.part.totals === undefined) return;
        if (isRead) parts.close();
        ours.close();
      });
      const transferList = [port, ...packedTextOf(task.document)];
      const ended = pool.run({ ...task, port }, { transferList }).catch((error) => {
        ours.close();
        if (isRead) parts.error(failure ? failure.error : error);
      });
      ended.then(() => isRead || ours.close());
    },
    cancel() {
      isRead = false;
      endPace(task.pace);
    },
  });
}
