/** Documents: their rows, their states, and their form in the contract. */

import { type RawBuilder, sql, type Transaction } from 'kysely';
import type {
  Attributes,
  Document,
  DocumentErrorCode,
  DocumentStatus,
  DocumentStatusReport,
  DocumentType,
  DocumentWarning,
} from '../../../../generated/types.gen.ts';
import { shareLookUps } from '../../../concurrency/shared-look-ups.ts';
import { documentNotFound } from '../../../terms/errors.ts';
import { formatScopedId, type OwnedId, type ScopedId } from '../../../terms/ids.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepareRead } from '../../connection/prepared.ts';
import type { Tables } from '../../schema/tables.ts';
import { keepFromDeletion, recordDocumentEvents } from '../webhooks/webhook-events.ts';
import { type DocumentFilter, fits } from './document-filter.ts';

export type DocumentRow = {
  knowledge_base_id: string;
  id: string;
  title: string;
  type: DocumentType;
  size_bytes: number;
  status: DocumentStatus;
  error_code: DocumentErrorCode | null;
  error_message: string | null;
  warnings: (DocumentWarning | string)[];
  page_count: number | null;
  passage_count: number;
  created_at: Date;
  updated_at: Date;
  sha256: Buffer | null;
  replaces: string | null;
  storage_bytes: number;
  recognition: { done: number; of: number } | null;
} & DescriptionRow;

/** What the caller has said about a document; `{}` and null where nothing. */
export type DescriptionRow = {
  attributes: Attributes;
  source_url: string | null;
  external_id: string | null;
};

/** The contract's fields for what the caller has said about a document; none where nothing. */
export const toDescription = ({ attributes, source_url, external_id }: DescriptionRow) => ({
  ...(Object.keys(attributes).length > 0 && { attributes }),
  ...(source_url !== null && { sourceUrl: source_url }),
  ...(external_id !== null && { externalId: external_id }),
});

/** While the servers of an upgrade are restarted in turn, servers of 0.2 still write sentences, about pages alone. */
function toWarning(stored: DocumentWarning | string): DocumentWarning {
  if (typeof stored !== 'string') return stored;
  return { code: stored.endsWith('not read.') ? 'PAGES_NOT_READ' : 'PAGES_WITHOUT_TEXT', message: stored };
}

/** The contract's report of a document's progress; `error` and `pageCount` only where there is one. */
export const toStatusReport = (row: DocumentRow): DocumentStatusReport => ({
  id: formatScopedId({ knowledgeBaseId: row.knowledge_base_id, id: row.id }),
  status: row.status,
  updatedAt: row.updated_at.toISOString(),
  passageCount: row.passage_count,
  ...(row.page_count !== null && { pageCount: row.page_count }),
  warnings: row.warnings.map(toWarning),
  ...(row.error_code !== null && { error: { code: row.error_code, message: row.error_message ?? '' } }),
});

/** The contract's document. */
export const toDocument = (row: DocumentRow): Document => ({
  ...toStatusReport(row),
  title: row.title,
  type: row.type,
  size: row.size_bytes,
  createdAt: row.created_at.toISOString(),
  knowledgeBaseId: row.knowledge_base_id,
  ...toDescription(row),
  ...(row.external_id !== null && toVersion(row)),
});

/** The contract's fields for a version of the document with an external id. */
const toVersion = ({ knowledge_base_id: knowledgeBaseId, sha256, replaces }: DocumentRow) => ({
  ...(sha256 !== null && { sha256: sha256.toString('hex') }),
  ...(replaces !== null && { replaces: formatScopedId({ knowledgeBaseId, id: replaces }) }),
});

/** Selects an account's document in a live knowledge base. */
export const findDocument = (database: Queryable, { knowledgeBaseId, id, accountId }: OwnedId) =>
  database
    .selectFrom('documents')
    .innerJoin('knowledge_bases', 'knowledge_bases.knowledge_base_id', 'documents.knowledge_base_id')
    .selectAll('documents')
    .where('documents.knowledge_base_id', '=', knowledgeBaseId)
    .where('documents.id', '=', id)
    .where('documents.account_id', '=', accountId)
    .where('knowledge_bases.deleted_at', 'is', null);

