/** Checks everything that is stored: counters against a recount, rows against each other, files against their rows. */
import { sql } from 'kysely';
import { removeUnnamed } from './backup-lock.ts';
import { checkStatistics, repairStatistics } from './check-statistics.ts';
import { compareFiles, type FileComparison, findStoringKnowledgeBases } from './compare-files.ts';
import type { Database } from './database.ts';
import type { FileStore } from './file-store.ts';
import { forgetUpload } from './files.ts';

/** A document may be late by as much as the sweep of overdue imports and its own transaction need. */
const LATE_SECONDS = 60;

/** The longest life of an upload address, a week, and some time for its last upload: then a purge is wholly done. */
const DIRECT_UPLOADS_MAX_DAYS = 8;

/** After both import limits together no document is unfinished. `repair`: set right what can be. */
export type StoreCheck = {
  database: Database;
  files: FileStore;
  importTimeoutSeconds: number;
  importWaitSeconds: number;
  repair: boolean;
};

async function findKnowledgeBases(database: Database): Promise<string[]> {
  const rows = await database
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('deleted_at', 'is', null)
    .orderBy('knowledge_base_id')
    .execute();
  return rows.map((row) => row.knowledge_base_id);
}

/** Unfinished documents past their deadline, deleted knowledge bases that nothing purges, and what purges have left. */
async function checkLifeCycle({ database, files, ...limits }: StoreCheck): Promise<string[]> {
  const openDays = files.directUploads ? DIRECT_UPLOADS_MAX_DAYS : 0;
  const { rows } = await sql<{ line: string }>`
    SELECT 'document ' || knowledge_base_id || '_' || id || ' is still ' || status AS line FROM documents
    WHERE status IN ('pending', 'processing')
      AND (processing_since < now() - make_interval(secs => ${limits.importTimeoutSeconds + LATE_SECONDS})
        OR processing_since IS NULL
          AND created_at < now() - make_interval(secs => ${limits.importWaitSeconds + LATE_SECONDS}))
    UNION ALL
    SELECT 'knowledge base ' || knowledge_base_id || ' was deleted over an hour ago and is not purged'
    FROM knowledge_bases LEFT JOIN knowledge_base_statistics AS counters USING (knowledge_base_id)
    WHERE deleted_at < now() - interval '1 hour'
      AND (counters.knowledge_base_id IS NOT NULL OR deleted_at < now() - make_interval(days => ${openDays}))
    UNION ALL
    SELECT 'knowledge base ' || knowledge_base_id || ' has no counters' FROM knowledge_bases
    WHERE deleted_at IS NULL AND knowledge_base_id NOT IN (SELECT knowledge_base_id FROM knowledge_base_statistics)
    UNION
    SELECT 'rows of the unknown knowledge base ' || knowledge_base_id || ' in ' || place FROM (
      SELECT DISTINCT knowledge_base_id, 'lexeme_statistics' AS place FROM lexeme_statistics
      UNION SELECT DISTINCT knowledge_base_id, 'lexeme_changes' FROM lexeme_changes
      UNION SELECT DISTINCT knowledge_base_id, 'language_statistics' FROM language_statistics) AS found
    WHERE knowledge_base_id NOT IN (SELECT knowledge_base_id FROM knowledge_bases)`.execute(database);
  return rows.map(({ line }) => line);
}

/** Gives what is left of it. */
async function repairFiles(
  { database, files }: StoreCheck,
  { knowledgeBaseId, found }: { knowledgeBaseId: string; found: FileComparison },
): Promise<FileComparison> {
  const orphans: string[] = [];
  for (const objectName of found.orphans)
    if (!(await removeUnnamed({ database, files }, objectName))) orphans.push(objectName);
  const forgotten = found.lost.filter(({ documentId }) => documentId === null);
  for (const file of forgotten) await forgetUpload(database, { ...file, knowledgeBaseId });
  return { ...found, orphans, lost: found.lost.filter(({ documentId }) => documentId !== null) };
}

async function* checkFiles(check: StoreCheck, knowledgeBaseId: string): AsyncGenerator<string> {
  for await (const found of compareFiles(check, knowledgeBaseId)) {
    const { orphans, lost, misfits } = check.repair
      ? await repairFiles(check, { knowledgeBaseId, found })
      : found;
    yield* orphans.map((objectName) => `bytes that no file names: ${objectName}`);
    yield* lost.map(({ id, objectName }) => `the bytes of file ${id} are gone: ${objectName}`);
    yield* misfits.map(({ id, objectName }) => `the bytes of file ${id} have another length: ${objectName}`);
  }
}

/**
 * Everything that does not fit, a line each; with `repair`, what is left of it. A service may run meanwhile: only what
 * is wrong by itself is told, not what is under way.
 */
export async function* checkStore(check: StoreCheck): AsyncGenerator<string> {
  const { database, files, repair } = check;
  yield* await checkLifeCycle(check);
  for (const knowledgeBaseId of await findKnowledgeBases(database)) {
    let lines = await checkStatistics(database, knowledgeBaseId);
    if (repair && lines.length > 0) lines = await repairStatistics(database, knowledgeBaseId);
    for (const line of lines) yield `knowledge base ${knowledgeBaseId}: ${line}`;
  }
  const { live, unknown } = await findStoringKnowledgeBases(database, files);
  for (const knowledgeBaseId of live)
    for await (const line of checkFiles(check, knowledgeBaseId))
      yield `knowledge base ${knowledgeBaseId}: ${line}`;
  for (const knowledgeBaseId of unknown)
    for await (const line of checkFiles(check, knowledgeBaseId))
      yield `knowledge base ${knowledgeBaseId}, which this database does not know: ${line}`;
}
