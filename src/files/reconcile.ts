/** Reconciles the rows of `files` with the objects of the store, in both directions, a thousand at a time. */
import { sql } from 'kysely';
import { readDatabaseTime } from '../database/connection/clock.ts';
import type { Queryable } from '../database/connection/database.ts';
import { type FileStore, isUploadName, type ListedObject, uploadNameOf } from './file-store.ts';

/** A row whose upload has arrived; `documentId` null: not imported yet. */
export type FileReference = { id: string; objectName: string; sizeBytes: number; documentId: string | null };

/**
 * `orphans`: objects that no row refers to. `lost`: rows whose object is missing. `wrongLength`: rows with another
 * length than their object.
 */
export type FileComparison = { orphans: string[]; lost: FileReference[]; wrongLength: FileReference[] };

/** During an upload or a removal, which takes minutes, an object exists without a row that refers to it. */
const ORPHAN_AGE_MS = 3_600_000;

/** Files and objects in memory at once: as many as S3 lists in one response. */
const PAGE_SIZE = 1_000;

/** The greatest file id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** File ids after `after` (undefined: from the first) up to `upTo`. */
type Range = { after: string | undefined; upTo: string };

type ReferenceRow = Omit<FileReference, 'objectName'> & { objectName: string | null; isSettled: boolean };

/**
 * Reads the rows of a knowledge base that is not deleted, in the order of file ids, `limit` at most, each with the
 * object that it refers to. `arrived` is false for a ticket without a recorded upload. Until it is settled, such a
 * ticket refers to its direct upload, which may exist or may still arrive.
 */
async function readReferences(
  database: Queryable,
  knowledgeBaseId: string,
  { after, upTo, limit }: Range & { limit?: number },
) {
  const { rows } = await sql<ReferenceRow>`
    SELECT id, object_name AS "objectName", size_bytes AS "sizeBytes", document_id AS "documentId",
      coalesce(reserved_until > expires_at, false) AS "isSettled"
    FROM files JOIN knowledge_bases USING (knowledge_base_id)
    WHERE knowledge_base_id = ${knowledgeBaseId} AND deleted_at IS NULL
      AND (${after ?? null}::uuid IS NULL OR id > ${after ?? null}::uuid) AND id <= ${upTo}::uuid
    ORDER BY id LIMIT ${limit ?? null}::bigint`.execute(database);
  return rows.map(({ objectName, isSettled, ...file }) => ({
    ...file,
    objectName: objectName ?? (isSettled ? '' : uploadNameOf({ knowledgeBaseId, id: file.id })),
    arrived: objectName !== null,
  }));
}

const fileIdOf = (objectName: string): string => objectName.split('/')[1] ?? '';

/** Lists the objects of a page; the returned `upTo` is the last file whose objects are all on the page. */
async function readObjects(files: FileStore, knowledgeBaseId: string, { after, upTo }: Range) {
  const objects = new Map<string, ListedObject>();
  let lastId = '';
  for await (const object of files.listObjects(knowledgeBaseId, after)) {
    const id = fileIdOf(object.objectName);
    if (id > upTo) break;
    if (objects.size >= PAGE_SIZE && id !== lastId) return { objects, upTo: lastId };
    objects.set(object.objectName, object);
    lastId = id;
  }
  return { objects, upTo };
}

/**
 * Compares one knowledge base page by page, while uploads and deletions run. For each page it reads the rows before
 * and after it lists the objects, and reports only findings that both reads confirm. It lists the objects anew for each
 * page: an older list would lack recent uploads. An object younger than an hour is no orphan yet. Direct uploads are an
 * exception: their row existed before the client had the address.
 */
export async function* reconcileFiles(
  { database, files }: { database: Queryable; files: FileStore },
  knowledgeBaseId: string,
): AsyncGenerator<FileComparison> {
  let after: string | undefined;
  do {
    const rows = await readReferences(database, knowledgeBaseId, { after, upTo: LAST_ID, limit: PAGE_SIZE });
    const rowsEnd = rows.length < PAGE_SIZE ? LAST_ID : (rows.at(-1)?.id ?? LAST_ID);
    const { objects, upTo } = await readObjects(files, knowledgeBaseId, { after, upTo: rowsEnd });
    yield comparePage({
      now: await readDatabaseTime(database),
      before: rows.filter(({ id }) => id <= upTo),
      objects,
      after: await readReferences(database, knowledgeBaseId, { after, upTo }),
    });
    after = upTo;
  } while (after !== LAST_ID);
}

type References = Awaited<ReturnType<typeof readReferences>>;
type Page = { now: Date; before: References; objects: Map<string, ListedObject>; after: References };

function comparePage({ now, before, objects, after }: Page): FileComparison {
  const referenced = new Set([...before, ...after].map(({ objectName }) => objectName));
  const stillReferenced = new Set(after.map(({ objectName }) => objectName));
  const arrived = before.filter(({ objectName, arrived }) => arrived && stillReferenced.has(objectName));
  return {
    orphans: [...objects.values()]
      .filter(
        ({ objectName, modifiedAt }) =>
          !referenced.has(objectName) && (isUploadName(objectName) || isOld(modifiedAt, now)),
      )
      .map(({ objectName }) => objectName),
    lost: arrived.filter(({ objectName }) => !objects.has(objectName)),
    wrongLength: arrived.filter(({ objectName, sizeBytes }) => {
      const object = objects.get(objectName);
      return object !== undefined && object.sizeBytes !== sizeBytes;
    }),
  };
}

/**
 * Old by the clock of the database and by the clock of this server: the time of an object comes from the clock of its
 * store, which may differ from both. With a disk it is the server's.
 */
const isOld = (modifiedAt: Date, now: Date): boolean =>
  Math.min(now.getTime(), Date.now()) - modifiedAt.getTime() > ORPHAN_AGE_MS;

/**
 * Finds the knowledge bases with rows or objects, each once. Omits deleted ones, which purges handle. `unknown`: this
 * database has no such knowledge base, but another database that shares the store may have it.
 */
export async function findStoringKnowledgeBases(
  database: Queryable,
  files: FileStore,
): Promise<{ live: string[]; unknown: string[] }> {
  const rows = await database.selectFrom('files').select('knowledge_base_id').distinct().execute();
  const found = new Set(rows.map((row) => row.knowledge_base_id));
  for await (const knowledgeBaseId of files.listKnowledgeBases()) found.add(knowledgeBaseId);
  // Queried last, so that each knowledge base found above has its row.
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
