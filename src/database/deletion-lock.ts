/**
 * Deletions take precedence over imports. One transaction stores a large document's passages and may take a minute. A
 * deletion needs the rows locked by that transaction: it announces itself, and the import aborts.
 */
import { sql } from 'kysely';
import type { Queryable } from './database.ts';

/** Thrown by an import that aborts for a deletion. The rollback of its transaction leaves nothing. */
export class DeletionAnnounced extends Error {
  constructor() {
    super('the import was aborted, because its document or knowledge base is being deleted');
  }
}

const LOCK_NAME = 'deletion of ';

/**
 * Makes imports into the knowledge base or of the document with this id abort, until the transaction ends. The caller
 * must own it, and must lock its row only after this call.
 */
export async function announceDeletion(transaction: Queryable, id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${LOCK_NAME + id}, 0))`.execute(transaction);
}

/**
 * Never waits.
 * @throws DeletionAnnounced when one of these ids is about to be deleted
 */
export async function abortIfDeletionAnnounced(transaction: Queryable, ids: string[]): Promise<void> {
  // A lock for this statement only: held until the transaction's end, it would block the deletion.
  const { rows } = await sql<{ announced: boolean }>`
    SELECT bool_or(CASE WHEN pg_try_advisory_lock_shared(lock) THEN NOT pg_advisory_unlock_shared(lock) ELSE true END)
      AS announced
    FROM unnest(${ids}::text[]) AS id, hashtextextended(${LOCK_NAME} || id, 0) AS lock`.execute(transaction);
  if (rows[0]?.announced) throw new DeletionAnnounced();
}
