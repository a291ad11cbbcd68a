/**
 * The main thread's side of a document's analysis in a worker thread. The analysis runs one step at a time. Each step
 * needs the thread's permit, which the account shares with others.
 */
import { MessageChannel, type Transferable } from 'node:worker_threads';
import type { Stem } from '../analysis/lexemes.ts';
import type { DocumentText, PassageBatch } from './analyse-document.ts';
import type { AnalysisMessage, AnalysisStep, AnalysisTask } from './analysis-worker.ts';

/** The permit to use the thread for a step. `isReturning`: the step continues a batch that has begun. */
export type ThreadPermit = { acquire(isReturning: boolean): Promise<void>; release(): void };

/** Runs the analysis of a document in a thread. @throws an error when the thread ends, or cannot start */
export type RunAnalysis = (
  task: Omit<AnalysisTask, 'hasWordVectors'>,
  options: { transferList: Transferable[] },
) => Promise<void>;

export type ThreadedAnalysis = {
  /**
   * Allows one call at a time, and none after the last batch.
   * @throws what `stem` and `permit` throw, and an error when the thread ends
   */
  nextBatch(): Promise<PassageBatch>;
  /** Ends the analysis after the running step. */
  close(): void;
};

/** The memory to transfer to the thread: the buffer of a packed text, if the text fills it. */
function packedTextOf(document: DocumentText): ArrayBuffer[] {
  if (document.format !== 'extracted') return [];
  const { buffer, byteLength } = document.extracted;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** A thread that analyses a document. Its first step starts it. */
function createThread(runAnalysis: RunAnalysis, document: DocumentText) {
  const { port1: ours, port2: port } = new MessageChannel();
  let reply = Promise.withResolvers<AnalysisMessage>();
  let [isStarted, isClosed] = [false, false];
  let ended: { error: unknown } | undefined;
  ours.on('message', (message: AnalysisMessage) => reply.resolve(message));

  const send = (step: AnalysisStep): void => {
    if (isStarted) {
      ours.postMessage(step);
      return;
    }
    isStarted = true;
    const transferList = [port, ...packedTextOf(document)];
    runAnalysis({ document, port }, { transferList }).then(
      () => end(new Error('the analysis was closed'), isClosed),
      (error: unknown) => end(error, true),
    );
  };
  /** Without `isLost`, the pending step is not rejected: the thread's last message may still arrive after its end. */
  const end = (error: unknown, isLost: boolean): void => {
    ended ??= { error };
    if (!isLost) return;
    reply.promise.catch(() => {}); // perhaps no step is running
    reply.reject(ended.error);
  };
  return {
    async run(step: AnalysisStep): Promise<AnalysisMessage> {
      if (isClosed || ended) throw ended?.error ?? new Error('the analysis was closed');
      reply = Promise.withResolvers();
      send(step);
      return await reply.promise;
    },
    close(): void {
      isClosed = true;
      ours.close();
      if (ended) end(ended.error, true);
    },
  };
}

/** Sends a document to a thread with its first step. A document that waits for stems does not hold the permit. */
export function openThreadedAnalysis(
  runAnalysis: RunAnalysis,
  document: DocumentText,
  { stem, permit }: { stem: Stem; permit: ThreadPermit },
): ThreadedAnalysis {
  const thread = createThread(runAnalysis, document);
  /** Runs a step with the thread's permit. */
  const run = async (step: AnalysisStep, isReturning: boolean): Promise<AnalysisMessage> => {
    await permit.acquire(isReturning);
    return await thread.run(step).finally(permit.release);
  };
  return {
    async nextBatch() {
      let message = await run('next batch', false);
      while ('stemRequest' in message) {
        const { language, words } = message.stemRequest;
        message = await run({ stems: await stem(language, words) }, true);
      }
      return message.batch;
    },
    close: thread.close,
  };
}
