/** Upload tickets and the uploaded files that they become. */
import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Logger } from 'pino';
import type { DocumentFile, DocumentType } from '../../generated/types.gen.ts';
import { databaseNow } from '../database/connection/clock.ts';
import type { Database, Queryable } from '../database/connection/database.ts';
import { prepare, prepareRead } from '../database/connection/prepared.ts';
import { requireDocument, type SoughtId } from '../database/rows/documents/documents.ts';
import type { Tables } from '../database/schema/tables.ts';
import { documentHasNoFile } from '../terms/errors.ts';
import { formatScopedId, type OwnedId, type ScopedId } from '../terms/ids.ts';
import { removeUnreferenced } from './backup-lock.ts';
import { type FileStore, LATE_UPLOAD_SECONDS, type StoredObject } from './file-store.ts';

/** An upload ticket: a file whose bytes have not arrived yet. */
type Ticket = ScopedId & {
  accountId: string;
  fileName: string;
  sizeBytes: number;
  createdAt: Date;
  expiresAt: Date;
  /** Undefined for direct uploads, whose reservation lasts until `settleUpload`. */
  reservedUntil: Date | undefined;
};

/** Inserts a ticket. Its bytes count as stored while they may arrive. */
export async function insertTicket(
  transaction: Queryable,
  { knowledgeBaseId, id, accountId, ...ticket }: Ticket,
): Promise<void> {
  await transaction
    .insertInto('files')
    .values({
      knowledge_base_id: knowledgeBaseId,
      id,
      account_id: accountId,
      file_name: ticket.fileName,
      size_bytes: ticket.sizeBytes,
      created_at: ticket.createdAt,
      expires_at: ticket.expiresAt,
      reserved_until: ticket.reservedUntil ?? null,
    })
    .execute();
}

/**
 * A file whose bytes have arrived without a ticket. `stored`: its object. `documentId`: of the document that has it.
 */
type ArrivedFile = ScopedId & {
  accountId: string;
  fileName: string;
  sizeBytes: number;
  stored: StoredObject;
  documentId?: string;
};

