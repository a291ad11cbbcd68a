/** Deletes documents with all that was stored of them, and subtracts them from all statistics. */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { changeCounters } from '../database/rows/counters.ts';
import { toDocument } from '../database/rows/documents/documents.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { hasWebhooks, recordDocumentEvents } from '../database/rows/webhooks/webhook-events.ts';
import { insertRemovalDeltas } from './postings/document-frequencies.ts';

/** Documents of one knowledge base. */
type OwnedDocuments = OwnedKnowledgeBase & { ids: string[] };

async function uncountLanguages(
  transaction: Queryable,
  { knowledgeBaseId, ids }: OwnedDocuments,
): Promise<void> {
  await sql`
    MERGE INTO language_statistics AS counters USING (
      SELECT knowledge_base_id, language, count(*) AS passage_count FROM passages
      WHERE knowledge_base_id = ${knowledgeBaseId} AND document_id = ANY(${ids}::uuid[])
      GROUP BY knowledge_base_id, language) AS gone
    ON counters.knowledge_base_id = gone.knowledge_base_id AND counters.knowledge_base_id = ${knowledgeBaseId}
      AND counters.language = gone.language
    WHEN MATCHED AND counters.passage_count = gone.passage_count THEN DELETE
    WHEN MATCHED THEN UPDATE SET passage_count = counters.passage_count - gone.passage_count`.execute(
    transaction,
  );
}

/** Deletes the passages of documents, and subtracts them and `counted` from all statistics. */
export async function deletePassages(
  transaction: Queryable,
  owned: OwnedDocuments,
  counted: { documents: number; bytes: number },
): Promise<void> {
  const { knowledgeBaseId, ids } = owned;
  const { rows } = await sql<{ passages: number; length: number }>`
    SELECT count(*) AS passages, coalesce(sum(length), 0)::bigint AS length
    FROM passage_lexemes WHERE knowledge_base_id = ${knowledgeBaseId} AND document_id = ANY(${ids}::uuid[])`.execute(
    transaction,
  );
  const { passages, length } = rows[0] ?? { passages: 0, length: 0 };
  await changeCounters(transaction, knowledgeBaseId, {
    documents: -counted.documents,
    bytes: -counted.bytes,
    passages: -passages,
    length: -length,
  });
  if (passages > 0) {
    await insertRemovalDeltas(transaction, owned);
    await uncountLanguages(transaction, owned);
  }
  for (const table of ['passage_vectors', 'passage_lexemes', 'passages'] as const) {
    await transaction
      .deleteFrom(table)
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('document_id', 'in', ids)
      .execute();
  }
}

/**
 * Deletes documents of one knowledge base, with their passages and files, and records the events of the deletion. Their
 * rows must be locked.
 * @returns the names of the files' objects, to which no row refers after the commit
 */
export async function deleteDocuments(transaction: Queryable, owned: OwnedDocuments): Promise<string[]> {
  const { knowledgeBaseId, ids } = owned;
  if (ids.length === 0) return [];
  const counted = await transaction
    .selectFrom('documents')
    .select(sql<number>`coalesce(sum(storage_bytes), 0)::bigint`.as('bytes'))
    .select(({ fn }) => fn.countAll<number>().as('documents'))
    .select(hasWebhooks(sql`${owned.accountId}`).as('hasWebhooks'))
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  await deletePassages(transaction, owned, counted);
  const deleted = await transaction
    .deleteFrom('documents')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', 'in', ids)
    .returningAll()
    .execute();
  if (counted.hasWebhooks)
    await recordDocumentEvents(transaction, owned, {
      type: 'document.deleted',
      documents: deleted.map(toDocument),
    });
  const files = await transaction
    .deleteFrom('files')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('document_id', 'in', ids)
    .returning('object_name')
    .execute();
  return files.flatMap(({ object_name }) => object_name ?? []);
}
