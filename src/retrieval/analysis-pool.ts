/** Analyses documents in worker threads, so that the largest legal text does not hold up other requests. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Analysis, DocumentText } from './analysis.ts';
import type { AnalysisTask, StemReply, StemRequest } from './analysis-worker.ts';
import type { Stem } from './lexemes.ts';

/** Splits and analyses a document. @throws what stemming throws, unchanged */
export type Analyse = (document: DocumentText) => Promise<Analysis>;

export type AnalysisPool = { analyse: Analyse; close(): Promise<void> };

/** A thread that had nothing to do for this long ends; one always stays, because starting takes half a second. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Starts the pool; `stem` runs on this thread, where the database is. `threads` is the most threads, by default
 * one less than the machine has cores. `close` ends what runs.
 */
export function createAnalysisPool(
  stem: Stem,
  { threads = Math.max(1, availableParallelism() - 1) }: { threads?: number } = {},
): AnalysisPool {
  const pool = new Piscina<AnalysisTask, Analysis>({
    filename: fileURLToPath(new URL('./analysis-worker.ts', import.meta.url)),
    name: 'analyse',
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_TIMEOUT_MS,
    env: {},
  });
  return {
    analyse: (document) => analyseIn(pool, document, stem),
    close: () => pool.destroy(),
  };
}

async function analyseIn(
  pool: Piscina<AnalysisTask, Analysis>,
  document: DocumentText,
  stem: Stem,
): Promise<Analysis> {
  const { port1: ours, port2: stems } = new MessageChannel();
  let failure: { error: unknown } | undefined;
  ours.on('message', async ({ language, words }: StemRequest) => {
    const reply: StemReply = { stems: undefined };
    try {
      reply.stems = await stem(language, words);
    } catch (error) {
      failure = { error };
    }
    ours.postMessage(reply);
  });
  try {
    return await pool.run({ document, stems }, { transferList: [stems] });
  } catch (error) {
    throw failure ? failure.error : error;
  } finally {
    ours.close();
  }
}
