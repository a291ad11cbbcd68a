/** Changes the fields of a document that its owner may change. */

import type { Queryable } from '../database/connection/database.ts';
import { type AccountWithDefaults, requireStorage } from '../database/rows/account-limits.ts';
import {
  type DocumentChange,
  type DocumentRow,
  lockDocument,
  updateDocumentRow,
} from '../database/rows/documents/documents.ts';
import { changeCounters } from '../indexing/counters.ts';
import type { OwnedId } from '../terms/ids.ts';

/**
 * Changes a document's row, and counts the bytes of its attributes and source URL. `reindex` brings a new title into
 * the passages. It runs before the account is locked, because other imports wait for that lock.
 * @returns the row; undefined when there is no such document
 * @throws STORAGE_LIMIT_EXCEEDED
 */
export async function changeDocument(
  transaction: Queryable,
  { defaults, ...document }: OwnedId & Pick<AccountWithDefaults, 'defaults'>,
  { change, reindex = async () => {} }: { change: DocumentChange; reindex?: () => Promise<void> },
): Promise<DocumentRow | undefined> {
  const before = await lockDocument(transaction, document);
  if (before === undefined) return undefined;
  const row = await updateDocumentRow(transaction, document, change);
  const bytes = row.storage_bytes - before.storage_bytes;
  if (bytes !== 0)
    await changeCounters(transaction, document.knowledgeBaseId, {
      documents: 0,
      bytes,
      passages: 0,
      length: 0,
    });
  await reindex();
  if (bytes > 0) await requireStorage(transaction, { accountId: document.accountId, defaults }, bytes);
  return row;
}