/** What an operation reads of a document. */
type FoundDocument = DocumentRow & { account_id: string; source: string; queued_at: Date | null };

const findDocuments = prepareRead(
  'find_documents',
  ['knowledgeBaseId', 'ids'],
  ({ knowledgeBaseId, ids }) => sql<FoundDocument>`
    SELECT knowledge_base_id, id, account_id, title, source, type, size_bytes, status, error_code, error_message,
      warnings, page_count, passage_count, created_at, updated_at, queued_at, attributes, source_url, external_id,
      sha256, replaces, storage_bytes, recognition
    FROM documents
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND id = ANY(${ids}::uuid[]) AND EXISTS (
      SELECT 1 FROM knowledge_bases WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND deleted_at IS NULL)`,
);

/** Shared, because clients ask for the status of many documents again and again. */
const lookUpDocument = shareLookUps(async (database: Queryable, knowledgeBaseId, ids) => {
  const rows = await findDocuments(database, { knowledgeBaseId, ids });
  return new Map(rows.map((row) => [row.id, row]));
});

/** SQL for whether a row of `documents` fits a filter, where other tables have columns of the same names. */
const isVisible = (restriction: DocumentFilter) => sql<boolean>`EXISTS (
  SELECT FROM documents AS own
  WHERE own.knowledge_base_id = documents.knowledge_base_id AND own.id = documents.id AND ${fits(restriction)})`;

/** The row for such a caller: `replaces` names a document that need not exist for it, and is gone in most cases. */
export const asSeen = <Row extends { replaces: string | null }>(
  row: Row,
  restriction: DocumentFilter | undefined,
): Row => (restriction === undefined ? row : { ...row, replaces: null });

/**
 * A document of the account, as a caller asks for it. `restriction`: which documents exist for the caller; undefined:
 * all.
 */
export type SoughtId = OwnedId & { restriction?: DocumentFilter | undefined };

/** @throws DOCUMENT_NOT_FOUND unless the account has this document, and it exists for the caller */
export async function requireDocument(
  database: Queryable,
  { knowledgeBaseId, id, accountId, restriction }: SoughtId,
): Promise<FoundDocument> {
  const row =
    restriction === undefined
      ? await lookUpDocument(database, knowledgeBaseId, id)
      : await findDocument(database, { knowledgeBaseId, id, accountId })
          .where(isVisible(restriction))
          .executeTakeFirst();
  if (row?.account_id !== accountId) throw documentNotFound();
  return asSeen(row, restriction);
}

/**
 * Keeps the knowledge base of a document from being deleted, and then locks the document's row: PostgreSQL locks in the
 * order of the clauses. Undefined: there is no such document.
 */
export const lockDocument = (transaction: Queryable, document: OwnedId) =>
  findDocument(transaction, document)
    .forKeyShare(['knowledge_bases'])
    .forUpdate(['documents'])
    .executeTakeFirst();

/** Whether an import may still change the document. */
export const isUnfinished = ({ status }: { status: DocumentStatus }): boolean =>
  status === 'pending' || status === 'processing';

/** What the caller of an import says about the new document. */
export type Description = {
  attributes?: Attributes | undefined;
  sourceUrl?: string | undefined;
  externalId?: string | undefined;
};

/** SQL for whether a document is of a file, or of an address whose file was not fetched. */
const isOfFile = sql<boolean>`(file_id IS NOT NULL OR EXISTS (
  SELECT FROM document_addresses AS address
  WHERE address.knowledge_base_id = documents.knowledge_base_id AND address.document_id = documents.id))`;

/**
 * Puts a file whose import has failed into the queue again: without its reason, and without what extraction had found.
 * @returns its row, with a null `file_id` if the file has to be fetched; undefined when it is no file, or its import
 * has not failed
 */
