/**
 * The locks of versions: on the content of an import, and after it on external ids. ../database/README.md lists them
 * among all locks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { abortIfDeletionAnnounced } from '../database/rows/deletion-lock.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { OwnedId } from '../terms/ids.ts';

/** Makes imports of the same contents that skip unchanged content take turns, until the transaction ends. */
export async function lockContents(transaction: Queryable, contents: ScopedContent[]): Promise<void> {
  const names = contents.map(
    ({ knowledgeBaseId, sha256, externalId = '' }) =>
      `content ${sha256.toString('hex')} in ${knowledgeBaseId} ${externalId}`,
  );
  await sql`
    SELECT pg_advisory_xact_lock(lock) FROM (
      SELECT DISTINCT hashtextextended(name, 0) AS lock FROM unnest(${names}::text[]) AS name
      ORDER BY lock) AS ordered`.execute(transaction);
}

type ScopedContent = { knowledgeBaseId: string; sha256: Buffer; externalId: string | undefined };

/** The number of the lock on the external id in the column or value `externalId`. */
const lockOf = (knowledgeBaseId: string, externalId: RawBuilder<unknown>) =>
  sql`hashtextextended(${`external id in ${knowledgeBaseId} `} || ${externalId}, 0)`;

/**
 * Locks external ids of a knowledge base until the transaction ends. Each transaction that accepts or publishes a
 * document with an external id takes this lock.
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
 * The same for the import of a file. It polls instead of waiting: it holds the row of its document, and a later import
 * may hold the external id and wait for that row (a deadlock).
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
 * The same for several files, without a wait: a transaction that waits for one external id must not hold another one,
 * on which the holder of the first may wait.
 * @returns whether all are locked
 */
export async function tryExternalIds(
  transaction: Queryable,
  { knowledgeBaseId }: OwnedKnowledgeBase,
  externalIds: string[],
): Promise<boolean> {
  const { rows } = await sql<{ areLocked: boolean }>`
    SELECT bool_and(pg_try_advisory_xact_lock(${lockOf(knowledgeBaseId, sql.ref('id'))})) AS "areLocked"
    FROM unnest(${externalIds}::text[]) AS id`.execute(transaction);
  return rows[0]?.areLocked ?? true;
}
