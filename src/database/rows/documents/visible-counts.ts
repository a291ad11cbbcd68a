/** Knowledge bases as a caller sees them for whom only some documents exist. */
import { sql } from 'kysely';
import type { DocumentStatus } from '../../../../generated/types.gen.ts';
import type { Queryable } from '../../connection/database.ts';
import type { KnowledgeBaseRow } from '../knowledge-bases.ts';
import { type DocumentFilter, fits } from './document-filter.ts';

const countStatus = <Status extends DocumentStatus>(status: Status) =>
  sql<number>`count(*) FILTER (WHERE status = ${sql.lit(status)})`.as(status);

const NO_DOCUMENTS = {
  ...{ pending: 0, processing: 0, failed: 0, timeout: 0 },
  ...{ document_count: 0, passage_count: 0, storage_bytes: 0, documents_without_vectors: 0 },
};

/** The counts of the documents that fit, by their knowledge bases; none where no document fits. */
const readCounts = (database: Queryable, ids: string[], restriction: DocumentFilter) =>
  database
    .selectFrom('documents')
    .leftJoin('documents_without_vectors as waiting', (join) =>
      join
        .onRef('waiting.knowledge_base_id', '=', 'documents.knowledge_base_id')
        .onRef('waiting.document_id', '=', 'documents.id'),
    )
    .select('documents.knowledge_base_id')
    .select([
      countStatus('pending'),
      countStatus('processing'),
      countStatus('failed'),
      countStatus('timeout'),
    ])
    .select([
      sql<number>`count(*)`.as('document_count'),
      sql<number>`coalesce(sum(passage_count), 0)::bigint`.as('passage_count'),
      sql<number>`coalesce(sum(storage_bytes), 0)::bigint`.as('storage_bytes'),
      sql<number>`count(waiting.document_id)`.as('documents_without_vectors'),
    ])
    .where('documents.knowledge_base_id', 'in', ids)
    .where(fits(restriction))
    .groupBy('documents.knowledge_base_id')
    .execute();

/**
 * The rows with counts of the documents that fit `restriction` alone. All documents of the knowledge bases are compared
 * with it.
 */
export async function countVisible(
  database: Queryable,
  rows: KnowledgeBaseRow[],
  restriction: DocumentFilter | undefined,
): Promise<KnowledgeBaseRow[]> {
  if (restriction === undefined || rows.length === 0) return rows;
  const ids = rows.map((row) => row.knowledge_base_id);
  const counts = await readCounts(database, ids, restriction);
  const countsOf = new Map(counts.map((row) => [row.knowledge_base_id, row]));
  return rows.map((row) => {
    const visible = countsOf.get(row.knowledge_base_id) ?? NO_DOCUMENTS;
    const countsVectors = row.documents_without_vectors !== null;
    return {
      ...row,
      ...visible,
      documents_without_vectors: countsVectors ? visible.documents_without_vectors : null,
    };
  });
}
