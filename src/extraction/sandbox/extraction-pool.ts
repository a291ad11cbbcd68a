/**
 * Extracts the text of uploaded files in processes with limits and low priority. A process reads files of one account
 * only, and one at a time: a file that exceeds a limit ends its process, and no other file.
 */
import { availableParallelism } from 'node:os';
import type { Language } from '../../analysis/language.ts';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { onlyOnce } from '../../concurrency/only-once.ts';
import { MACHINE_MEMORY } from '../../config/machine-memory.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import type { Extraction } from '../extract.ts';
import { extractionMaxMsFor, MEMORY_MAX } from '../extraction-limits.ts';
import type { FileToExtract } from '../reader-context.ts';
import { type LanguageData, languagesToTry } from '../recognition/ocr-languages.ts';
import type { RecognisedPages } from '../recognition/recognition.ts';
import { createExtractionProcesses, type ExtractionProcesses, extractIn } from './extraction-processes.ts';

/** An account's file. Its bytes are fetched shortly before its turn, so that waiting files take no memory. */
export type StoredFile = {
  accountId: string;
  fileName: string;
  /** The encoding of its text as its server has named it; null: it has not. */
  charset?: string | null;
  readBytes: () => Promise<Uint8Array>;
  /** The languages that its text is likely in, the likeliest first: asked where OCR has several to try. */
  expectedLanguages?: () => Promise<Language[]>;
  /** Hears how many pages OCR has recognised. */
  onPages?: (pages: RecognisedPages) => void;
};

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
  onLacks?: (lacks: string[]) => void;
  /** Of the text in pictures; empty: they are not read. */
  languages?: readonly LanguageData[];
};

type Ocr = Pick<StoredFile, 'onPages'> & { languages: readonly LanguageData[] };

type ReadOptions = {
  processes: ExtractionProcesses;
  maxMsFor: typeof extractionMaxMsFor;
  onSent: () => void;
  signal: AbortSignal | undefined;
};

/** Reads a file in a process of its account. @throws when `signal` aborts, which kills the process */
async function readIn(
  { accountId, file, ...ocr }: { accountId: string; file: FileToExtract } & Ocr,
  { processes, maxMsFor, onSent, signal }: ReadOptions,
): Promise<Extraction<PackedText>> {
  signal?.throwIfAborted();
  const process = processes.take(accountId, file.fileName);
  const abort = () => process.child.kill('SIGKILL');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const { extraction, isAlive } = await extractIn(process, file, { maxMsFor, onSent, ...ocr });
    if (isAlive) processes.giveBack(process);
    return extraction;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Starts no process yet. With the first file it calls `onLacks` with the bounds that this system does not allow.
 * The other options are for tests. `close` kills running processes; the next server retries their jobs.
 */
export function createExtractionPool({
  maxMsFor = extractionMaxMsFor,
  program,
  onLacks = () => {},
  languages = [],
}: Options = {}): ExtractionPool {
  const processes = createExtractionProcesses({
    program,
    onLacks,
    spareCount: SPARES,
    keptMost: PROCESSES_MAX + VISITING_PROCESSES_MAX,
  });
  const permits = createFairSemaphore(PROCESSES_MAX, undefined, VISITING_PROCESSES_MAX);
  // Reads have permits of their own: a slow store blocks neither the processes nor other accounts.
  const fetches = createFairSemaphore(PROCESSES_MAX, undefined, 1);
  return {
    async extract({ accountId, fileName, charset, readBytes, expectedLanguages, onPages }, signal) {
      const wait = signal && { signal };
      await processes.prepare();
      await fetches.acquire(accountId, wait);
      const leaveFetches = onlyOnce(() => fetches.release(accountId));
      try {
        const file = { fileName, bytes: await readBytes(), charset: charset ?? undefined };
        const expected = languages.length > 1 ? await expectedLanguages?.() : undefined;
        const ocr = { languages: languagesToTry(languages, expected ?? []), ...(onPages && { onPages }) };
        await permits.acquire(accountId, wait);
        const options = { processes, maxMsFor, onSent: leaveFetches, signal };
        return await readIn({ accountId, file, ...ocr }, options).finally(() => permits.release(accountId));
      } finally {
        leaveFetches();
      }
    },
    close: processes.close,
  };
}
