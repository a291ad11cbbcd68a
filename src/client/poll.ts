/** Waits for the end of an import. */
import type { DocumentStatusReport } from '../../generated/types.gen.ts';
import { deadlinePassed, documentFailed, documentTimedOut, KnowledgeRetrievalError } from './errors.ts';
import { pause } from './requests/send.ts';
import { limitTime } from './requests/time-limit.ts';
import type { CallOptions } from './settings.ts';

/** For a call that waits for the end of an import. */
export type PollOptions = Omit<CallOptions, 'deadlineMs'> & {
  /**
   * How long to wait for the end of the import, in milliseconds, including all requests. Default: 900,000 (15 minutes),
   * without the document's time in the queue, which the service itself limits.
   */
  deadlineMs?: number;
};

/** `onReport`: called with each status report of the service: while OCR reads a scan, every few seconds. */
export type Watch = PollOptions & { onReport?: (report: DocumentStatusReport) => void };

type StatusRequest = { documentId: string; waitSeconds: number };
/** Where the status comes from. `hasWaiters`: whether requests for other documents wait for their turn. */
export type StatusSource = {
  getStatus(request: StatusRequest, call: CallOptions): Promise<DocumentStatusReport>;
  hasWaiters(): boolean;
};

/** Longer than the service's own limit (10 minutes by default), so that the service gives up first, with a reason. */
const DEADLINE_MS = 15 * 60_000;
/** The maximum of getDocumentStatus.waitSeconds. */
const LONGEST_WAIT_SECONDS = 30;
/** The wait while other requests wait for their turn: one slow document must not hold them up. */
const CROWDED_WAIT_SECONDS = 1;
/** The wait while OCR reads pages: each report says how many. */
const RECOGNITION_WAIT_SECONDS = 5;
/** A busy server answers early. Asking again at once would make it busier. */
const LEAST_INTERVAL_MS = 1000;

/** The report of a processed document; undefined: not processed yet. @throws when its import has failed */
function processedOf(report: DocumentStatusReport): DocumentStatusReport | undefined {
  if (report.status === 'failed') throw documentFailed(report);
  if (report.status === 'timeout') throw documentTimedOut(report);
  return report.status === 'processed' ? report : undefined;
}

type Polling = CallOptions & Pick<Watch, 'onReport'> & { endMs: number; returnsPending: boolean };

/**
 * Asks until the document is processed. Each request waits at the server. `returnsPending`: also returns while the
 * document is still in the queue.
 */
async function poll(
  { getStatus, hasWaiters }: StatusSource,
  documentId: string,
  { endMs, returnsPending, onReport, ...call }: Polling,
) {
  let longestSeconds = LONGEST_WAIT_SECONDS;
  for (;;) {
    const askedMs = Date.now();
    const leftSeconds = Math.max(0, Math.floor((endMs - askedMs) / 1000));
    const waitSeconds = Math.min(hasWaiters() ? CROWDED_WAIT_SECONDS : longestSeconds, leftSeconds);
    const report = await getStatus({ documentId, waitSeconds }, call);
    onReport?.(report);
    longestSeconds = report.recognition ? RECOGNITION_WAIT_SECONDS : LONGEST_WAIT_SECONDS;
    if (processedOf(report) !== undefined) return report;
    await pause(Math.max(0, askedMs + LEAST_INTERVAL_MS - Date.now()), call.signal);
    if (returnsPending && report.status === 'pending') return report;
  }
}

/**
 * The report of a document once it is processed.
 * @throws KnowledgeRetrievalError DOCUMENT_FAILED, DOCUMENT_TIMED_OUT or DEADLINE_PASSED, or a request's error
 */
export async function untilProcessed(
  source: StatusSource,
  documentId: string,
  options: Watch = {},
): Promise<DocumentStatusReport> {
  for (;;) {
    const report = await pollInTime(source, documentId, options);
    if (report.status === 'processed') return report;
  }
}

async function pollInTime(
  source: StatusSource,
  documentId: string,
  { deadlineMs: given, signal, ...others }: Watch,
): Promise<DocumentStatusReport> {
  const deadlineMs = given ?? DEADLINE_MS;
  const { deadline, either } = limitTime(signal, deadlineMs);
  try {
    const limits = { endMs: Date.now() + deadlineMs, returnsPending: given === undefined };
    return await poll(source, documentId, { ...others, ...limits, signal: either });
  } catch (error) {
    const isLate =
      deadline.aborted && error instanceof KnowledgeRetrievalError && error.cause === deadline.reason;
    throw isLate ? deadlinePassed(documentId, deadlineMs) : error;
  }
}
