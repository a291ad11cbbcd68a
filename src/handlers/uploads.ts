/** The operations that import a file: request an upload address, then import the uploaded file. */
import type { Selectable, Transaction } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Document, UploadTicket } from '../../generated/types.gen.ts';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { REQUEST_WAIT_MAX_MS } from '../concurrency/wait-queue.ts';
import { databaseNow, readDatabaseTime } from '../database/connection/clock.ts';
import type { Queryable } from '../database/connection/database.ts';
import { probeShards, requireStorage } from '../database/rows/account-limits.ts';
import {
  type Description,
  type DocumentRow,
  findDocument,
  requireDocument,
  toDocument,
} from '../database/rows/documents/documents.ts';
import { insertDocument } from '../database/rows/documents/new-documents.ts';
import { lockKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { Tables } from '../database/schema/tables.ts';
import { typeByName } from '../extraction/detect-type.ts';
import { uploadNameOf } from '../files/file-store.ts';
import {
  discardObjects,
  findFile,
  hashOf,
  insertTicket,
  lockFile,
  markDuplicate,
  takeDirectUpload,
} from '../files/files.ts';
import { formatUploadPath } from '../files/upload-address.ts';
import { countDocument } from '../indexing/counters.ts';
import { fileNotFound, fileNotUploaded, uploadExpired } from '../terms/errors.ts';
import { formatScopedId, parseFileId, parseKnowledgeBaseId, type ScopedId } from '../terms/ids.ts';
import { findProcessedId, lockExternalIds, moveToLatest } from '../versions/locks.ts';
import { takeUnchanged, toUnchanged } from '../versions/unchanged.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';

type FileRow = Selectable<Tables['files']>;

/**
 * A file to import. `taken`: its object in the store; undefined: the file was uploaded to this service. `sha256`: of
 * its bytes, if it is known. `skips`: it makes no new document if there is one with its content. `description` is
 * ignored if the file has a document already.
 */
type UploadedFile = {
  file: ScopedId;
  taken: string | undefined;
  sha256: Buffer | undefined;
  description: Description;
  skips: boolean;
};

/** Inserts the document of a file. One with an external id is the last that has it, and replaces the processed one. */
async function insertVersion(
  transaction: Queryable,
  { description, ...document }: Parameters<typeof insertDocument>[1],
): Promise<DocumentRow> {
  const { externalId } = description;
  if (externalId === undefined) return await insertDocument(transaction, { ...document, description });
  await lockExternalIds(transaction, document, [externalId]);
  const replaces = await findProcessedId(transaction, document, externalId);
  await insertDocument(transaction, { ...document, description, replaces });
  await moveToLatest(transaction, document, [document.id]);
  return await requireDocument(transaction, document);
}

/** Inserts the pending document of an uploaded file, to which the file then belongs. */
async function insertFileDocument(
  transaction: Queryable,
  file: FileRow,
  { taken, sha256, description }: Pick<UploadedFile, 'taken' | 'sha256' | 'description'>,
): Promise<DocumentRow> {
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId, file_name: fileName } = file;
  const row = await insertVersion(transaction, {
    knowledgeBaseId,
    id: uuidv7(),
    accountId,
    title: fileName,
    source: fileName,
    type: typeByName(fileName) ?? 'unknown',
    bytes: file.size_bytes,
    status: 'pending',
    fileId: file.id,
    sha256,
    description,
  });
  await transaction
    .updateTable('files')
    .set({
      document_id: row.id,
      sha256: sha256 ?? null,
      ...(taken !== undefined && { object_name: taken, uploaded_at: databaseNow }),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', file.id)
    .execute();
  await countDocument(transaction, knowledgeBaseId, row.storage_bytes);
  return row;
}

/**
 * The answer to an import. `isNew`: it has made a document. `unreferenced`: the objects that no row refers to after the
 * commit.
 */
type Imported = { data: Document; isNew: boolean; unreferenced: string[] };

/** The answer to the import of a file that has a document, or whose content another document has; or undefined. */
async function findEarlierAnswer(
  transaction: Queryable,
  file: FileRow,
  taken: string | undefined,
): Promise<Imported | undefined> {
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId } = file;
  const isDuplicate = file.document_id === null && file.uploaded_at === null && taken === undefined;
  const id = isDuplicate ? file.duplicate_of : file.document_id;
  if (id === null) return undefined;
  const row = await findDocument(transaction, { knowledgeBaseId, id, accountId }).executeTakeFirst();
  if (row === undefined) return undefined;
  const data = isDuplicate ? toUnchanged(row) : toDocument(row);
  return { data, isNew: false, unreferenced: taken === undefined ? [] : [taken] };
}

/** The answer to the import of a file whose content another document has; undefined: none has it. */
async function skipUnchanged(
  transaction: Queryable,
  context: HandlerContext,
  { file, taken, sha256, description }: Omit<UploadedFile, 'file' | 'skips'> & { file: FileRow },
): Promise<Imported | undefined> {
  if (sha256 === undefined) return undefined;
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId, file_name: title } = file;
  const content = { knowledgeBaseId, accountId, title, sha256, isText: false, description };
  const row = await takeUnchanged(transaction, content, context.config);
  if (row === undefined) return undefined;
  await markDuplicate(transaction, { knowledgeBaseId, id: file.id }, row.id);
  const uploaded = taken === undefined ? [] : [taken, uploadNameOf({ knowledgeBaseId, id: file.id })];
  const data = toUnchanged(row);
  return { data, isNew: false, unreferenced: file.object_name === null ? uploaded : [file.object_name] };
}