/** Inserts a file whose bytes are stored already. Returns its row. */
export async function insertArrivedFile(
  transaction: Queryable,
  { knowledgeBaseId, id, accountId, fileName, sizeBytes, stored, documentId }: ArrivedFile,
): Promise<Selectable<Tables['files']>> {
  return await transaction
    .insertInto('files')
    .values({
      knowledge_base_id: knowledgeBaseId,
      id,
      account_id: accountId,
      file_name: fileName,
      size_bytes: sizeBytes,
      object_name: stored.objectName,
      sha256: stored.sha256,
      document_id: documentId ?? null,
      created_at: databaseNow,
      expires_at: databaseNow,
      uploaded_at: databaseNow,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const insertArrived = prepare(
  'insert_arrived_files',
  ['knowledgeBaseId', 'accountId', 'ids', 'fileNames', 'sizes', 'objectNames', 'hashes', 'documentIds'],
  (values) => sql`
    INSERT INTO files (knowledge_base_id, id, account_id, file_name, size_bytes, object_name, sha256, document_id,
      created_at, expires_at, uploaded_at)
    SELECT ${values.knowledgeBaseId}::uuid, id, ${values.accountId}::uuid, file_name, size_bytes, object_name, sha256,
      document_id, ${databaseNow}, ${databaseNow}, ${databaseNow}
    FROM unnest(${values.ids}::uuid[], ${values.fileNames}::text[], ${values.sizes}::bigint[],
        ${values.objectNames}::text[], ${values.hashes}::bytea[], ${values.documentIds}::uuid[])
      AS file (id, file_name, size_bytes, object_name, sha256, document_id)`,
);

/** Inserts files of one knowledge base whose bytes are stored already, each with its document. */
export async function insertArrivedFiles(
  transaction: Queryable,
  owned: { accountId: string; knowledgeBaseId: string },
  files: { id: string; fileName: string; sizeBytes: number; stored: StoredObject; documentId: string }[],
): Promise<void> {
  await insertArrived(transaction, {
    ...owned,
    ids: files.map(({ id }) => id),
    fileNames: files.map(({ fileName }) => fileName),
    sizes: files.map(({ sizeBytes }) => sizeBytes),
    objectNames: files.map(({ stored }) => stored.objectName),
    hashes: files.map(({ stored }) => stored.sha256),
    documentIds: files.map(({ documentId }) => documentId),
  });
}

const isExpired = sql<boolean>`expires_at <= now()`;

/**
 * Finds a file, of any account, in a knowledge base that is not deleted. `expired`: its ticket has expired.
 * @returns undefined when there is no such file
 */
export async function findFile(database: Queryable, { knowledgeBaseId, id }: ScopedId) {
  return await database
    .selectFrom('files')
    .innerJoin('knowledge_bases', 'knowledge_bases.knowledge_base_id', 'files.knowledge_base_id')
    .selectAll('files')
    .select(isExpired.as('expired'))
    .where('files.knowledge_base_id', '=', knowledgeBaseId)
    .where('files.id', '=', id)
    .where('knowledge_bases.deleted_at', 'is', null)
    .executeTakeFirst();
}

const findOfDocument = prepareRead(
  'find_document_file',
  ['knowledgeBaseId', 'id', 'accountId'],
  ({ knowledgeBaseId, id, accountId }) => sql<
    FileRow & { file_name: string; size_bytes: number; object_name: string | null }
  >`
    SELECT knowledge_base_id, id, sha256, uploaded_at, file_name, size_bytes, object_name FROM files
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND document_id = ${id}::uuid
      AND account_id = ${accountId}::uuid`,
);

/** Selects the file from which an account's document was imported. */
export async function findDocumentFile(database: Queryable, { knowledgeBaseId, id, accountId }: OwnedId) {
  const [file] = await findOfDocument(database, { knowledgeBaseId, id, accountId });
  return file;
}

/** The file of a document. `objectName`: its bytes. */
export type Original = {
  file: DocumentFile;
  fileName: string;
  type: DocumentType;
  sizeBytes: number;
  objectName: string;
};

/**
 * Finds the file from which an account's document was imported, whatever became of the import.
 * @throws DOCUMENT_NOT_FOUND, DOCUMENT_HAS_NO_FILE
 */
export async function requireOriginal(database: Queryable, document: SoughtId): Promise<Original> {
  const { type } = await requireDocument(database, document);
  const row = await findDocumentFile(database, document);
  if (row === undefined || row.object_name === null) throw documentHasNoFile();
  const { file_name: fileName, size_bytes: sizeBytes, object_name: objectName } = row;
  return { file: toDocumentFile(row), fileName, type, sizeBytes, objectName };
}

export const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/**
 * Stores the hash of an object that was uploaded directly, and therefore was not hashed on arrival. Its document comes
 * before the file, as in a deletion of the document: in the other order each could wait for the other.
 */
export async function recordHash(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  bytes: Uint8Array,
): Promise<void> {
  await sql`
    WITH document AS (
      UPDATE documents SET sha256 = ${hashOf(bytes)} WHERE knowledge_base_id = ${knowledgeBaseId} AND file_id = ${id}
      RETURNING knowledge_base_id, file_id, sha256)
    UPDATE files SET sha256 = document.sha256 FROM document
    WHERE files.knowledge_base_id = document.knowledge_base_id AND files.id = document.file_id`.execute(
    database,
  );
}

/**
 * Checks whether a ticket's file was uploaded directly to the store, and takes the upload if so.
 * @returns the name of the new object, to which no row refers until `recordUpload`; undefined: there is no upload, or
 * it went through this service
 */
export async function takeDirectUpload(
  { database, files }: { database: Queryable; files: FileStore },
  file: ScopedId & { accountId: string },
): Promise<string | undefined> {
  if (files.directUploads === undefined) return undefined;
  const found = await findFile(database, file);
  if (found === undefined || found.account_id !== file.accountId || found.uploaded_at !== null)
    return undefined;
  return await files.directUploads.take(file, found.size_bytes);
}

/** Finds the expired tickets for which the store has not been checked since. */
export async function findUnsettled(database: Queryable): Promise<(ScopedId & { sizeBytes: number })[]> {
  const { rows } = await sql<ScopedId & { sizeBytes: number }>`
    SELECT knowledge_base_id AS "knowledgeBaseId", id, size_bytes AS "sizeBytes"
    FROM files JOIN knowledge_bases USING (knowledge_base_id)
    WHERE document_id IS NULL AND uploaded_at IS NULL AND reserved_until IS NULL AND deleted_at IS NULL
      AND expires_at < now() - make_interval(secs => ${LATE_UPLOAD_SECONDS})`.execute(database);
  return rows;
}

/**
 * Settles an expired ticket: ends its reservation, and records the object that was `taken`, if there is one. Does
 * nothing when the file has been imported or deleted meanwhile.
 * @returns whether it has settled the ticket
 */
export async function settleUpload(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  taken: string | undefined,
): Promise<boolean> {
  const settled = await database
    .updateTable('files')
    .set({
      reserved_until: sql<Date>`now()`,
      object_name: taken ?? null,
      uploaded_at: taken === undefined ? null : databaseNow,
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('document_id', 'is', null)
    .where('uploaded_at', 'is', null)
    .executeTakeFirst();
  return settled.numUpdatedRows === 1n;
}

type FileRow = {
  knowledge_base_id: string;
  id: string;
  sha256: Buffer | null;
  uploaded_at: Date | null;
};

/** Maps a row to the contract's `DocumentFile`; omits unknown fields. */
export const toDocumentFile = (row: FileRow): DocumentFile => ({
  id: formatScopedId({ knowledgeBaseId: row.knowledge_base_id, id: row.id }),
  ...(row.uploaded_at !== null && { uploadedAt: row.uploaded_at.toISOString() }),
  ...(row.sha256 !== null && { sha256: row.sha256.toString('hex') }),
});

/**
 * Finds an account's file in a knowledge base that is not deleted, and locks both until the transaction ends, first the
 * knowledge base: PostgreSQL locks in the order of the clauses.
 * `expired`: its ticket has expired.
 * @returns undefined when there is no such file
 */
export async function lockFile(transaction: Queryable, file: ScopedId & { accountId: string }) {
  return await transaction
    .selectFrom('files')
    .innerJoin('knowledge_bases', 'knowledge_bases.knowledge_base_id', 'files.knowledge_base_id')
    .selectAll('files')
    .select(isExpired.as('expired'))
    .where('files.knowledge_base_id', '=', file.knowledgeBaseId)
    .where('files.id', '=', file.id)
    .where('files.account_id', '=', file.accountId)
    .where('knowledge_bases.deleted_at', 'is', null)
    .forKeyShare(['knowledge_bases'])
    .forUpdate(['files'])
    .executeTakeFirst();
}

/**
 * Records the object `stored` in the file's row, unless the file has been imported or deleted meanwhile.
 * @returns whether it is recorded, and the object that no row refers to any more (null: none)
 */
export async function recordUpload(
  database: Database,
  { knowledgeBaseId, id }: ScopedId,
  stored: StoredObject,
): Promise<{ recorded: boolean; unusedObject: string | null }> {
  const { rows } = await sql<{ object_name: string | null }>`
    WITH before AS (
      SELECT object_name FROM files JOIN knowledge_bases USING (knowledge_base_id)
      WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ${id} AND document_id IS NULL AND deleted_at IS NULL
      FOR KEY SHARE OF knowledge_bases FOR UPDATE OF files)
    UPDATE files SET object_name = ${stored.objectName}, sha256 = ${stored.sha256}, uploaded_at = ${databaseNow}
    FROM before WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ${id}
    RETURNING before.object_name`.execute(database);
  const before = rows[0];
  return before === undefined
    ? { recorded: false, unusedObject: stored.objectName }
    : { recorded: true, unusedObject: before.object_name };
}

/**
 * Records that the import of a file made no document, because `documentId` has its content. Its object is removed after
 * the commit, and its bytes do not count as stored any more.
 */
export async function markDuplicate(
  transaction: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  documentId: string,
): Promise<void> {
  await transaction
    .updateTable('files')
    .set({ object_name: null, sha256: null, uploaded_at: null, duplicate_of: documentId })
    .set('reserved_until', sql<Date>`now()`)
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .execute();
}

/**
 * Records that the file is not uploaded, because the object `objectName` is lost. Does nothing when the file is
 * imported already.
 */
export async function clearUpload(
  database: Queryable,
  { knowledgeBaseId, id, objectName }: ScopedId & { objectName: string },
): Promise<void> {
  await database
    .updateTable('files')
    .set({ object_name: null, sha256: null, uploaded_at: null })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('object_name', '=', objectName)
    .where('document_id', 'is', null)
    .execute();
}

type Storage = { database: Queryable; files: FileStore; log: Logger };

/**
 * Removes an object that no row refers to, after the request itself has succeeded or failed. An unavailable store or a
 * running backup does not change the request's result: garbage collection removes the object later.
 */
export async function discardObject({ database, files, log }: Storage, objectName: string): Promise<void> {
  await removeUnreferenced({ database, files }, objectName).catch((error) =>
    log.warn({ err: error, objectName }, 'object left to garbage collection'),
  );
}

/** The same for several objects. */
export async function discardObjects(storage: Storage, objectNames: string[]): Promise<void> {
  for (const objectName of objectNames) await discardObject(storage, objectName);
}
