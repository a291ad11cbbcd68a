/** The job that collects garbage of crashes and clients: unused tickets, objects without a row, old answers. */
import { sql } from 'kysely';
import { removeExpiredAnswers } from '../database/idempotency-keys.ts';
import { removeUnnamed } from '../files/backup-lock.ts';
import { filePrefix, uploadNameOf } from '../files/file-store.ts';
import { discardObject, findUnsettled, settleUpload } from '../files/files.ts';
import { findStoringKnowledgeBases, reconcileFiles } from '../files/reconcile.ts';
import type { ScopedId } from '../ids.ts';
import type { Attempt } from './importers.ts';
import type { JobContext } from './job-context.ts';

/**
 * A ticket that was never imported, used or not, is kept this long past its expiry, so that its status can be queried.
 */
const UNIMPORTED_KEPT_DAYS = 7;
/** A purge that has not begun by then has lost its job. */
const PURGE_LATE_MINUTES = 1;

/** Removes tickets and uploads that were never imported, with their reservations; returns their number. */
export async function removeUnimportedFiles({ database, files }: JobContext): Promise<number> {
  const { rows } = await sql<ScopedId>`
    DELETE FROM files
    WHERE document_id IS NULL AND expires_at < now() - make_interval(days => ${UNIMPORTED_KEPT_DAYS})
    RETURNING knowledge_base_id AS "knowledgeBaseId", id`.execute(database);
  for (const file of rows) await removeUnnamed({ database, files }, filePrefix(file));
  return rows.length;
}

/**
 * Checks the store for direct uploads of expired tickets. A found one is kept like any upload; otherwise the ticket's
 * reservation ends. The ticket has counted until now, since its address may have been used.
 */
export async function settleUploads(
  { database, files, log }: JobContext,
  signal: AbortSignal,
): Promise<void> {
  for (const { sizeBytes, ...file } of await findUnsettled(database)) {
    signal.throwIfAborted();
    // Tickets issued before the store was changed have no direct upload to take.
    const taken = await files.directUploads?.take(file, sizeBytes);
    const isSettled = await settleUpload(database, file, taken);
    // The file was imported meanwhile, and has another object.
    if (taken !== undefined)
      await discardObject({ database, files, log }, isSettled ? uploadNameOf(file) : taken);
  }
}

/** Requests the purge of every deleted knowledge base that still exists, also for uploads since the last purge. */
export async function requeuePurges({ database, jobs }: JobContext): Promise<void> {
  const late = await database
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('deleted_at', '<', sql<Date>`now() - make_interval(mins => ${PURGE_LATE_MINUTES})`)
    .execute();
  for (const { knowledge_base_id } of late) await jobs.enqueuePurge(database, knowledge_base_id);
}

/** The number of files named in one log line. */
const NAMED_IN_LOG = 10;

/**
 * Removes the objects that no row names, and reports rows whose object is missing. It does no more on a missing object
 * or row: the objects of an unknown knowledge base may be another database's, and an empty store may be an unmounted
 * disk. An operator must judge both, and use `fsck --repair`.
 */
export async function removeOrphanedObjects(service: JobContext, signal: AbortSignal): Promise<void> {
  const { database, files, log } = service;
  const { live } = await findStoringKnowledgeBases(database, files);
  for (const knowledgeBaseId of live) {
    for await (const { orphans, lost } of reconcileFiles({ database, files }, knowledgeBaseId)) {
      signal.throwIfAborted();
      let removed = 0;
      for (const objectName of orphans)
        if (await removeUnnamed({ database, files }, objectName)) removed += 1;
      if (removed > 0) log.info({ knowledgeBaseId, removed }, 'removed orphaned bytes');
      const some = lost.slice(0, NAMED_IN_LOG).map(({ id }) => id);
      if (lost.length > 0) log.warn({ knowledgeBaseId, lost: lost.length, some }, 'bytes of files are gone');
    }
  }
}

/** One garbage collection; the next one finds whatever it has missed. */
export async function collectGarbage(service: JobContext, { signal }: Attempt<object>): Promise<void> {
  await requeuePurges(service);
  await removeExpiredAnswers(service.database);
  await settleUploads(service, signal);
  await removeUnimportedFiles(service);
  await removeOrphanedObjects(service, signal);
}
