/**
 * Imports by address: a document is accepted before its file is there. When that has been fetched, it belongs to the
 * document, or the document makes way for the current version, which has the same content.
 */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Document } from '../../generated/types.gen.ts';
import type { Queryable } from '../database/connection/database.ts';
import { changeCounters, countDocument } from '../database/rows/counters.ts';
import {
  type CurrentVersion,
  type FetchedFacts,
  findCurrentVersion,
  insertAddress,
  insertUnchangedImport,
  recordFetched,
  type UnfetchedDocument,
} from '../database/rows/documents/document-addresses.ts';
import {
  type Description,
  type DocumentRow,
  lockDocument,
  toDocument,
} from '../database/rows/documents/documents.ts';
import { insertDocument } from '../database/rows/documents/new-documents.ts';
import { lockKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { DefaultLimits } from '../database/rows/limits/account-limits.ts';
import { requireStorage } from '../database/rows/limits/storage-limit.ts';
import { recordDocumentEvents } from '../database/rows/webhooks/webhook-events.ts';
import { typeByName } from '../extraction/detect-type.ts';
import type { StoredObject } from '../files/file-store.ts';
import { insertArrivedFile } from '../files/files.ts';
import type { OwnedId } from '../terms/ids.ts';
import type { Accepting } from './accept-file.ts';
import { changeDocument } from './change-document.ts';
import { lockExternalIdOrAbort } from './locks.ts';
import { becomeLatest } from './replace-earlier.ts';
import { toUnchanged } from './unchanged.ts';

/** An address to import. `fileName`: what the address alone says about it. `title` undefined: the name of the file. */
export type GivenAddress = {
  url: string;
  fileName: string;
  title: string | undefined;
  readsAnew: boolean;
  description: Description & { externalId: string };
};

/**
 * Inserts the pending document of an address, the latest with its external id.
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED
 */
export async function acceptAddress(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { url, fileName, title = fileName, readsAnew, description }: GivenAddress,
  { defaults, enqueue }: Accepting,
): Promise<Document> {
  await lockKnowledgeBase(transaction, owned);
  const document = { ...owned, id: uuidv7() };
  const inserted = await insertDocument(transaction, {
    ...document,
    title,
    source: fileName,
    type: typeByName(fileName) ?? 'unknown',
    bytes: 0,
    status: 'pending',
    description,
  });
  const [row = inserted] = await becomeLatest(transaction, owned, [inserted]);
  await insertAddress(transaction, document, { url, readsAnew });
  await countDocument(transaction, owned.knowledgeBaseId, row.storage_bytes);
  await enqueue(transaction, document);
  await requireStorage(transaction, { ...owned, defaults }, row.storage_bytes);
  return toDocument(row);
}

/** A file that has been fetched and stored. `title`: the name by which it is shown where the caller gave none. */
export type ArrivedFromAddress = {
  fileId: string;
  fileName: string;
  title: string;
  sizeBytes: number;
  stored: StoredObject;
  facts: FetchedFacts;
};

/** Locks the row of a document whose file is being fetched. Undefined: it has ended, or has its file. */
const lockUnfetched = (
  transaction: Queryable,
  { knowledgeBaseId, id }: OwnedId,
): Promise<DocumentRow | undefined> =>
  transaction
    .selectFrom('documents')
    .selectAll()
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('file_id', 'is', null)
    .forUpdate()
    .executeTakeFirst();

/**
 * Gives a document its file. It keeps a title that its caller has given, also meanwhile.
 * @returns false when the document has ended meanwhile, or has its file: then the stored object belongs to nothing
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED
 */
export async function attachFile(
  transaction: Queryable,
  document: UnfetchedDocument,
  { fileId, fileName, title, sizeBytes, stored, facts }: ArrivedFromAddress,
  { defaults, enqueue }: Accepting,
): Promise<boolean> {
  const { knowledgeBaseId, id, accountId } = document;
  await lockKnowledgeBase(transaction, document);
  const row = await lockUnfetched(transaction, document);
  if (row === undefined) return false;
  const file = { knowledgeBaseId, id: fileId, accountId, fileName, sizeBytes, stored, documentId: id };
  await insertArrivedFile(transaction, file);
  await transaction
    .updateTable('documents')
    .set({
      file_id: file.id,
      size_bytes: sizeBytes,
      sha256: stored.sha256,
      type: typeByName(fileName) ?? 'unknown',
      // The name by the address alone is the source until now, and the title unless there is another.
      title: sql<string>`CASE WHEN title = source THEN ${title} ELSE title END`,
      source: fileName,
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .execute();
  await recordFetched(transaction, document, facts);
  await changeCounters(transaction, knowledgeBaseId, {
    documents: 0,
    bytes: sizeBytes,
    passages: 0,
    length: 0,
  });
  await enqueue(transaction, document);
  await requireStorage(transaction, { accountId, knowledgeBaseId, defaults }, sizeBytes);
  return true;
}

/** Removes the row of a document that has neither file nor passages. */
async function removeUnfetched(transaction: Queryable, { knowledgeBaseId, id }: OwnedId, bytes: number) {
  await transaction
    .deleteFrom('documents')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .execute();
  await changeCounters(transaction, knowledgeBaseId, {
    documents: -1,
    bytes: -bytes,
    passages: 0,
    length: 0,
  });
}

/**
 * Ends an import that makes nothing new: `current` has its content. The document is removed without an event of its
 * deletion, since no event has told of it, and its id leads to the current version. That one gets the attributes and
 * the address of the import. Webhooks learn that the current version is processed.
 * @returns false when the document has ended, or `current` is not the current version any more
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED
 * @throws DeletionAnnounced when the document is about to be deleted
 */
export async function endUnchanged(
  transaction: Queryable,
  document: UnfetchedDocument,
  current: Pick<CurrentVersion, 'id'>,
  defaults: DefaultLimits,
): Promise<boolean> {
  const { knowledgeBaseId, accountId, externalId, url } = document;
  const { hasWebhooks } = await lockKnowledgeBase(transaction, document);
  const row = await lockUnfetched(transaction, document);
  if (row === undefined) return false;
  await lockExternalIdOrAbort(transaction, document, externalId);
  const same = { knowledgeBaseId, id: current.id, accountId };
  const before = await lockDocument(transaction, same);
  if (before === undefined || (await findCurrentVersion(transaction, document))?.id !== current.id)
    return false;
  await insertUnchangedImport(transaction, document, current.id);
  await removeUnfetched(transaction, document, row.storage_bytes);
  const attributes = Object.keys(row.attributes).length > 0 ? row.attributes : undefined;
  const isDescribedOtherwise =
    before.source_url !== url ||
    (attributes !== undefined && !isDeepStrictEqual(attributes, before.attributes));
  const after = isDescribedOtherwise
    ? await changeDocument(transaction, { ...same, defaults }, { attributes, sourceUrl: url })
    : before;
  const documents = [toUnchanged(after ?? before)];
  if (hasWebhooks)
    await recordDocumentEvents(transaction, document, { type: 'document.processed', documents });
  return true;
}
