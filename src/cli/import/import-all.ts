/** Imports the files that a scan has found, several at a time. */
import { stat } from 'node:fs/promises';
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../../client/errors.ts';
import { createSemaphore } from '../../client/requests/semaphore.ts';
import { inParallel } from '../../concurrency/in-parallel.ts';
import { formatBytes, pluralise } from '../../terminal/formats.ts';
import { showProgress } from '../../terminal/progress.ts';
import { explainError } from '../explain-error.ts';
import { createDocumentWaits } from './document-waits.ts';
import type { LocalFile } from './find-files.ts';
import type { ImportContext } from './import-context.ts';
import { importLocalFile } from './import-file.ts';
import { describeFailure, type ImportReport } from './import-report.ts';
import type { FileScan } from './scan-files.ts';

/** Errors that every further file would meet too. The client has repeated what it may have cured. */
const STOPPING = new Set<KnowledgeRetrievalErrorCode>([
  'UNAUTHORIZED',
  'KEY_NOT_PERMITTED',
  'KNOWLEDGE_BASE_NOT_FOUND',
  'STORAGE_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'UNEXPECTED_ANSWER',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMITED',
]);

/** After an import that has ended early. */
export const HOW_TO_GO_ON = 'Run the command again to go on.';

/** Errors that the same command meets again: it goes on with another key alone. */
const OF_THE_KEY = new Set<KnowledgeRetrievalErrorCode>(['UNAUTHORIZED', 'KEY_NOT_PERMITTED']);

/** Whether the service refuses the attributes, which are the same for all files. */
const areAttributesWrong = (error: KnowledgeRetrievalError): boolean =>
  error.errorCode === 'INPUT_VALIDATION_FAILED' &&
  Object.keys(error.data.fieldErrors).some((field) => field.startsWith('attributes'));

const isStopping = (error: unknown): error is KnowledgeRetrievalError =>
  error instanceof KnowledgeRetrievalError && (STOPPING.has(error.errorCode) || areAttributesWrong(error));

/** Runs `act`. At the first Ctrl-C or SIGTERM, calls `onEnd` and ends the process. */
async function untilSignal<T>(onEnd: () => void, act: () => Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals) => {
    onEnd();
    process.kill(process.pid, signal); // the listener has been removed before it was called
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    return await act();
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

/**
 * `waits`: whether to wait until the documents are processed. `concurrency`: files that are sent at once.
 * `onInterrupt`: called before Ctrl-C ends the process.
 */
type ImportAllOptions = {
  report: ImportReport;
  waits: boolean;
  concurrency: number;
  onInterrupt: () => void;
};

/**
 * Files in work for each one that is being sent: the others wait until the service has read them. Fewer would let the
 * service run out of work between two looks at their documents.
 */
const IN_WORK_PER_SENT = 16;

/**
 * What a file costs beside its bytes, in bytes: with it the progress of many small files and few large ones is even.
 */
const BYTES_PER_FILE = 20_000;

/** The progress of an import: files, bytes and their rate. */
function showImport({ count, totalBytes }: FileScan, countFailed: () => number) {
  const startMs = performance.now();
  /** Of the documents whose pages OCR reads now. */
  const scans = new Map<string, { done: number; of: number }>();
  let [files, bytes] = [0, 0];
  const describePages = () => {
    const [done, of] = [...scans.values()].reduce(
      (sum, pages) => [sum[0] + pages.done, sum[1] + pages.of],
      [0, 0],
    );
    return of > 0 ? `, OCR: ${done} of ${pluralise(of, 'page')}` : '';
  };
  const describe = () => {
    const failed = countFailed();
    const perSecond = Math.round((files * 1000) / Math.max(1, performance.now() - startMs));
    return (
      `${files} of ${pluralise(count, 'file')}, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}, ` +
      `${perSecond}/s${failed > 0 ? `, ${failed} failed` : ''}${describePages()}`
    );
  };
  const progress = showProgress(describe, totalBytes + count * BYTES_PER_FILE);
  return {
    advance(sizeBytes: number): void {
      files += 1;
      bytes += sizeBytes;
      progress.advance(sizeBytes + BYTES_PER_FILE);
    },
    onPages(documentId: string, pages: { done: number; of: number } | undefined): void {
      if (pages === undefined) scans.delete(documentId);
      else scans.set(documentId, pages);
      progress.advance(0);
    },
    end: progress.end,
  };
}

/** The size of a file, for the progress alone. */
const sizeOf = async ({ path, bytes }: LocalFile): Promise<number> =>
  bytes?.length ??
  (await stat(path).then(
    ({ size }) => size,
    () => 0,
  ));

/** Imports one file and reports it. @throws what every further file would meet too; then `stopping` is aborted */
async function importOne(
  file: LocalFile,
  { context, report, stopping }: { context: ImportContext; report: ImportReport; stopping: AbortController },
): Promise<void> {
  const { externalId } = file;
  try {
    const { error, ...imported } = await importLocalFile(context, file);
    report.add({ file: externalId, ...imported, ...(error && { reason: error.message }) });
  } catch (error) {
    if (stopping.signal.aborted || isStopping(error) || !(error instanceof Error)) {
      stopping.abort();
      throw error;
    }
    report.add({ file: externalId, outcome: 'failed', ...describeFailure(error) });
  }
}

/** Why an import stopped early, and how to go on. @throws an error that does not stop imports */
function whyStopped(error: unknown): string {
  if (!isStopping(error)) throw error;
  if (areAttributesWrong(error)) return error.message;
  const howToGoOn = OF_THE_KEY.has(error.errorCode) ? 'Run the command again with such a key.' : HOW_TO_GO_ON;
  return `${explainError(error)} ${howToGoOn}`;
}

/**
 * Imports the files of a scan. The client's `uploadFiles` is not used: many of these files need no upload, but a look
 * at their document, or a wait for it.
 * @returns why it stopped early; undefined: all were tried
 */
export async function importAll(
  scan: FileScan,
  given: Omit<ImportContext, 'signal' | 'waitForDocument' | 'inTurn'>,
  { report, waits, concurrency, onInterrupt }: ImportAllOptions,
): Promise<string | undefined> {
  const { counts } = report;
  const stopping = new AbortController();
  const { signal } = stopping;
  const uploads = createSemaphore(concurrency);
  const refused = counts.failed;
  const progress = showImport(scan, () => counts.failed - refused);
  const context: ImportContext = {
    ...given,
    signal,
    // An import that stops sends no further file, and still waits for those that it has sent.
    waitForDocument: waits
      ? createDocumentWaits(given.client, given.knowledgeBaseId, progress.onPages)
      : undefined,
    inTurn: (upload) => uploads.run(upload, signal),
  };
  const importNext = async (file: LocalFile) => {
    await importOne(file, { context, report, stopping });
    progress.advance(await sizeOf(file));
  };
  const onEnd = () => {
    progress.end();
    onInterrupt();
  };
  try {
    await untilSignal(onEnd, () => inParallel(scan.files(), concurrency * IN_WORK_PER_SENT, importNext));
    return undefined;
  } catch (error) {
    return whyStopped(error);
  } finally {
    progress.end();
  }
}
