/** The job that clears away what crashes and clients have left: unused tickets, bytes without a row, old answers. */
import { sql } from 'kysely';
import type { ScopedId } from '../ids.ts';
import type { Service } from '../service.ts';
import { removeUnnamed } from '../storage/backup-lock.ts';
import { compareFiles, findStoringKnowledgeBases } from '../storage/compare-files.ts';
import { filePrefix } from '../storage/file-store.ts';
import { removeOldAnswers } from '../storage/first-answers.ts';
import type { Attempt } from './job-queue.ts';

/** A ticket, used or not, that nobody has imported is kept so long past its expiry, to say what became of it. */
const UNIMPORTED_KEPT_DAYS = 7;
/** A purge that has not begun by then has lost its job. */
const PURGE_LATE_MINUTES = 1;

/** Removes tickets and uploads that were never imported, with their reservations; gives how many. */
export async function removeUnimportedFiles({ database, files }: Service): Promise<number> {
  const { rows } = await sql<ScopedId>`
    DELETE FROM files
    WHERE document_id IS NULL AND expires_at < now() - make_interval(days => ${UNIMPORTED_KEPT_DAYS})
    RETURNING knowledge_base_id AS "knowledgeBaseId", id`.execute(database);
  for (const file of rows) await removeUnnamed({ database, files }, filePrefix(file));
  return rows.length;
}

/** Asks again for the purge of every deleted knowledge base that is still there. */
export async function requeuePurges({ database, jobs }: Service): Promise<void> {
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
export async function sweepFiles(service: Service, signal: AbortSignal): Promise<void> {
  const { database, files, log } = service;
  const { live } = await findStoringKnowledgeBases(database, files);
  for (const knowledgeBaseId of live) {
    for await (const { orphans, lost } of compareFiles({ database, files }, knowledgeBaseId)) {
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
export async function sweepStorage(service: Service, { signal }: Attempt<object>): Promise<void> {
  await requeuePurges(service);
  await removeUnimportedFiles(service);
  await removeOldAnswers(service.database);
  await sweepFiles(service, signal);
}
