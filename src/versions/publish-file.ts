/** Publishes the document of a file that was accepted as pending. */
import type { Queryable } from '../database/connection/database.ts';
import {
  findDocument,
  moveDocument,
  type ReadFacts,
  requireDocument,
  toDocument,
} from '../database/rows/documents/documents.ts';
import { lockKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { recordDocumentEvents } from '../database/rows/webhooks/webhook-events.ts';
import type { Batches } from '../indexing/analysis-pool.ts';
import { countPassages, storePassages } from '../indexing/store-passages.ts';
import type { OwnedId } from '../terms/ids.ts';
import { lockExternalIdOrAbort } from './locks.ts';
import { replaceEarlier } from './replace-earlier.ts';

/** The document of a file, which has the status `processing`. */
export type FileDocument = OwnedId & { externalId: string | null };

/** A file that was read. `title`: with which its text was analysed. */
export type ReadFile = { batches: Batches; title: string; facts: ReadFacts };

/**
 * What became of a document: it is `processed`; it is `retitled`, and has to be analysed with its new title; or it had
 * `ended`, deleted or overdue. `unreferenced`: the objects that no row refers to after the commit.
 */
type PublishedFile = { outcome: 'processed' | 'retitled' | 'ended'; unreferenced: string[] };

/**
 * Stores the passages of a file and sets the status `processed`, unless the document was deleted, became overdue or got
 * another title meanwhile.
 * @throws KNOWLEDGE_BASE_NOT_FOUND
 * @throws DeletionAnnounced when the document or its knowledge base is about to be deleted
 */
export async function publishFile(
  transaction: Queryable,
  { externalId, ...document }: FileDocument,
  { batches, title, facts }: ReadFile,
): Promise<PublishedFile> {
  const { hasWebhooks } = await lockKnowledgeBase(transaction, document);
  const move = { from: ['processing' as const], to: 'processed' as const, title, facts };
  if (!(await moveDocument(transaction, document, move))) {
    const found = await findDocument(transaction, document).executeTakeFirst();
    return { outcome: found?.status === 'processing' ? 'retitled' : 'ended', unreferenced: [] };
  }
  const uncounted = await storePassages(transaction, document, batches);
  if (externalId !== null) await lockExternalIdOrAbort(transaction, document, externalId);
  const published = { id: document.id, external_id: externalId };
  const unreferenced = await replaceEarlier(transaction, document, [published]);
  await countPassages(transaction, document, { ...uncounted, documents: 0, bytes: 0 });
  if (hasWebhooks) {
    const documents = [toDocument(await requireDocument(transaction, document))];
    await recordDocumentEvents(transaction, document, { type: 'document.processed', documents });
  }
  return { outcome: 'processed', unreferenced };
}
