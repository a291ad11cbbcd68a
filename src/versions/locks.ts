/**
 * External ids: the callers' own ids of documents. A document takes the place of the earlier documents with its
 * external id when it is published. The order of the documents is that of their imports.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { abortIfDeletionAnnounced } from '../database/rows/deletion-lock.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { OwnedId } from '../terms/ids.ts';

/** The number of the lock on the external id in the column or value `externalId`. */
const lockOf = (knowledgeBaseId: string, externalId: RawBuilder<unknown>) =>
  sql`hashtextextended(${`external id in ${knowledgeBaseId} `} || ${externalId}, 0)`;

/**
 * Locks external ids of a knowledge base until the transaction ends. Each transaction that inserts or publishes a
 * document with an external id takes this lock: after the lock on the knowledge base, and before the rows of other
 * documents and the counters. The locks are taken in one order, so that no two transactions wait for each other.
 */
export async function lockExternalIds(
  transaction: Queryable,
  { knowledgeBaseId }: OwnedKnowledgeBase,
  externalIds: string[],
): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(lock) FROM (
      SELECT DISTINCT ${lockOf(knowledgeBaseId, sql.ref('id'))} AS lock FROM unnest(${externalIds}::text[]) AS id
      ORDER BY lock) AS ordered`.execute(transaction);
}

/** Interval between tries to take a lock that another transaction holds. */
const LOCK_POLL_MS = 20;

/**
 * The same for the import of a file, which has locked the row of its document. A later import may hold the lock on the
 * external id, and wait for that row.
 * @throws DeletionAnnounced when a later import, or a request, deletes the document
 */
export async function lockExternalIdOrAbort(
  transaction: Queryable,
  { knowledgeBaseId, id }: OwnedId,
  externalId: string,
): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isLocked: boolean }>`
      SELECT pg_try_advisory_xact_lock(${lockOf(knowledgeBaseId, sql`${externalId}::text`)}) AS "isLocked"`.execute(
      transaction,
    );
    if (rows[0]?.isLocked) return;
    await abortIfDeletionAnnounced(transaction, [knowledgeBaseId, id]);
    await delay(LOCK_POLL_MS);
  }
}

/**
 * Makes new documents later than all others with their external ids, which must be locked. Their `created_at` was the
 * beginning of their transaction, and another transaction may have inserted a document since.
 */
export async function moveToLatest(
  transaction: Queryable,
  { knowledgeBaseId }: OwnedKnowledgeBase,
  ids: string[],
): Promise<void> {
  // A common table expression, because Citus takes no clock in an UPDATE.
  await sql`
    WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
    UPDATE documents AS new SET (created_at, updated_at) = (
      SELECT latest, latest FROM (
        SELECT greatest((SELECT now FROM clock), max(created_at) + interval '1 millisecond') AS latest
        FROM documents AS other
        WHERE knowledge_base_id = ${knowledgeBaseId} AND external_id = new.external_id AND id <> new.id) AS time)
    WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ANY(${ids}::uuid[])`.execute(transaction);
}

/** The id of the processed document with this external id; undefined: there is none. */
export async function findProcessedId(
  database: Queryable,
  { knowledgeBaseId }: OwnedKnowledgeBase,
  externalId: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('documents')
    .select('id')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('external_id', '=', externalId)
    .where('status', '=', 'processed')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
