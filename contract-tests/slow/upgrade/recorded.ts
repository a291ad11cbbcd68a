/** The form of answers.json: what a release has answered about the data that it has left. */
import type { AccountView } from './account-view.ts';

export type Recorded = {
  accounts: {
    apiKey: string;
    view: AccountView;
    searches: { query: string; found: { document_id?: string } }[];
  }[];
  revokedKey: string;
  /** File name in documents/ → id of its document. */
  files: Record<string, string>;
  deleted: { documentId: string; knowledgeBaseId: string };
  /** A request with an idempotency key, and the text of its answer. */
  keyed: { key: string; input: object; answer: string };
  unfinished: {
    knowledgeBaseId: string;
    /** `path`: of the upload address. */
    ticket: { fileId: string; path: string; content: string };
    uploadedFileId: string;
    pendingId: string;
  };
};
