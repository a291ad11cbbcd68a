/** Deletes the documents whose external ids a new document has, in the transaction that publishes the new one. */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { announceDeletions } from '../database/rows/deletion-lock.ts';
import type { DocumentRow } from '../database/rows/documents/documents.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { deleteDocuments } from '../indexing/delete-documents.ts';
import { lockExternalIds, moveToLatest } from './locks.ts';

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
 * Deletes all earlier documents with the external ids of these documents, finished or not, and records which one each
 * of them replaces. The external ids must be locked.
 * @returns the objects that no row refers to after the commit
 */
export async function replaceEarlier(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  ids: string[],
): Promise<string[]> {
  const earlier = await findEarlier(transaction, owned, ids);
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

/**
 * Publishes the texts of this transaction: those with external ids replace the earlier documents with these.
 * @returns the rows as they are then, and the objects that no row refers to after the commit
 */
export async function publishTexts(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  texts: DocumentRow[],
): Promise<{ rows: DocumentRow[]; unreferenced: string[] }> {
  const named = texts.flatMap(({ id, external_id }) => (external_id === null ? [] : { id, external_id }));
  if (named.length === 0) return { rows: texts, unreferenced: [] };
  const ids = named.map(({ id }) => id);
  await lockExternalIds(
    transaction,
    owned,
    named.map(({ external_id }) => external_id),
  );
  await moveToLatest(transaction, owned, ids);
  const unreferenced = await replaceEarlier(transaction, owned, ids);
  const published = await transaction
    .selectFrom('documents')
    .selectAll()
    .where('knowledge_base_id', '=', owned.knowledgeBaseId)
    .where('id', 'in', ids)
    .execute();
  const byId = new Map(published.map((row) => [row.id, row]));
  return { rows: texts.map((row) => byId.get(row.id) ?? row), unreferenced };
}
