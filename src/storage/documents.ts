/** Documents: their rows, their states, and what the contract shows of them. */
import type { Document, DocumentErrorCode, DocumentStatus, DocumentType } from '../../generated/types.gen.ts';
import { formatScopedId, type ScopedId } from '../ids.ts';
import type { Queryable } from './database.ts';

type Owned = ScopedId & { accountId: string };

type DocumentRow = {
  knowledge_base_id: string;
  id: string;
  title: string;
  type: DocumentType;
  size_bytes: number;
  status: DocumentStatus;
  error_code: DocumentErrorCode | null;
  error_message: string | null;
  created_at: Date;
  updated_at: Date;
};

/** The contract's document; `error` only where there is one. */
export const toDocument = (row: DocumentRow): Document => ({
  id: formatScopedId({ knowledgeBaseId: row.knowledge_base_id, id: row.id }),
  title: row.title,
  type: row.type,
  size: row.size_bytes,
  status: row.status,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  knowledgeBaseId: row.knowledge_base_id,
  ...(row.error_code !== null && { error: { code: row.error_code, message: row.error_message ?? '' } }),
});

/** Selects an account's document in a live knowledge base. */
export const findDocument = (database: Queryable, { knowledgeBaseId, id, accountId }: Owned) =>
  database
    .selectFrom('documents')
    .innerJoin('knowledge_bases', 'knowledge_bases.knowledge_base_id', 'documents.knowledge_base_id')
    .selectAll('documents')
    .where('documents.knowledge_base_id', '=', knowledgeBaseId)
    .where('documents.id', '=', id)
    .where('documents.account_id', '=', accountId)
    .where('knowledge_bases.deleted_at', 'is', null);

type NewDocument = Owned & {
  title: string;
  source: string;
  type: DocumentType;
  bytes: number;
  status: 'pending' | 'processed';
  fileId?: string;
};

/** Inserts the row of a new document; its bytes and passages are counted apart. */
export async function insertDocument(transaction: Queryable, document: NewDocument) {
  const created_at = new Date();
  return await transaction
    .insertInto('documents')
    .values({
      knowledge_base_id: document.knowledgeBaseId,
      id: document.id,
      account_id: document.accountId,
      title: document.title,
      source: document.source,
      type: document.type,
      size_bytes: document.bytes,
      status: document.status,
      file_id: document.fileId ?? null,
      created_at,
      updated_at: created_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Moves a document from one of the states `from` to `to`, and gives it its `type` where the content has told it.
 * @returns false when it is in none of these states any more, or gone: then nobody may write anything for it.
 */
export async function moveDocument(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { from, to, type }: { from: DocumentStatus[]; to: 'processing' | 'processed'; type?: DocumentType },
): Promise<boolean> {
  const moved = await database
    .updateTable('documents')
    .set({ status: to, updated_at: new Date(), ...(type && { type }) })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/** Ends an unfinished document with its reason; a finished one stays as it is. */
export async function failDocument(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { code, message, type }: { code: DocumentErrorCode; message: string; type?: DocumentType },
): Promise<void> {
  await database
    .updateTable('documents')
    .set({
      status: code === 'PROCESSING_TIMEOUT' ? 'timeout' : 'failed',
      error_code: code,
      error_message: message,
      updated_at: new Date(),
      ...(type && { type }),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'processing'])
    .execute();
}
