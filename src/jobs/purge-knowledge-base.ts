/** The job that removes the contents of a deleted knowledge base, in small steps that do not delay other work. */
import { sql } from 'kysely';
import type { Database } from '../database/connection/database.ts';
import { recordStorage } from '../database/distribution/recorded-storage.ts';
import { forgetKnowledgeBase } from '../database/rows/history/kept-queries.ts';
import { CONTENT_TABLES, FIRST_TABLE } from '../database/schema/distributed-tables.ts';
import { removeUnreferenced } from '../files/backup-lock.ts';
import { LATE_UPLOAD_SECONDS } from '../files/file-store.ts';
import { dropFrequencyDeltas } from '../indexing/postings/document-frequencies.ts';
import type { JobContext } from './job-context.ts';
import type { Attempt } from './workers.ts';

const ROWS_PER_STEP = 2_000;

/** All tables of content but the knowledge bases themselves, each before the tables that it refers to. */
const TABLES_BELOW = CONTENT_TABLES.filter((table) => table !== FIRST_TABLE).toReversed();

async function deleteSome(database: Database, table: string, knowledgeBaseId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${sql.table(table)} WHERE knowledge_base_id = ${knowledgeBaseId} LIMIT ${ROWS_PER_STEP}))
    AND knowledge_base_id = ${knowledgeBaseId}`.execute(database);
  return Number(numAffectedRows);
}

/**
 * Removes every row and object of a knowledge base marked as deleted; may be repeated at any point. The row in
 * `knowledge_bases` stays while a client may still use an upload address from before the deletion. While the row
 * exists, garbage collection requests the purge again.
 */
export async function purgeKnowledgeBase(
  { database, files, config }: JobContext,
  { payload: { knowledgeBaseId }, signal }: Attempt<{ knowledgeBaseId: string }>,
): Promise<void> {
  await recordStorage(database, knowledgeBaseId);
  await dropFrequencyDeltas(database, knowledgeBaseId);
  await sql`DELETE FROM synonym_groups WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(database);
  await forgetKnowledgeBase(database, knowledgeBaseId);
  for (const table of TABLES_BELOW) {
    while ((await deleteSome(database, table, knowledgeBaseId)) > 0) signal.throwIfAborted();
  }
  // The queue tries again. After the last try, garbage collection requests the purge again.
  if (!(await removeUnreferenced({ database, files }, knowledgeBaseId)))
    throw new Error('a running backup may still read the objects of the knowledge base');
  const openSeconds = files.directUploads ? config.uploadTicketTtlSeconds + LATE_UPLOAD_SECONDS : 0;
  await sql`
    DELETE FROM knowledge_bases WHERE knowledge_base_id = ${knowledgeBaseId}
      AND deleted_at <= now() - make_interval(secs => ${openSeconds})`.execute(database);
}
