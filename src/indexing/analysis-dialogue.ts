/** The main thread's side of a document's analysis in a worker: one step at a time, each in a turn of the account. */
import { MessageChannel } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { Stem } from '../analysis/lexemes.ts';
import type { AnalysedPart, DocumentText } from './analyse-document.ts';
import type { AnalysisMessage, AnalysisStep, AnalysisTask } from './analysis-worker.ts';

/** The turns of a thread; `isReturning`: the document continues with a batch that it has begun. */
export type Turns = { take(isReturning: boolean): Promise<void>; leave(): void };

export type Dialogue = {
  /**
   * One call at a time, and none after the last batch. @throws what `stem` and `turns` throw, and when the thread ends
   */
  nextPart(): Promise<AnalysedPart>;
  /** Ends the analysis after the running step. */
  close(): void;
};

/** The memory of a document's packed text, if the text fills its buffer. */
function packedTextOf(document: DocumentText): ArrayBuffer[] {
  if (document.format === 'text') return [];
  const { buffer, byteLength } = document.extracted;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Sends a document to a thread with its first step. A document that waits for stems leaves its turn to others. */
export function openDialogue(
  pool: Piscina<AnalysisTask, void>,
  document: DocumentText,
  { stem, turns }: { stem: Stem; turns: Turns },
): Dialogue {
  const { port1: ours, port2: port } = new MessageChannel();
  let answer = Promise.withResolvers<AnalysisMessage>();
  let [isBegun, isClosed] = [false, false];
  let ended: { error: unknown } | undefined;
  ours.on('message', (message: AnalysisMessage) => answer.resolve(message));

  const send = (step: AnalysisStep): void => {
    if (isBegun) {
      ours.postMessage(step);
      return;
    }
    isBegun = true;
    const transferList = [port, ...packedTextOf(document)];
    pool.run({ document, port }, { transferList }).then(
      () => end(new Error('nobody wants the document any more'), isClosed),
      (error: unknown) => end(error, true),
    );
  };
  /**
   * Without `isLost`, the thread's last message may still arrive after its end, so the pending step is not rejected.
   */
  const end = (error: unknown, isLost: boolean): void => {
    ended ??= { error };
    if (!isLost) return;
    answer.promise.catch(() => {}); // the step may have no waiter
    answer.reject(ended.error);
  };
  /** Runs a step in a turn of its own. */
  const run = async (step: AnalysisStep, isReturning: boolean): Promise<AnalysisMessage> => {
    await turns.take(isReturning);
    try {
      if (isClosed || ended) throw ended?.error ?? new Error('nobody wants the document any more');
      answer = Promise.withResolvers();
      send(step);
      return await answer.promise;
    } finally {
      turns.leave();
    }
  };
  return {
    async nextPart() {
      let message = await run('next part', false);
      while ('asked' in message) {
        const { language, words } = message.asked;
        message = await run({ stems: await stem(language, words) }, true);
      }
      return message.part;
    },
    close() {
      isClosed = true;
      ours.close();
      if (ended) end(ended.error, true);
    },
  };
}
