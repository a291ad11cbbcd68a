/** What the imports of one command share, and what becomes of each. */
import type { Attributes, DocumentError, DocumentWarning } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import type { WaitForDocument } from './document-waits.ts';
import type { FindKnown } from './known-documents.ts';

/**
 * `sent`: the import goes on, and nobody waits for it. `failedBefore`: the same file has failed in an earlier import,
 * by a fault of its own, with this `error`; it was not tried again. `retried`: a trial would go on with the document.
 */
export type LocalImport = {
  outcome: 'imported' | 'updated' | 'retried' | 'unchanged' | 'sent' | 'failedBefore';
  documentId?: string;
  warnings?: DocumentWarning[];
  error?: DocumentError;
};

export type ImportContext = {
  client: KnowledgeRetrieval;
  findKnown: FindKnown;
  knowledgeBaseId: string;
  /** Of all files; undefined: those that the documents have stay. */
  attributes: Attributes | undefined;
  /** Waits until a document is processed; undefined: nobody waits. */
  waitForDocument: WaitForDocument | undefined;
  /** Runs an upload in its turn. */
  inTurn<T>(upload: () => Promise<T>): Promise<T>;
  /** Whether files that have failed in an earlier import are tried again, although they have not changed. */
  retries: boolean;
  /** Whether to say only what would happen. */
  isTrial: boolean;
  signal: AbortSignal;
};
