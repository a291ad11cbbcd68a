/**
 * Accepts an uploaded file: inserts its document, pending. From then on it is the last version with its external id,
 * and takes the place of the current one when it is published.
 */
import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Document } from '../../generated/types.gen.ts';
import { databaseNow } from '../database/connection/clock.ts';
import type { Queryable } from '../database/connection/database.ts';
import { countDocument } from '../database/rows/counters.ts';
import {
  type Description,
  type DocumentRow,
  findDocument,
  toDocument,
} from '../database/rows/documents/documents.ts';
import { insertDocument } from '../database/rows/documents/new-documents.ts';
import { lockKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { DefaultLimits } from '../database/rows/limits/account-limits.ts';
import { requireStorage } from '../database/rows/limits/storage-limit.ts';
import type { Tables } from '../database/schema/tables.ts';
import { typeByName } from '../extraction/detect-type.ts';
import { type StoredObject, uploadNameOf } from '../files/file-store.ts';
import { insertArrivedFile, lockFile, markDuplicate } from '../files/files.ts';
import { fileNotFound, fileNotUploaded, uploadExpired } from '../terms/errors.ts';
import type { OwnedId } from '../terms/ids.ts';
import { becomeLatest } from './replace-earlier.ts';
import { isSmallFile } from './small-files.ts';
import { takeUnchanged, toUnchanged } from './unchanged.ts';

type FileRow = Selectable<Tables['files']>;

/** `enqueue` enqueues the job that publishes the document. `isSmall`: together with others, if it likes. */
export type Accepting = {
  defaults: DefaultLimits;
  enqueue(transaction: Queryable, document: OwnedId & { isSmall?: boolean }): Promise<void>;
};

/** `skips`: the file makes no new document if there is one with its content. */
type Wish = { description: Description; skips: boolean };

/**
 * A file to import. `taken`: its object in the store; undefined: the file was uploaded to this service. `sha256`: of
 * its bytes, if it is known. `description` is ignored if the file has a document already.
 */
export type UploadedFile = Wish & { taken: string | undefined; sha256: Buffer | undefined };

/** The bytes of a file that has no ticket. */
export type ArrivedFile = Wish & { fileName: string; sizeBytes: number; stored: StoredObject };

/**
 * The answer to an import. `isNew`: it has made a document. `unreferenced`: the objects that no row refers to after the
 * commit.
 */
export type Accepted = { data: Document; isNew: boolean; unreferenced: string[] };

/** The answer to the import of a file that has a document, or whose content another document has; or undefined. */
async function findEarlierAnswer(
  transaction: Queryable,
  file: FileRow,
  taken: string | undefined,
): Promise<Accepted | undefined> {
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId } = file;
  const isDuplicate = file.document_id === null && file.uploaded_at === null && taken === undefined;
  const id = isDuplicate ? file.duplicate_of : file.document_id;
  if (id === null) return undefined;
  const row = await findDocument(transaction, { knowledgeBaseId, id, accountId }).executeTakeFirst();
  if (row === undefined) return undefined;
  const data = isDuplicate ? toUnchanged(row) : toDocument(row);
  return { data, isNew: false, unreferenced: taken === undefined ? [] : [taken] };
}

type GivenFile = Pick<UploadedFile, 'taken' | 'sha256' | 'description'>;

/** The document that has the content of the file already; undefined if none has. */
async function skipUnchanged(
  transaction: Queryable,
  file: FileRow,
  { taken, sha256, description, defaults }: GivenFile & { defaults: DefaultLimits },
): Promise<Accepted | undefined> {
  if (sha256 === undefined) return undefined;
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId, file_name: title } = file;
  const content = { knowledgeBaseId, accountId, title, sha256, isText: false, description };
  const row = await takeUnchanged(transaction, content, defaults);
  if (row === undefined) return undefined;
  await markDuplicate(transaction, { knowledgeBaseId, id: file.id }, row.id);
  const uploaded = taken === undefined ? [] : [taken, uploadNameOf({ knowledgeBaseId, id: file.id })];
  const data = toUnchanged(row);
  return { data, isNew: false, unreferenced: file.object_name === null ? uploaded : [file.object_name] };
}

/** Inserts the pending document of an uploaded file, the latest with its external id. The file then belongs to it. */
async function insertFileDocument(
  transaction: Queryable,
  file: FileRow,
  { taken, sha256, description }: GivenFile,
): Promise<DocumentRow> {
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId, file_name: fileName } = file;
  const owned = { knowledgeBaseId, accountId };
  const inserted = await insertDocument(transaction, {
    ...owned,
    id: uuidv7(),
    title: fileName,
    source: fileName,
    type: typeByName(fileName) ?? 'unknown',
    bytes: file.size_bytes,
    status: 'pending',
    fileId: file.id,
    sha256,
    description,
  });
  const [row = inserted] = await becomeLatest(transaction, owned, [inserted]);
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
 * Returns the document of an uploaded file, and inserts it if there is none.
 * @throws FILE_NOT_FOUND, FILE_NOT_UPLOADED, UPLOAD_EXPIRED, STORAGE_LIMIT_EXCEEDED
 */
export async function acceptFile(
  transaction: Queryable,
  id: OwnedId,
  { taken, skips, ...uploaded }: UploadedFile,
  accepting: Accepting,
): Promise<Accepted> {
  const file = await lockFile(transaction, id);
  if (file === undefined) throw fileNotFound();
  const earlier = await findEarlierAnswer(transaction, file, taken);
  if (earlier !== undefined) return earlier;
  if (file.uploaded_at === null && taken === undefined)
    throw file.expired ? uploadExpired() : fileNotUploaded();
  const given = { ...uploaded, taken, skips, sha256: file.sha256 ?? uploaded.sha256 };
  return await acceptLocked(transaction, file, given, accepting);
}

/** Accepts a file whose row this transaction has locked or inserted, and that has no document. */
async function acceptLocked(
  transaction: Queryable,
  file: FileRow,
  { skips, ...given }: UploadedFile,
  { defaults, enqueue }: Accepting,
): Promise<Accepted> {
  const unchanged = skips ? await skipUnchanged(transaction, file, { ...given, defaults }) : undefined;
  if (unchanged !== undefined) return unchanged;
  const row = await insertFileDocument(transaction, file, given);
  const { knowledge_base_id: knowledgeBaseId, account_id: accountId } = file;
  const isSmall = isSmallFile({ fileName: file.file_name, sizeBytes: file.size_bytes });
  await enqueue(transaction, { knowledgeBaseId, accountId, id: row.id, isSmall });
  await requireStorage(transaction, { accountId, knowledgeBaseId, defaults }, row.storage_bytes);
  const unreferenced = given.taken === undefined ? [] : [uploadNameOf({ knowledgeBaseId, id: file.id })];
  return { data: toDocument(row), isNew: true, unreferenced };
}

/**
 * The same for a file that came without a ticket.
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED
 */
export async function acceptArrivedFile(
  transaction: Queryable,
  id: OwnedId,
  { fileName, sizeBytes, stored, ...wish }: ArrivedFile,
  accepting: Accepting,
): Promise<Accepted> {
  await lockKnowledgeBase(transaction, id);
  const file = await insertArrivedFile(transaction, { ...id, fileName, sizeBytes, stored });
  return await acceptLocked(
    transaction,
    file,
    { ...wish, taken: undefined, sha256: stored.sha256 },
    accepting,
  );
}
