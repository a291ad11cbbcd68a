/**
 * Extracts the text of uploaded files in processes with limits and low priority. A process reads files of one account
 * only, and one at a time: a file that exceeds a limit ends its process, and no other file.
 */
import { availableParallelism } from 'node:os';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { onlyOnce } from '../../concurrency/only-once.ts';
import { MACHINE_MEMORY } from '../../config/machine-memory.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction } from '../extract.ts';
import { extractionMaxMsFor, MEMORY_MAX } from '../extraction-limits.ts';
import type { UploadedFile } from '../reader-context.ts';
import { createExtractionProcesses, extractIn } from './extraction-processes.ts';

/** An account's file. Its bytes are fetched shortly before its turn, so that waiting files take no memory. */
export type StoredFile = { accountId: string; fileName: string; readBytes: () => Promise<Uint8Array> };

/**
 * Returns errors of the file as failures with a reason.
 * @throws what `readBytes` throws, our own faults, and when `signal` aborts, which kills the process
 */
export type ExtractFile = (file: StoredFile, signal?: AbortSignal) => Promise<Extraction<PackedText>>;

export type ExtractionPool = { extract: ExtractFile; close(): void };

/** One processor stays free for the server. Half of the memory bounds the number of processes. */
const MEMORY_FOR = Math.floor(MACHINE_MEMORY / 2 / MEMORY_MAX);
const PROCESSES_MAX = Math.max(1, Math.min(availableParallelism() - 1, MEMORY_FOR));

/**
 * Additional processes for accounts that have no other file in extraction.
 * A file may take its process for two minutes, and files of other accounts would wait for that.
 * They share the processors. Where there is no memory for them, the files wait.
 */
const VISITING_PROCESSES_MAX = Math.max(0, Math.min(2, MEMORY_FOR - PROCESSES_MAX));

/** One spare starts while another is ready: successive starts would limit the rate of small files. */
const SPARES = Math.max(1, Math.min(2, MEMORY_FOR));

type Options = {
  maxMsFor?: typeof extractionMaxMsFor;
  program?: string;
  tell?: (lacks: string[]) => void;
};

/**
 * Starts no process yet. With the first file it calls `tell` with the bounds that this system does not allow.
 * The other options are for tests. `close` kills running processes; the next server retries their jobs.
 */
export function createExtractionPool({
  maxMsFor = extractionMaxMsFor,
  program,
  tell = () => {},
}: Options = {}): ExtractionPool {
  const processes = createExtractionProcesses({
    program,
    tell,
    spareCount: SPARES,
    keptMost: PROCESSES_MAX + VISITING_PROCESSES_MAX,
  });
  const turns = createFairSemaphore(PROCESSES_MAX, undefined, VISITING_PROCESSES_MAX);
  // A slow store does not keep other files from the processes, nor one account's files those of another account.
  const fetches = createFairSemaphore(PROCESSES_MAX, undefined, 1);
  const read = async (
    { accountId, file }: { accountId: string; file: UploadedFile },
    onSent: () => void,
    signal: AbortSignal | undefined,
  ) => {
    signal?.throwIfAborted();
    const process = processes.take(accountId, file.fileName);
    const abort = () => process.child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const { extraction, isAlive } = await extractIn(process, file, { maxMsFor, onSent });
      if (isAlive) processes.giveBack(process);
      return extraction;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
  return {
    async extract({ accountId, fileName, readBytes }, signal) {
      const wait = signal && { signal };
      await processes.prepare();
      await fetches.acquire(accountId, wait);
      const leaveFetches = onlyOnce(() => fetches.release(accountId));
      try {
        const file = { fileName, bytes: await readBytes() };
        await turns.acquire(accountId, wait);
        return await read({ accountId, file }, leaveFetches, signal).finally(() => turns.release(accountId));
      } finally {
        leaveFetches();
      }
    },
    close: processes.close,
  };
}
