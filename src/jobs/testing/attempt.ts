/** One attempt of a worker at an import, for tests that run the job themselves. */
import { parseDocumentId } from '../../terms/ids.ts';

/** What a worker gets for a document's import. */
export const attempt = (documentId: string) => ({
  payload: parseDocumentId(documentId, undefined),
  signal: new AbortController().signal,
});
