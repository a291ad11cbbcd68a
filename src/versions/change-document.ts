/** Changes the fields of a document that its owner may change. It stays the same version. */
import type { Queryable } from '../database/connection/database.ts';
import { changeCounters } from '../database/rows/counters.ts';
import {
  type DocumentChange,
  type DocumentRow,
  lockDocument,
  updateDocumentRow,
} from '../database/rows/documents/documents.ts';
import type { AccountWithDefaults } from '../database/rows/limits/account-limits.ts';
import { requireStorage } from '../database/rows/limits/storage-limit.ts';
import type { Batches } from '../indexing/analysis-pool.ts';
import { replacePassages } from '../indexing/store-passages.ts';
import type { OwnedId } from '../terms/ids.ts';

type Changing = OwnedId & Pick<AccountWithDefaults, 'defaults'>;

/** Changes a document's row, and counts the bytes of its attributes and source URL: `bytes` more, or fewer. */
async function changeRow(
  transaction: Queryable,
  { defaults, ...document }: Changing,
  change: DocumentChange,
): Promise<{ row: DocumentRow; bytes: number } | undefined> {
  const before = await lockDocument(transaction, document);
  if (before === undefined) return undefined;
  const row = await updateDocumentRow(transaction, document, change);
  const bytes = row.storage_bytes - before.storage_bytes;
  const counted = { documents: 0, bytes, passages: 0, length: 0 };
  if (bytes !== 0) await changeCounters(transaction, document.knowledgeBaseId, counted);
  return { row, bytes };
}

/**
 * Changes a document alone. Its passages keep the title that they have.
 * @returns the row; undefined when there is no such document
 * @throws STORAGE_LIMIT_EXCEEDED
 */
export async function changeDocument(
  transaction: Queryable,
  document: Changing,
  change: DocumentChange,
): Promise<DocumentRow | undefined> {
  const changed = await changeRow(transaction, document, change);
  if (changed === undefined) return undefined;
  if (changed.bytes > 0) await requireStorage(transaction, document, changed.bytes);
  return changed.row;
}

/**
 * Changes a processed document together with its passages: `batches` is their analysis with its new title.
 * @returns the row; undefined when there is no such document
 * @throws STORAGE_LIMIT_EXCEEDED
 * @throws DeletionAnnounced when the document or its knowledge base is about to be deleted
 */
export async function retitleDocument(
  transaction: Queryable,
  { defaults, ...document }: Changing,
  { change, batches }: { change: DocumentChange; batches: Batches },
): Promise<DocumentRow | undefined> {
  const changed = await changeRow(transaction, { defaults, ...document }, change);
  if (changed === undefined) return undefined;
  await replacePassages(transaction, document, batches);
  const { row, bytes } = changed;
  if (bytes > 0) await requireStorage(transaction, { ...document, defaults }, bytes);
  return row;
}
