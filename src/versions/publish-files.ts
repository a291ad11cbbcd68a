/** Publishes the documents of several small files of one knowledge base together. */
import type { Queryable } from '../database/connection/database.ts';
import { requireDocument, toDocument } from '../database/rows/documents/documents.ts';
import { lockUnfinished, markProcessed, type ReadDocument } from '../database/rows/documents/small-files.ts';
import { lockKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { recordDocumentEvents } from '../database/rows/webhooks/webhook-events.ts';
import type { AnalysedTexts } from '../indexing/analyse-document.ts';
import { countPassages, storeTextPassages } from '../indexing/store-passages.ts';
import { tryExternalIds } from './locks.ts';
import { replaceEarlier } from './replace-earlier.ts';

/** Thrown where one of the files has to be published alone, or not at all. The rollback leaves nothing. */
export class NotTogether extends Error {
  constructor() {
    super('these files cannot be published together');
  }
}

/** A file that was read, with the title with which its text was analysed. No two have the same `externalId`. */
export type ReadTogether = Omit<ReadDocument, 'passageCount'> & { title: string; externalId: string | null };

/**
 * Stores the passages of the files, and sets the status `processed` of their documents. `analysed`: see
 * `AnalysedTexts`.
 * @returns the objects that no row refers to after the commit
 * @throws KNOWLEDGE_BASE_NOT_FOUND
 * @throws NotTogether when one of the documents was deleted, has ended or got another title meanwhile, or another
 * transaction has its external id
 */
export async function publishFiles(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { files, analysed }: { files: ReadTogether[]; analysed: AnalysedTexts },
): Promise<{ unreferenced: string[] }> {
  const { knowledgeBaseId } = owned;
  const ids = files.map(({ id }) => id);
  const { hasWebhooks } = await lockKnowledgeBase(transaction, owned);
  const locked = await lockUnfinished(transaction, { knowledgeBaseId, ids });
  const titles = new Map(locked.map(({ id, title }) => [id, title]));
  if (files.some(({ id, title }) => titles.get(id) !== title)) throw new NotTogether();
  const read = files.map((file, i) => ({ ...file, passageCount: analysed.passageCounts[i] ?? 0 }));
  await markProcessed(transaction, knowledgeBaseId, read);
  const uncounted = await storeTextPassages(transaction, owned, { ids, analysed });
  const externalIds = files.flatMap(({ externalId }) => externalId ?? []);
  if (externalIds.length > 0 && !(await tryExternalIds(transaction, owned, externalIds)))
    throw new NotTogether();
  const published = files.map(({ id, externalId }) => ({ id, external_id: externalId }));
  const unreferenced = await replaceEarlier(transaction, owned, published);
  await countPassages(transaction, owned, { ...uncounted, documents: 0, bytes: 0 });
  if (hasWebhooks) {
    // The look-ups share one statement.
    const rows = await Promise.all(ids.map((id) => requireDocument(transaction, { ...owned, id })));
    const documents = rows.map(toDocument);
    await recordDocumentEvents(transaction, owned, { type: 'document.processed', documents });
  }
  return { unreferenced };
}
