/** Statements about several small files of one knowledge base, which are imported together. */
import { sql } from 'kysely';
import type { OwnedId } from '../../../terms/ids.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepare } from '../../connection/prepared.ts';
import { type ReadFacts, toColumns } from './documents.ts';

/** A file whose document is unfinished. `id`: of the document. */
export type UnreadFile = OwnedId & {
  fileId: string;
  fileName: string;
  title: string;
  objectName: string;
  sizeBytes: number;
  sha256: Buffer | null;
  externalId: string | null;
};

const selectUnread = prepare(
  'find_unread_files',
  ['knowledgeBaseId', 'ids'],
  ({ knowledgeBaseId, ids }) => sql<UnreadFile>`
    SELECT files.knowledge_base_id AS "knowledgeBaseId", documents.id, files.account_id AS "accountId",
      files.id AS "fileId", file_name AS "fileName", title, object_name AS "objectName",
      files.size_bytes AS "sizeBytes", files.sha256, external_id AS "externalId"
    FROM files
      JOIN knowledge_bases ON knowledge_bases.knowledge_base_id = files.knowledge_base_id
      JOIN documents ON documents.knowledge_base_id = files.knowledge_base_id AND documents.id = files.document_id
    WHERE files.knowledge_base_id = ${knowledgeBaseId}::uuid AND files.document_id = ANY(${ids}::uuid[])
      AND deleted_at IS NULL AND status IN ('pending', 'processing') AND object_name IS NOT NULL
    ORDER BY documents.created_at, documents.id`,
);

/** The files of these documents, as far as they are unfinished, the oldest document first. */
export const findUnread = (
  database: Queryable,
  documents: { knowledgeBaseId: string; ids: string[] },
): Promise<UnreadFile[]> => selectUnread(database, documents);

const lockRows = prepare(
  'lock_unfinished',
  ['knowledgeBaseId', 'ids'],
  ({ knowledgeBaseId, ids }) => sql<{ id: string; title: string }>`
    SELECT id, title FROM documents
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND id = ANY(${ids}::uuid[])
      AND status IN ('pending', 'processing')
    ORDER BY id FOR UPDATE`,
);

/** Locks the rows of these documents, as far as they are unfinished. */
export const lockUnfinished = (
  transaction: Queryable,
  documents: { knowledgeBaseId: string; ids: string[] },
): Promise<{ id: string; title: string }[]> => lockRows(transaction, documents);

/** A document whose file was read. */
export type ReadDocument = { id: string; facts: ReadFacts; passageCount: number };

const setProcessed = prepare(
  'set_processed',
  ['knowledgeBaseId', 'ids', 'types', 'warnings', 'pageCounts', 'passageCounts'],
  ({ knowledgeBaseId, ids, types, warnings, pageCounts, passageCounts }) => sql`
    UPDATE documents SET status = 'processed', updated_at = ${databaseNow}, type = read.type,
      warnings = read.warnings::jsonb, page_count = read.page_count, passage_count = read.passage_count
    FROM unnest(${ids}::uuid[], ${types}::text[], ${warnings}::text[], ${pageCounts}::integer[],
        ${passageCounts}::integer[]) AS read (id, type, warnings, page_count, passage_count)
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND documents.id = read.id`,
);

/** Sets the status `processed` of documents whose rows are locked, with what was found in their files. */
export async function markProcessed(
  transaction: Queryable,
  knowledgeBaseId: string,
  documents: ReadDocument[],
): Promise<void> {
  const columns = documents.map(({ facts }) => toColumns(facts));
  await setProcessed(transaction, {
    knowledgeBaseId,
    ids: documents.map(({ id }) => id),
    types: columns.map(({ type }) => type),
    warnings: columns.map(({ warnings }) => warnings),
    pageCounts: columns.map(({ page_count }) => page_count),
    passageCounts: documents.map(({ passageCount }) => passageCount),
  });
}
