/**
 * Which version of a document is current. Versions have the order of their imports: the version that was accepted
 * last is the latest. When a version is published, it becomes current in place of all earlier ones.
 */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { announceDeletions } from '../database/rows/deletion-lock.ts';
import type { DocumentRow } from '../database/rows/documents/documents.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { deleteDocuments } from '../indexing/delete-documents.ts';
import { lockExternalIds } from './locks.ts';

/**
 * Makes new documents the latest with their external ids, which it locks, and records the current documents that they
 * are to replace. Their `created_at` was the beginning of their transaction, and another transaction may have inserted
 * a document since. Documents without an external id stay as they are.
 * @returns the rows as they are then
 */
export async function becomeLatest(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  documents: DocumentRow[],
): Promise<DocumentRow[]> {
  const externalIds = documents.flatMap(({ external_id }) => external_id ?? []);
  if (externalIds.length === 0) return documents;
  await lockExternalIds(transaction, owned, externalIds);
  // A common table expression, because Citus takes no clock in an UPDATE.
  const { rows } = await sql<Pick<DocumentRow, 'id' | 'created_at' | 'updated_at' | 'replaces'>>`
    WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
    UPDATE documents AS new SET (created_at, updated_at, replaces) = (
      SELECT latest, latest, current FROM (
        SELECT greatest((SELECT now FROM clock), max(created_at) + interval '1 millisecond') AS latest,
          (array_agg(id) FILTER (WHERE status = 'processed'))[1] AS current
        FROM documents AS other
        WHERE knowledge_base_id = ${owned.knowledgeBaseId} AND external_id = new.external_id AND id <> new.id) AS found)
    WHERE knowledge_base_id = ${owned.knowledgeBaseId} AND id = ANY(${documents.map(({ id }) => id)}::uuid[])
      AND external_id IS NOT NULL
    RETURNING id, created_at, updated_at, replaces`.execute(transaction);
  const latest = new Map(rows.map((row) => [row.id, row]));
  return documents.map((document) => ({ ...document, ...latest.get(document.id) }));
}

/** Finds all earlier documents with the external ids of the documents `ids`; `successor` is one of these. */
async function findEarlier(
  transaction: Queryable,
  { knowledgeBaseId }: OwnedKnowledgeBase,
  ids: string[],
): Promise<{ id: string; successor: string }[]> {
  const { rows } = await sql<{ id: string; successor: string }>`
    SELECT earlier.id, successor.id AS successor
    FROM documents AS successor JOIN documents AS earlier USING (knowledge_base_id, external_id)
    WHERE knowledge_base_id = ${knowledgeBaseId} AND successor.id = ANY(${ids}::uuid[])
      AND (earlier.created_at, earlier.id) < (successor.created_at, successor.id)`.execute(transaction);
  return rows;
}

/**
 * Makes documents current, which are published now: deletes all earlier documents with their external ids, finished or
 * not, and records which processed one each of them replaces. Documents without an external id replace none. The
 * external ids must be locked.
 * @returns the objects that no row refers to after the commit
 */
export async function replaceEarlier(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  documents: Pick<DocumentRow, 'id' | 'external_id'>[],
): Promise<string[]> {
  const ids = documents.filter(({ external_id }) => external_id !== null).map(({ id }) => id);
  const earlier = ids.length === 0 ? [] : await findEarlier(transaction, owned, ids);
  if (earlier.length === 0) return [];
  const earlierIds = earlier.map(({ id }) => id);
  // The import of an earlier file may hold the lock on its row.
  await announceDeletions(transaction, earlierIds);
  const found = await transaction
    .selectFrom('documents')
    .select(['id', 'status'])
    .where('knowledge_base_id', '=', owned.knowledgeBaseId)
    .where('id', 'in', earlierIds)
    .orderBy('id')
    .forUpdate()
    .execute();
  const processed = new Set(found.filter(({ status }) => status === 'processed').map(({ id }) => id));
  const replaced = earlier.filter(({ id }) => processed.has(id));
  await sql`
    UPDATE documents SET replaces = replaced.id
    FROM unnest(${replaced.map(({ id }) => id)}::uuid[], ${replaced.map(({ successor }) => successor)}::uuid[])
      AS replaced (id, successor)
    WHERE knowledge_base_id = ${owned.knowledgeBaseId} AND documents.id = successor`.execute(transaction);
  return await deleteDocuments(transaction, { ...owned, ids: found.map(({ id }) => id) });
}
