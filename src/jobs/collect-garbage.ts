/** The job that collects garbage of crashes and clients: unused tickets, orphaned objects, old idempotency keys. */
import { sql } from 'kysely';
import { removeUnchangedImports } from '../database/rows/documents/document-addresses.ts';
import { removeExpiredSessions } from '../database/rows/ended-sessions.ts';
import { removeOldQueries } from '../database/rows/history/kept-queries.ts';
import { removeEndedJobs } from '../database/rows/jobs.ts';
import { removeExpiredAnswers } from '../database/rows/kept-answers.ts';
import { pruneDeliveries } from '../database/rows/webhooks/deliveries.ts';
import { removeUndeliverableEvents } from '../database/rows/webhooks/webhook-events.ts';
import { disableOverfullWebhooks } from '../database/rows/webhooks/webhooks.ts';
import { removeUnreferenced } from '../files/backup-lock.ts';
import { filePrefix, uploadNameOf } from '../files/file-store.ts';
import { discardObject, findUnsettled, settleUpload } from '../files/files.ts';
import { findStoringKnowledgeBases, reconcileFiles } from '../files/reconcile.ts';
import type { ScopedId } from '../terms/ids.ts';
import type { JobContext } from './job-context.ts';
import type { Attempt } from './workers.ts';

/** A ticket that was never imported is kept this long after its expiry, so that its status can be queried. */
const UNIMPORTED_KEPT_DAYS = 7;
/** A purge that has not begun by then has lost its job. */
const PURGE_LATE_MINUTES = 1;
/** As long the id of an import by address that made nothing new leads to the document that is there. */
const UNCHANGED_KEPT_DAYS = 7;
/** Ended jobs are kept this long: `doctor` looks back half as far. */
const ENDED_JOBS_KEPT_SECONDS = 600;

/** Removes tickets and uploads that were never imported, with their reservations; returns their number. */
export async function removeUnimportedFiles({ database, files }: JobContext): Promise<number> {
  const { rows } = await sql<ScopedId>`
    DELETE FROM files
    WHERE document_id IS NULL AND expires_at < now() - make_interval(days => ${UNIMPORTED_KEPT_DAYS})
    RETURNING knowledge_base_id AS "knowledgeBaseId", id`.execute(database);
  for (const file of rows) await removeUnreferenced({ database, files }, filePrefix(file));
  return rows.length;
}

/**
 * Checks the store for direct uploads of expired tickets. If it finds one, it keeps it like any upload. Otherwise it
 * ends the ticket's reservation. The reservation lasts until this check, since the client may have used the address.
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

/** Requests the purge of every deleted knowledge base whose row exists: it may have uploads since the last purge. */
export async function requeuePurges({ database, jobs }: JobContext): Promise<void> {
  const late = await database
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('deleted_at', '<', sql<Date>`now() - make_interval(mins => ${PURGE_LATE_MINUTES})`)
    .execute();
  for (const { knowledge_base_id } of late) await jobs.enqueuePurge(database, knowledge_base_id);
}

/** The maximum number of files listed in one log line. */
const NAMED_IN_LOG = 10;

/**
 * Removes the objects that no row refers to, and logs the rows whose object is missing. It never removes a row, since
 * an empty store may be an unmounted disk. It never removes objects of an unknown knowledge base, since they may belong
 * to another database. An operator must judge both, and use `fsck --repair`.
 */
export async function removeOrphanedObjects(service: JobContext, signal: AbortSignal): Promise<void> {
  const { database, files, log } = service;
  const { live } = await findStoringKnowledgeBases(database, files);
  for (const knowledgeBaseId of live) {
    for await (const { orphans, lost } of reconcileFiles({ database, files }, knowledgeBaseId)) {
      signal.throwIfAborted();
      let removed = 0;
      for (const objectName of orphans)
        if (await removeUnreferenced({ database, files }, objectName)) removed += 1;
      if (removed > 0) log.info({ knowledgeBaseId, removed }, 'removed orphaned objects');
      const some = lost.slice(0, NAMED_IN_LOG).map(({ id }) => id);
      if (lost.length > 0)
        log.warn({ knowledgeBaseId, lost: lost.length, some }, 'objects of files are missing');
    }
  }
}

/** Disables webhooks for which too many events wait, and removes events and deliveries that are not needed any more. */
export async function pruneWebhooks({ database, log }: JobContext, signal: AbortSignal): Promise<void> {
  for (const webhookId of await disableOverfullWebhooks(database))
    log.warn({ webhookId, reason: 'too many events wait' }, 'a webhook was disabled');
  await removeUndeliverableEvents(database, signal);
  await pruneDeliveries(database);
}

/** One garbage collection. The next one removes what this one has missed. */
export async function collectGarbage(service: JobContext, { signal }: Attempt<object>): Promise<void> {
  await requeuePurges(service);
  await removeEndedJobs(service.database, ENDED_JOBS_KEPT_SECONDS);
  await removeExpiredAnswers(service.database);
  await removeExpiredSessions(service.database);
  await removeOldQueries(service.database);
  await removeUnchangedImports(service.database, UNCHANGED_KEPT_DAYS);
  await pruneWebhooks(service, signal);
  await settleUploads(service, signal);
  await removeUnimportedFiles(service);
  await removeOrphanedObjects(service, signal);
}
