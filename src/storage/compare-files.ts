/** Holds the rows of `files` against the objects of the store, in both directions, one knowledge base at a time. */
import { sql } from 'kysely';
import type { Queryable } from './database.ts';
import { type FileStore, type ListedObject, uploadNameOf } from './file-store.ts';

/** A row that says its bytes have arrived; `documentId` null: not imported yet. */
export type UploadedFile = { id: string; objectName: string; sizeBytes: number; documentId: string | null };

/** `orphans`: objects that no row names. `lost`: rows whose object is gone. `misfits`: rows of another length. */
export type FileComparison = { orphans: string[]; lost: UploadedFile[]; misfits: UploadedFile[] };

/** An object comes before its row, and lives without one for as long as an upload or a removal takes: minutes. */
export const ORPHAN_AGE_MS = 3_600_000;

/**
 * Every object that rows of a live knowledge base name. `arrived` false: a ticket whose bytes may have come, or may
 * still come, straight to the store.
 */
async function readNames(database: Queryable, knowledgeBaseId: string) {
  const { rows } = await sql<Omit<UploadedFile, 'objectName'> & { objectName: string | null }>`
    SELECT id, object_name AS "objectName", size_bytes AS "sizeBytes", document_id AS "documentId"
    FROM files JOIN knowledge_bases USING (knowledge_base_id)
    WHERE knowledge_base_id = ${knowledgeBaseId} AND deleted_at IS NULL`.execute(database);
  return rows.map(({ objectName, ...file }) => ({
    ...file,
    objectName: objectName ?? uploadNameOf({ knowledgeBaseId, id: file.id }),
    arrived: objectName !== null,
  }));
}

async function readObjects(files: FileStore, knowledgeBaseId: string): Promise<Map<string, ListedObject>> {
  const objects = new Map<string, ListedObject>();
  for await (const object of files.listObjects(knowledgeBaseId)) objects.set(object.objectName, object);
  return objects;
}

/**
 * Compares one knowledge base beside running uploads and deletions: rows are read before and after the objects, and
 * only what both readings agree on counts. Objects younger than an hour are nobody's orphans yet.
 */
export async function compareFiles(
  { database, files }: { database: Queryable; files: FileStore },
  knowledgeBaseId: string,
): Promise<FileComparison> {
  const before = await readNames(database, knowledgeBaseId);
  const objects = await readObjects(files, knowledgeBaseId);
  const after = await readNames(database, knowledgeBaseId);
  const named = new Set([...before, ...after].map(({ objectName }) => objectName));
  const stillNamed = new Set(after.map(({ objectName }) => objectName));
  const arrived = before.filter(({ objectName, arrived }) => arrived && stillNamed.has(objectName));
  return {
    orphans: [...objects.values()]
      .filter(({ objectName, modifiedAt }) => !named.has(objectName) && isOld(modifiedAt))
      .map(({ objectName }) => objectName),
    lost: arrived.filter(({ objectName }) => !objects.has(objectName)),
    misfits: arrived.filter(({ objectName, sizeBytes }) => {
      const object = objects.get(objectName);
      return object !== undefined && object.sizeBytes !== sizeBytes;
    }),
  };
}

const isOld = (modifiedAt: Date): boolean => Date.now() - modifiedAt.getTime() > ORPHAN_AGE_MS;

/**
 * The knowledge bases that have rows or objects, each once; deleted ones are their purges' matter. `unknown`: this
 * database has no such knowledge base, but another one that shares the store may.
 */
export async function findStoringKnowledgeBases(
  database: Queryable,
  files: FileStore,
): Promise<{ live: string[]; unknown: string[] }> {
  const rows = await database.selectFrom('files').select('knowledge_base_id').distinct().execute();
  const found = new Set(rows.map((row) => row.knowledge_base_id));
  for await (const knowledgeBaseId of files.listKnowledgeBases()) found.add(knowledgeBaseId);
  // Asked for last: of each one that has stored anything so far, the row is there.
  const known = await database
    .selectFrom('knowledge_bases')
    .select(['knowledge_base_id', 'deleted_at'])
    .execute();
  const isLive = new Map(known.map((row) => [row.knowledge_base_id, row.deleted_at === null]));
  return {
    live: [...found].filter((id) => isLive.get(id)),
    unknown: [...found].filter((id) => !isLive.has(id)),
  };
}
