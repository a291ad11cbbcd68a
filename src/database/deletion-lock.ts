/**
 * Deletions come before imports. A large document's passages are stored in one transaction that may take a minute, and
 * a deletion needs the rows that it holds: so the deletion announces itself, and the import gives way.
 */
import { sql } from 'kysely';
import type { Queryable } from './database.ts';

/** What an import throws that has given way; nothing of it stays. */
export class DeletionAnnounced extends Error {
  constructor() {
    super('the import gives way to a deletion');
  }
}

const LOCK_NAME = 'deletion of ';

/**
 * Makes imports into the knowledge base, or of the document, of this id give way until the transaction ends; whoever
 * asks must own it, and lock its row behind this.
 */
export async function announceDeletion(transaction: Queryable, id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${LOCK_NAME + id}, 0))`.execute(transaction);
}

/** @throws DeletionAnnounced when one of these is about to be deleted. Waits for nobody. */
export async function giveWayToDeletion(transaction: Queryable, ids: string[]): Promise<void> {
  // Held for no longer than this statement: to have it until the transaction's end would stop the deletion.
  const { rows } = await sql<{ announced: boolean }>`
    SELECT bool_or(CASE WHEN pg_try_advisory_lock_shared(lock) THEN NOT pg_advisory_unlock_shared(lock) ELSE true END)
      AS announced
    FROM unnest(${ids}::text[]) AS id, hashtextextended(${LOCK_NAME} || id, 0) AS lock`.execute(transaction);
  if (rows[0]?.announced) throw new DeletionAnnounced();
}
