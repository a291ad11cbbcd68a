/** Waits for the end of an import. */
import type { DocumentStatusReport } from '../../generated/types.gen.ts';
import { deadlinePassed, documentFailed, documentTimedOut, KnowledgeRetrievalError } from './errors.ts';
import { pause } from './send.ts';
import { limitTime } from './time-limit.ts';

/** `deadlineMs`: how long to wait for the end of an import, every request included. */
export type PollOptions = { deadlineMs?: number; signal?: AbortSignal };

type Asked = { documentId: string; waitSeconds: number };
/** `isCrowded`: whether other documents wait to be asked for. */
export type StatusQuestion = {
  ask(asked: Asked, call: { signal: AbortSignal }): Promise<DocumentStatusReport>;
  isCrowded(): boolean;
};

/** Longer than the service's own (10 minutes by default), so that it is the service that gives up, with a reason. */
const DEADLINE_MS = 15 * 60_000;
/** The most that getDocumentStatus.waitSeconds takes. */
const LONGEST_WAIT_SECONDS = 30;
/** While others wait to be asked for: a document that takes long must not keep them all waiting. */
const CROWDED_WAIT_SECONDS = 1;
/** A busy server answers before the time that it was to wait; what asks on at once would make it busier. */
const LEAST_INTERVAL_MS = 1000;

/** The report of a document that is processed; undefined: not yet. @throws when it never will be. */
function processedOf(report: DocumentStatusReport): DocumentStatusReport | undefined {
  if (report.status === 'failed') throw documentFailed(report);
  if (report.status === 'timeout') throw documentTimedOut(report);
  return report.status === 'processed' ? report : undefined;
}

/** Asks until the document is processed; the server lets each question wait for that. */
async function poll(
  { ask, isCrowded }: StatusQuestion,
  documentId: string,
  { endMs, signal }: { endMs: number; signal: AbortSignal },
) {
  for (;;) {
    const askedMs = Date.now();
    const leftSeconds = Math.max(0, Math.floor((endMs - askedMs) / 1000));
    const waitSeconds = Math.min(isCrowded() ? CROWDED_WAIT_SECONDS : LONGEST_WAIT_SECONDS, leftSeconds);
    const report = processedOf(await ask({ documentId, waitSeconds }, { signal }));
    if (report !== undefined) return report;
    await pause(Math.max(0, askedMs + LEAST_INTERVAL_MS - Date.now()), signal);
  }
}

/**
 * The report of a document once it is processed.
 * @throws KnowledgeRetrievalError DOCUMENT_FAILED, DOCUMENT_TIMED_OUT or DEADLINE_PASSED, or that of a request.
 */
export async function untilProcessed(
  question: StatusQuestion,
  documentId: string,
  { deadlineMs = DEADLINE_MS, signal }: PollOptions = {},
): Promise<DocumentStatusReport> {
  const { deadline, either } = limitTime(signal, deadlineMs);
  try {
    return await poll(question, documentId, { endMs: Date.now() + deadlineMs, signal: either });
  } catch (error) {
    const isLate =
      deadline.aborted && error instanceof KnowledgeRetrievalError && error.cause === deadline.reason;
    throw isLate ? deadlinePassed(documentId, deadlineMs) : error;
  }
}
