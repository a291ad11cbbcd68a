/**
 * Deletions take precedence over imports. One transaction stores a large document's passages and may take a minute. A
 * deletion needs the rows locked by that transaction: it announces itself, and the import aborts.
 */
import { sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';

/** Thrown by an import that aborts for a deletion. The rollback of its transaction leaves nothing. */
export class DeletionAnnounced extends Error {
  constructor() {
    super('the import was aborted, because its document or knowledge base is being deleted');
  }
}

const LOCK_NAME = 'deletion of ';

/**
 * Makes imports into the knowledge bases or of the documents with these ids abort, until the transaction ends. The
 * caller must own them, and locks their rows after this call (see ../README.md).
 */
export async function announceDeletions(transaction: Queryable, ids: string[]): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(lock) FROM (
      SELECT DISTINCT hashtextextended(${LOCK_NAME} || id, 0) AS lock FROM unnest(${ids}::text[]) AS id
      ORDER BY lock) AS ordered`.execute(transaction);
}

export const announceDeletion = (transaction: Queryable, id: string): Promise<void> =>
  announceDeletions(transaction, [id]);

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
