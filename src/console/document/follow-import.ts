/** Follows the import of a document until it has ended. */
import { useEffect, useState } from 'preact/hooks';
import type { DocumentDetails, DocumentStatusReport, KnowledgeRetrieval } from '../../client/index.ts';
import { describeError } from '../describe-error.ts';
import { isUnsettled } from '../documents/status.tsx';
import { announce } from '../parts/announcements.tsx';
import { useSession } from '../session.ts';

/** One request waits at the service for this long, and for less while each report says how many pages OCR has read. */
const [WAIT_SECONDS, PAGES_WAIT_SECONDS] = [20, 5];

export type RecognisedPages = DocumentStatusReport['recognition'];

type Following = { service: KnowledgeRetrieval; signal: AbortSignal; onPages(pages: RecognisedPages): void };

/** Ends when the document has another status. The first report comes at once: it may have pages already. */
async function untilChanged(
  { id, status }: DocumentDetails,
  { service, signal, onPages }: Following,
): Promise<void> {
  for (let waitSeconds = 0; ; ) {
    const report = await service.getDocumentStatus({ documentId: id, waitSeconds }, { signal });
    if (!signal.aborted) onPages(report.recognition);
    if (report.status !== status) return;
    waitSeconds = report.recognition ? PAGES_WAIT_SECONDS : WAIT_SECONDS;
    // A busy service answers early.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** Loads the document again when its import has ended. @returns the pages of a scan, as far as they are read */
export function useFollowing(document: DocumentDetails | undefined, reload: () => void): RecognisedPages {
  const { service } = useSession();
  const [pages, setPages] = useState<RecognisedPages>();
  const isWaiting = document !== undefined && isUnsettled(document);
  useEffect(() => {
    setPages(undefined);
    if (!isWaiting) return;
    const ending = new AbortController();
    const { signal } = ending;
    untilChanged(document, { service, signal, onPages: setPages })
      .then(reload)
      .catch((error) => signal.aborted || announce(describeError(error).message));
    return () => ending.abort();
  }, [isWaiting, document?.id, document?.status]);
  return pages;
}
