/** Checks everything that is stored: counters against a recount, rows against each other, files against their rows. */
import { sql } from 'kysely';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/connection/database.ts';
import { removeUnreferenced } from '../files/backup-lock.ts';
import type { FileStore } from '../files/file-store.ts';
import { clearUpload } from '../files/files.ts';
import {
  type FileComparison,
  type FileReference,
  findStoringKnowledgeBases,
  reconcileFiles,
} from '../files/reconcile.ts';
import { markStore } from '../files/store-identity.ts';
import { findForeignFiles } from '../serve/own-store.ts';
import { formatScopedId } from '../terms/ids.ts';
import { checkStatistics, repairStatistics } from './check-statistics.ts';

/** How long after its deadline a document may be unfinished. Servers end overdue imports every few seconds. */
const LATE_SECONDS = 60;

/** The longest validity of an upload address, a week, and a day for its last upload; then a purge is complete. */
const DIRECT_UPLOADS_MAX_DAYS = 8;

/** `repair`: correct as much as possible. `acceptLostFiles`: this store is the database's own, whatever it lacks. */
export type StoreCheck = {
  database: Database;
  files: FileStore;
  config: Pick<Config, 'importTimeoutSeconds' | 'importWaitSeconds' | 's3' | 'dataDir'>;
  repair: boolean;
  acceptLostFiles?: boolean | undefined;
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

/** Finds unfinished documents past their deadline, deleted knowledge bases without a purge, and remains of purges. */
async function checkLifeCycle({ database, files, config }: StoreCheck): Promise<string[]> {
  const openDays = files.directUploads ? DIRECT_UPLOADS_MAX_DAYS : 0;
  const { rows } = await sql<{ line: string }>`
    SELECT 'document ' || knowledge_base_id || '_' || id || ' is still ' || status
      || ': start a server or worker, which ends it' AS line FROM documents
    WHERE status IN ('pending', 'processing')
      AND (processing_since < now() - make_interval(secs => ${config.importTimeoutSeconds + LATE_SECONDS})
        OR processing_since IS NULL
          AND created_at < now() - make_interval(secs => ${config.importWaitSeconds + LATE_SECONDS}))
    UNION ALL
    SELECT 'knowledge base ' || knowledge_base_id
      || ' was deleted over an hour ago and is not purged: start a server or worker, which purges it'
    FROM knowledge_bases LEFT JOIN knowledge_base_statistics AS counters USING (knowledge_base_id)
    WHERE deleted_at < now() - interval '1 hour'
      AND (counters.knowledge_base_id IS NOT NULL OR deleted_at < now() - make_interval(days => ${openDays}))
    UNION ALL
    SELECT 'knowledge base ' || knowledge_base_id || ' has no counters' FROM knowledge_bases
    WHERE deleted_at IS NULL AND knowledge_base_id NOT IN (SELECT knowledge_base_id FROM knowledge_base_statistics)
    UNION
    SELECT 'rows of the unknown knowledge base ' || knowledge_base_id || ' in ' || table_name FROM (
      SELECT DISTINCT knowledge_base_id, 'document_frequencies' AS table_name FROM document_frequencies
      UNION SELECT DISTINCT knowledge_base_id, 'document_frequency_deltas' FROM document_frequency_deltas
      UNION SELECT DISTINCT knowledge_base_id, 'language_statistics' FROM language_statistics) AS found
    WHERE knowledge_base_id NOT IN (SELECT knowledge_base_id FROM knowledge_bases)`.execute(database);
  return rows.map(({ line }) => line);
}

/** Repairs the files; returns the remaining differences. */
async function repairFiles(
  { database, files }: StoreCheck,
  { knowledgeBaseId, found }: { knowledgeBaseId: string; found: FileComparison },
): Promise<FileComparison> {
  const orphans: string[] = [];
  for (const objectName of found.orphans)
    if (!(await removeUnreferenced({ database, files }, objectName))) orphans.push(objectName);
  const unimported = found.lost.filter(({ documentId }) => documentId === null);
  for (const file of unimported) await clearUpload(database, { ...file, knowledgeBaseId });
  return { ...found, orphans, lost: found.lost.filter(({ documentId }) => documentId !== null) };
}

/** Remedies for what the repair cannot correct, since the bytes or rows are lost. */
const REMEDIES = {
  document: '. This cannot be repaired: restore a backup, or delete the document and upload the file again.',
  upload: '. This cannot be repaired: restore a backup, or upload the file again.',
  counters: '. This cannot be repaired: restore a backup, or delete the documents and store them again.',
};

/** Quotes a title or file name; control characters become spaces. */
const quote = (name: string): string => `"${name.replaceAll(/\p{Cc}/gu, ' ')}"`;

/**
 * Returns a function that describes a problem of one of the `damaged` files. It names the document's title, or the
 * file's own name.
 */
async function createDescription(database: Database, knowledgeBaseId: string, damaged: FileReference[]) {
  const rows = damaged.length === 0 ? [] : await readNames(database, knowledgeBaseId, damaged);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return ({ id, documentId, objectName }: FileReference, what: string, remedy: string): string => {
    const kind = documentId === null ? 'upload' : 'document';
    const known = formatScopedId({ knowledgeBaseId, id: documentId ?? id });
    return `the bytes of ${kind} ${known} ${quote(names.get(id) ?? '')} ${what}: ${objectName}${remedy}`;
  };
}

/** Reads the titles of the files' documents; for a file without a document, its own name. */
async function readNames(database: Database, knowledgeBaseId: string, damaged: FileReference[]) {
  return await database
    .selectFrom('files')
    .leftJoin('documents', (join) =>
      join
        .onRef('documents.knowledge_base_id', '=', 'files.knowledge_base_id')
        .onRef('documents.id', '=', 'files.document_id'),
    )
    .select(({ fn }) => ['files.id', fn.coalesce('title', 'file_name').as('name')])
    .where('files.knowledge_base_id', '=', knowledgeBaseId)
    .where(
      'files.id',
      'in',
      damaged.map(({ id }) => id),
    )
    .execute();
}

async function* checkFiles(check: StoreCheck, knowledgeBaseId: string): AsyncGenerator<string> {
  for await (const found of reconcileFiles(check, knowledgeBaseId)) {
    const { orphans, lost, wrongLength } = check.repair
      ? await repairFiles(check, { knowledgeBaseId, found })
      : found;
    yield* orphans.map((objectName) => `stored object that no row of the database names: ${objectName}`);
    const describe = await createDescription(check.database, knowledgeBaseId, [...lost, ...wrongLength]);
    // The repair corrects a missing upload: the client can upload again.
    yield* lost.map((file) => describe(file, 'are gone', file.documentId === null ? '' : REMEDIES.document));
    yield* wrongLength.map((file) =>
      describe(file, 'have the wrong length', file.documentId === null ? REMEDIES.upload : REMEDIES.document),
    );
  }
}

/**
 * Lists all inconsistencies, one a line; with `repair`, the remaining ones. The service may run meanwhile: work in
 * progress is not reported as a problem.
 */
export async function* checkStore(check: StoreCheck): AsyncGenerator<string> {
  const { database, repair } = check;
  yield* await checkLifeCycle(check);
  for (const knowledgeBaseId of await findKnowledgeBases(database)) {
    let lines = await checkStatistics(database, knowledgeBaseId);
    if (repair && lines.length > 0) lines = await repairStatistics(database, knowledgeBaseId);
    const remedy = repair ? REMEDIES.counters : '';
    for (const line of lines) yield `knowledge base ${knowledgeBaseId}: ${line}${remedy}`;
  }
  yield* checkAllFiles(check);
}

/** Compares all files with their rows. If the store is not the database's own, says only that, and repairs nothing. */
async function* checkAllFiles(check: StoreCheck): AsyncGenerator<string> {
  const { database, files, config, acceptLostFiles = false } = check;
  if (acceptLostFiles) await markStore(database, files);
  const foreign = await findForeignFiles({ database, files }, config);
  if (foreign !== undefined) return void (yield `${foreign.problem} ${foreign.remedy}`);
  const { live, unknown } = await findStoringKnowledgeBases(database, files);
  for (const knowledgeBaseId of live)
    for await (const line of checkFiles(check, knowledgeBaseId))
      yield `knowledge base ${knowledgeBaseId}: ${line}`;
  for (const knowledgeBaseId of unknown)
    for await (const line of checkFiles(check, knowledgeBaseId))
      yield `knowledge base ${knowledgeBaseId}, which this database does not know: ${line}`;
}
