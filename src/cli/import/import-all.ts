/** Imports the files that a survey has found, several at a time. */
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../../client/errors.ts';
import { inParallel } from '../../concurrency/in-parallel.ts';
import { pluralise } from '../../terminal/formats.ts';
import { showProgress } from '../../terminal/progress.ts';
import { explainError } from '../explain-error.ts';
import type { LocalFile } from './find-files.ts';
import { type ImportContext, importFile } from './import-file.ts';
import { describeFailure, type ImportReport } from './import-report.ts';
import type { Survey } from './survey.ts';

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

/** `concurrency`: files in work at once. `onInterrupt`: called before Ctrl-C ends the process. */
type ImportAllOptions = { report: ImportReport; concurrency: number; onInterrupt: () => void };

/**
 * Imports the files of a survey. The client's `uploadFiles` is not used: many of these files need no upload, but a look
 * at their document, or a wait for it.
 * @returns why it stopped early; undefined: all were tried
 */
export async function importAll(
  survey: Survey,
  context: Omit<ImportContext, 'signal'>,
  { report, concurrency, onInterrupt }: ImportAllOptions,
): Promise<string | undefined> {
  const { counts } = report;
  const stopping = new AbortController();
  let done = 0;
  const refused = counts.failed;
  const describe = () => {
    const failed = counts.failed - refused;
    return `${done} of ${pluralise(survey.count, 'file')}${failed > 0 ? `, ${failed} failed` : ''}`;
  };
  const progress = showProgress(describe, survey.count);
  const importOne = async (file: LocalFile) => {
    const { externalId } = file;
    try {
      const { error, ...imported } = await importFile({ ...context, signal: stopping.signal }, file);
      report.add({ file: externalId, ...imported, ...(error && { reason: error.message }) });
    } catch (error) {
      if (stopping.signal.aborted || isStopping(error) || !(error instanceof Error)) {
        stopping.abort();
        throw error;
      }
      report.add({ file: externalId, outcome: 'failed', ...describeFailure(error) });
    }
    done += 1;
    progress.advance(1);
  };
  const onEnd = () => {
    progress.end();
    onInterrupt();
  };
  try {
    await untilSignal(onEnd, () => inParallel(survey.files(), concurrency, importOne));
    return undefined;
  } catch (error) {
    if (!isStopping(error)) throw error;
    return areAttributesWrong(error) ? error.message : `${explainError(error)} ${HOW_TO_GO_ON}`;
  } finally {
    progress.end();
  }
}