/** Returns the document of an uploaded file, and inserts it if there is none. */
export async function findOrInsertDocument(
  transaction: Transaction<Tables>,
  context: HandlerContext,
  { file: { knowledgeBaseId, id }, taken, skips, ...uploaded }: UploadedFile,
): Promise<Imported> {
  const { accountId, config, jobs } = context;
  const file = await lockFile(transaction, { knowledgeBaseId, id, accountId });
  if (file === undefined) throw fileNotFound();
  const earlier = await findEarlierAnswer(transaction, file, taken);
  if (earlier !== undefined) return earlier;
  if (file.uploaded_at === null && taken === undefined)
    throw file.expired ? uploadExpired() : fileNotUploaded();
  const given = { ...uploaded, taken, sha256: file.sha256 ?? uploaded.sha256 };
  const unchanged = skips ? await skipUnchanged(transaction, context, { ...given, file }) : undefined;
  if (unchanged !== undefined) return unchanged;
  const row = await insertFileDocument(transaction, file, given);
  await jobs.enqueueImport(transaction, { knowledgeBaseId, id: row.id, accountId });
  await requireStorage(transaction, { accountId, defaults: config }, row.storage_bytes);
  const unreferenced = taken === undefined ? [] : [uploadNameOf({ knowledgeBaseId, id })];
  return { data: toDocument(row), isNew: true, unreferenced };
}

/** Uploads in memory at the same time while they are hashed, each of up to 50 MiB. */
const HASHED_MAX = 2;
const hashingTurns = createFairSemaphore(HASHED_MAX);

/**
 * The hash of a file that was uploaded directly to the store and not hashed since; undefined for any other file. Reads
 * the file from the store.
 */
async function hashDirectUpload(
  { database, files, accountId, withoutPermit, signal, budget }: HandlerContext,
  file: ScopedId,
  taken: string | undefined,
): Promise<Buffer | undefined> {
  const found = await findFile(database, file);
  if (found?.account_id !== accountId || found.document_id !== null || found.sha256 !== null)
    return undefined;
  const objectName = taken ?? found.object_name;
  if (objectName === null) return undefined;
  const ended = signal();
  return await withoutPermit(async () => {
    await hashingTurns.acquire(accountId, { signal: ended, budget, waitMaxMs: REQUEST_WAIT_MAX_MS });
    const reading = files.read(objectName, { sizeBytes: found.size_bytes, signal: ended });
    return await reading.then(hashOf).finally(() => hashingTurns.release(accountId));
  });
}

/** Imports a file, and then removes the objects that no row refers to. */
async function importUploadedFile(
  context: HandlerContext,
  uploaded: Omit<UploadedFile, 'sha256'>,
): Promise<Document> {
  const { file, taken, skips } = uploaded;
  let unreferenced = taken === undefined ? [] : [taken];
  try {
    const sha256 = skips ? await hashDirectUpload(context, file, taken) : undefined;
    await probeShards(context.database, context.accountId);
    const imported = await context.database.transaction().execute(async (transaction) => {
      const answer = await findOrInsertDocument(transaction, context, { ...uploaded, sha256 });
      // From here on a row may refer to the object, even if the answer to the commit is lost.
      unreferenced = [];
      return answer;
    });
    if (imported.isNew) context.jobs.wakeImporters();
    unreferenced = imported.unreferenced;
    return imported.data;
  } finally {
    await discardObjects(context, unreferenced);
  }
}

/**
 * The ticket for an upload: directly to the store where the store supports that, else to this service.
 */
async function makeTicket(
  context: HandlerContext,
  file: ScopedId,
  bounds: { sizeBytes: number; createdAt: Date; expiresAt: Date },
): Promise<UploadTicket> {
  const fileId = formatScopedId(file);
  const { accountId, keyId } = context;
  const own = () =>
    (context.config.baseUrl ?? context.origin()) +
    formatUploadPath(context.uploadSecret, { fileId, accountId, keyId, ...bounds });
  const uploadUrl = (await context.files.directUploads?.presign(file, bounds)) ?? own();
  return { fileId, uploadUrl, expiresAt: bounds.expiresAt.toISOString(), method: 'PUT', headers: {} };
}

export const uploadHandlers = {
  async importFile({ attributes, sourceUrl, externalId, ifUnchanged, ...input }, context) {
    const file = parseFileId(input.fileId, context.reach);
    await context.diskWatermark.require(0);
    // Before the transaction: it must not wait for the store.
    const taken = await takeDirectUpload(context, { ...file, accountId: context.accountId });
    const description = { attributes, sourceUrl, externalId };
    const skips = ifUnchanged === 'skip';
    return { data: await importUploadedFile(context, { file, taken, description, skips }) };
  },

  async presignUploadUrl({ fileName, size, ...input }, context) {
    const { database, accountId, reach, config, files, diskWatermark, transact } = context;
    await diskWatermark.require(config.s3 === undefined ? size : 0);
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, reach);
    const createdAt = await readDatabaseTime(database);
    const expiresAt = new Date(createdAt.getTime() + config.uploadTicketTtlSeconds * 1000);
    const file = { knowledgeBaseId, id: uuidv7() };
    await probeShards(database, accountId);
    const ticket = await makeTicket(context, file, { sizeBytes: size, createdAt, expiresAt });
    const data = await transact(async (transaction) => {
      await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId });
      await insertTicket(transaction, {
        ...file,
        accountId,
        fileName,
        sizeBytes: size,
        createdAt,
        expiresAt,
        reservedUntil: files.directUploads ? undefined : expiresAt,
      });
      await requireStorage(transaction, { accountId, defaults: config }, size);
      return ticket;
    });
    return { data };
  },
} satisfies Partial<Handlers>;
