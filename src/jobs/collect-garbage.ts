/** The job that clears away what crashes and clients have left: unused tickets, bytes without a row, old answers. */
import { sql } from 'kysely';
import { removeOldAnswers } from '../database/idempotency-keys.ts';
import { removeUnnamed } from '../files/backup-lock.ts';
import { filePrefix, uploadNameOf } from '../files/file-store.ts';
import { discardObject, findUnsettled, settleUpload } from '../files/files.ts';
import { findStoringKnowledgeBases, reconcileFiles } from '../files/reconcile.ts';
import type { ScopedId } from '../ids.ts';
import type { Attempt } from './importers.ts';
import type { JobContext } from './job-context.ts';

/** A ticket, used or not, that nobody has imported is kept so long past its expiry, to say what became of it. */
const UNIMPORTED_KEPT_DAYS = 7;
/** A purge that has not begun by then has lost its job. */
const PURGE_LATE_MINUTES = 1;

/** Removes tickets and uploads that were never imported, with their reservations; gives how many. */
export async function removeUnimportedFiles({ database, files }: JobContext): Promise<number> {
  const { rows } = await sql<ScopedId>`
    DELETE FROM files
    WHERE document_id IS NULL AND expires_at < now() - make_interval(days => ${UNIMPORTED_KEPT_DAYS})
    RETURNING knowledge_base_id AS "knowledgeBaseId", id`.execute(database);
  for (const file of rows) await removeUnnamed({ database, files }, filePrefix(file));
  return rows.length;
}

/**
 * Looks for what clients have sent straight to the store with tickets that have expired: it is kept like any upload,
 * or else the ticket reserves nothing any more. Until then it has counted, since its address may have been used.
 */
export async function settleUploads(
  { database, files, log }: JobContext,
  signal: AbortSignal,
): Promise<void> {
  for (const { sizeBytes, ...file } of await findUnsettled(database)) {
    signal.throwIfAborted();
    // Of tickets from before the store was changed nothing can be taken.
    const taken = await files.directUploads?.take(file, sizeBytes);
    const isSettled = await settleUpload(database, file, taken);
    // Imported meanwhile, it has bytes of its own.
    if (taken !== undefined)
      await discardObject({ database, files, log }, isSettled ? uploadNameOf(file) : taken);
  }
}

/** Asks again for the purge of every deleted knowledge base that is still there, also for what was sent since the last. */
export async function requeuePurges({ database, jobs }: JobContext): Promise<void> {
  const late = await database
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('deleted_at', '<', sql<Date>`now() - make_interval(mins => ${PURGE_LATE_MINUTES})`)
    .execute();
  for (const { knowledge_base_id } of late) await jobs.enqueuePurge(database, knowledge_base_id);
}

/** How many files a line of the log names. */
const NAMED_IN_LOG = 10;

/**
 * Removes the bytes that no row names, and tells of rows whose bytes are gone. Nothing else follows from an absence
 * here: the bytes of an unknown knowledge base may be another database's, and an empty store may be a disk that is not
 * mounted. Both are for a person to judge, and for `fsck --repair`.
 */
export async function sweepFiles(service: JobContext, signal: AbortSignal): Promise<void> {
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

/** One sweep; whatever it has missed comes with the next one. */
export async function collectGarbage(service: JobContext, { signal }: Attempt<object>): Promise<void> {
  await requeuePurges(service);
  await removeOldAnswers(service.database);
  await settleUploads(service, signal);
  await removeUnimportedFiles(service);
  await sweepFiles(service, signal);
}
