/** The operations that import a file: request an upload address, then import the uploaded file. */
import type { Selectable, Transaction } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { UploadTicket } from '../../generated/types.gen.ts';
import { requireStorage } from '../database/accounts.ts';
import { databaseNow, readDatabaseTime } from '../database/clock.ts';
import type { Queryable } from '../database/database.ts';
import { type Description, findDocument, insertDocument, toDocument } from '../database/documents.ts';
import { lockKnowledgeBase } from '../database/knowledge-bases.ts';
import type { Tables } from '../database/tables.ts';
import { fileNotFound, fileNotUploaded, uploadExpired } from '../errors.ts';
import { typeByName } from '../extraction/detect-type.ts';
import { uploadNameOf } from '../files/file-store.ts';
import { discardObject, insertTicket, lockFile, takeDirectUpload } from '../files/files.ts';
import { formatUploadPath } from '../files/upload-address.ts';
import { formatScopedId, parseFileId, parseKnowledgeBaseId, type ScopedId } from '../ids.ts';
import { countDocument } from '../indexing/store-passages.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';

type FileRow = Selectable<Tables['files']>;

/**
 * Inserts the pending document of an uploaded file, to which the file then belongs. `taken`: the object of a file that
 * was uploaded directly to the store.
 */
async function insertFileDocument(
  transaction: Queryable,
  file: FileRow,
  { taken, description }: { taken: string | undefined; description: Description },
) {
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId, size_bytes: bytes } = file;
  const row = await insertDocument(transaction, {
    knowledgeBaseId,
    id: uuidv7(),
    accountId,
    title: file.file_name,
    source: file.file_name,
    type: typeByName(file.file_name) ?? 'unknown',
    bytes,
    status: 'pending',
    fileId: file.id,
    description,
  });
  await transaction
    .updateTable('files')
    .set({
      document_id: row.id,
      ...(taken !== undefined && { object_name: taken, uploaded_at: databaseNow }),
    })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', file.id)
    .execute();
  await countDocument(transaction, knowledgeBaseId, bytes);
  return row;
}

/**
 * A file to import. `taken`: its object in the store; undefined: the file was uploaded to this service. `description`
 * is ignored if the file has a document already.
 */
type UploadedFile = { file: ScopedId; taken: string | undefined; description: Description };

/** Returns the document of an uploaded file, and inserts it if there is none. */
async function findOrInsertDocument(
  transaction: Transaction<Tables>,
  { accountId, config, jobs }: HandlerContext,
  { file: { knowledgeBaseId, id }, taken, description }: UploadedFile,
) {
  const file = await lockFile(transaction, { knowledgeBaseId, id, accountId });
  if (file === undefined) throw fileNotFound();
  if (file.document_id !== null) {
    const earlier = { knowledgeBaseId, id: file.document_id, accountId };
    return { row: await findDocument(transaction, earlier).executeTakeFirstOrThrow(), isNew: false };
  }
  if (file.uploaded_at === null && taken === undefined)
    throw file.expired ? uploadExpired() : fileNotUploaded();
  const row = await insertFileDocument(transaction, file, { taken, description });
  await jobs.enqueueImport(transaction, { knowledgeBaseId, id: row.id, accountId });
  await requireStorage(transaction, { accountId, defaults: config }, file.size_bytes);
  return { row, isNew: true };
}

/** Imports a file, and then removes the object that no row refers to. */
async function importUploadedFile(context: HandlerContext, uploaded: UploadedFile) {
  const { file, taken } = uploaded;
  let unreferenced = taken;
  try {
    const { row, isNew } = await context.database.transaction().execute(async (transaction) => {
      const result = await findOrInsertDocument(transaction, context, uploaded);
      // From here on a row may refer to the object, even if the answer to the commit is lost.
      if (result.isNew) unreferenced = undefined;
      return result;
    });
    if (isNew) context.jobs.wakeImporters();
    if (isNew && taken !== undefined) unreferenced = uploadNameOf(file);
    return row;
  } finally {
    if (unreferenced !== undefined) await discardObject(context, unreferenced);
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
    (context.config.baseUrl ?? context.origin) +
    formatUploadPath(context.uploadSecret, { fileId, accountId, keyId, ...bounds });
  const uploadUrl = (await context.files.directUploads?.presign(file, bounds)) ?? own();
  return { fileId, uploadUrl, expiresAt: bounds.expiresAt.toISOString(), method: 'PUT', headers: {} };
}

export const uploadHandlers = {
  async importFile({ attributes, sourceUrl, ...input }, context) {
    const file = parseFileId(input.fileId, context.reach);
    await context.diskWatermark.require(0);
    // Before the transaction: it must not wait for the store.
    const taken = await takeDirectUpload(context, { ...file, accountId: context.accountId });
    const description = { attributes, sourceUrl };
    return { data: toDocument(await importUploadedFile(context, { file, taken, description })) };
  },

  async presignUploadUrl({ fileName, size, ...input }, context) {
    const { database, accountId, reach, config, files, diskWatermark, transact } = context;
    await diskWatermark.require(config.s3 === undefined ? size : 0);
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, reach);
    const createdAt = await readDatabaseTime(database);
    const expiresAt = new Date(createdAt.getTime() + config.uploadTicketTtlSeconds * 1000);
    const file = { knowledgeBaseId, id: uuidv7() };
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