export async function requeueDocument(
  transaction: Queryable,
  { knowledgeBaseId, id }: ScopedId,
): Promise<(DocumentRow & { file_id: string | null }) | undefined> {
  return await transaction
    .updateTable('documents')
    .set({
      status: 'pending',
      error_code: null,
      error_message: null,
      warnings: '[]',
      page_count: null,
      processing_since: null,
      queued_at: databaseNow,
      updated_at: databaseNow,
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', 'in', ['failed', 'timeout'])
    .where(isOfFile)
    .returningAll()
    .executeTakeFirst();
}

/** New fields of a document; undefined: it stays. `sourceUrl` of '' removes the present one. */
export type DocumentChange = Omit<Description, 'externalId'> & { title?: string | undefined };

/** Changes a document's row alone, which is locked. */
export async function updateDocumentRow(
  transaction: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { title, attributes, sourceUrl }: DocumentChange,
): Promise<DocumentRow> {
  return await transaction
    .updateTable('documents')
    .set({
      updated_at: databaseNow,
      ...(title !== undefined && { title }),
      ...(attributes !== undefined && { attributes: JSON.stringify(attributes) }),
      ...(sourceUrl !== undefined && { source_url: sourceUrl || null }),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Facts about a file that its extraction has found. */
export type ReadFacts = { type: DocumentType; warnings?: DocumentWarning[]; pageCount?: number };

/** The columns of what extraction has found. */
export const toColumns = ({ type, warnings = [], pageCount }: ReadFacts) => ({
  type,
  warnings: JSON.stringify(warnings),
  page_count: pageCount ?? null,
});

type Move = { from: DocumentStatus[]; to: 'processing' | 'processed'; title?: string; facts?: ReadFacts };

/**
 * Moves a document from one of the states `from` to `to`, and stores the facts that extraction has found. With a
 * `title`: only if it still has this one.
 * @returns false when it is in none of these states any more, or gone: then nothing may be written for it.
 */
export async function moveDocument(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { from, to, title, facts }: Move,
): Promise<boolean> {
  const moved = await database
    .updateTable('documents')
    .set({
      status: to,
      updated_at: databaseNow,
      // Counts from the first try: the time of a worker that died is included.
      ...(to === 'processing' && {
        processing_since: sql<Date>`least(processing_since, ${databaseNow})`, // now where there is none
      }),
      ...(facts && toColumns(facts)),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', 'in', from)
    .$if(title !== undefined, (rest) => rest.where('title', '=', title as string))
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/**
 * Notes how many pages of a document in work OCR has recognised. The time limit of the import counts from here: a scan
 * of 200 pages takes many times as long as any other file.
 */
export async function noteRecognition(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  pages: { done: number; of: number },
): Promise<void> {
  await database
    .updateTable('documents')
    .set({ recognition: JSON.stringify(pages), processing_since: databaseNow, updated_at: databaseNow })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .execute();
}

/** Gives a document in work another title. @returns false when it has another one than `from`, or has ended */
export async function retitleUnread(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const retitled = await database
    .updateTable('documents')
    .set({ title: to, updated_at: databaseNow })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('title', '=', from)
    .where('status', '=', 'processing')
    .executeTakeFirst();
  return retitled.numUpdatedRows === 1n;
}

/** Why a document ends. `onlyIf`: a condition on its row, which another server may have changed. */
type Failure = {
  code: DocumentErrorCode;
  message: string;
  facts?: ReadFacts;
  onlyIf?: RawBuilder<boolean>;
};

/** Ends an unfinished document with its reason; a finished one stays as it is. @returns whether it was unfinished. */
export async function failDocument(
  transaction: Transaction<Tables>,
  { knowledgeBaseId, id }: ScopedId,
  { code, message, facts, onlyIf = sql<boolean>`true` }: Failure,
): Promise<boolean> {
  const isLive = await keepFromDeletion(transaction, knowledgeBaseId);
  const failed = await transaction
    .updateTable('documents')
    .set({
      status: code === 'PROCESSING_TIMEOUT' ? 'timeout' : 'failed',
      error_code: code,
      error_message: message,
      updated_at: databaseNow,
      ...(facts && toColumns(facts)),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'processing'])
    .where(onlyIf)
    .returningAll()
    .returning('account_id as accountId')
    .executeTakeFirst();
  if (failed === undefined) return false;
  const owned = { accountId: failed.accountId, knowledgeBaseId };
  const documents = [toDocument(failed)];
  if (isLive) await recordDocumentEvents(transaction, owned, { type: 'document.failed', documents });
  return true;
}
