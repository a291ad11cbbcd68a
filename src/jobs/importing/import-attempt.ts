/** One try of a step of a document's import: it ends with its document, and says what the queue has to do. */
import type { Database } from '../../database/connection/database.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import { DeletionAnnounced } from '../../database/rows/deletion-lock.ts';
import { findUnfinished } from '../../database/rows/documents/documents-by-id.ts';
import { isUnavailable, ServiceError } from '../../terms/errors.ts';
import type { ScopedId } from '../../terms/ids.ts';
import type { JobContext } from '../job-context.ts';
import { type Attempt, Postponed, RetryLater } from '../workers.ts';

/** How soon extraction stops after its document was deleted or became overdue. */
const DOCUMENT_POLL_INTERVAL_MS = 2_000;

/**
 * Runs `act` while the document is unfinished. Returns undefined as soon as the document has its final status or is
 * deleted, even when `act` ignores its signal, or fails because the file was deleted too.
 * @throws the error of `act`, and the reason of the attempt's signal
 */
async function whileUnfinished<T>(
  database: Database,
  { payload: document, signal: lost }: Attempt<ScopedId>,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const finished = new AbortController();
  const pollDocument = async () => {
    // If the database is unavailable, the import's next statement will fail.
    const unfinished = await findUnfinished(database, [document]).catch(() => undefined);
    if (unfinished?.length === 0) finished.abort();
  };
  const polling = setInterval(pollDocument, DOCUMENT_POLL_INTERVAL_MS);
  const signal = AbortSignal.any([lost, finished.signal]);
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([act(signal), ended.promise]);
  } catch (error) {
    // The deletion itself may still fail: then the next try imports the file.
    if (!(error instanceof DeletionAnnounced)) await pollDocument();
    if (finished.signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    clearInterval(polling);
  }
}

/**
 * One try of a step of a document's import, while the document is unfinished. An error thrown here is a fault of the
 * service, or asks for another try: the queue tries again.
 */
export async function runImport(
  service: JobContext,
  attempt: Attempt<ScopedId>,
  act: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { database } = service;
  try {
    await whileUnfinished(database, attempt, act);
  } catch (error) {
    if (error instanceof RetryLater) throw error;
    // The knowledge base was deleted during the extraction.
    if (error instanceof ServiceError && error.errorCode === 'KNOWLEDGE_BASE_NOT_FOUND') return;
    if (error instanceof DeletionAnnounced) throw error;
    // Mostly the server of the knowledge base is unreachable or hangs, while the queue's server goes on.
    if (isUnavailable(error) && (await isDistributed(database))) {
      service.log.warn({ err: error, document: attempt.payload }, 'an import waits for the database');
      throw new Postponed('a server of the database does not answer', { cause: error });
    }
    service.log.warn({ err: error, document: attempt.payload }, 'an import failed by a fault of the service');
    throw error;
  }
}
