/** Receives the bytes that a client PUTs to an upload address. */

import type { Logger } from 'pino';
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import type { Database } from '../../database/connection/database.ts';
import type { DiskWatermark } from '../../files/disk-watermark.ts';
import type { FileStore } from '../../files/file-store.ts';
import { discardObject, findFile, recordUpload } from '../../files/files.ts';
import { storeUpload } from '../../files/store-upload.ts';
import { readUploadGrant, type UploadGrant } from '../../files/upload-address.ts';
import {
  fileAlreadyImported,
  fileNotFound,
  uploadExpired,
  uploadInProgress,
  wrongUploadLength,
} from '../../terms/errors.ts';
import { parseFileId, type ScopedId } from '../../terms/ids.ts';
import type { Caller } from '../access/authenticate.ts';
import type { WithDatabasePermit } from '../capacity/database-permits.ts';
import { arrivingBytes } from '../server/arriving-bytes.ts';
import type { Routes, Upload } from './routes.ts';

type UploadContext = Readonly<{
  database: Database;
  files: FileStore;
  diskWatermark: DiskWatermark;
  uploadSecret: string;
  log: Logger;
  withDatabasePermit: WithDatabasePermit;
  /** Counts the request, and throws RATE_LIMITED. */
  limitRate(keyId: string): Promise<unknown>;
  /** The caller of requests with this key; undefined: it is revoked or expired. */
  findCaller(keyId: string): Promise<Caller | undefined>;
}>;

/** The longest wait of a body for another body to the same address. */
const LOCK_WAIT_MAX_MS = 2_000;

/** @throws FILE_NOT_FOUND, FILE_ALREADY_IMPORTED, UPLOAD_EXPIRED unless the file still accepts bytes */
async function requireOpen({ database }: UploadContext, id: ScopedId): Promise<void> {
  const file = await findFile(database, id);
  if (file === undefined) throw fileNotFound();
  if (file.document_id !== null) throw fileAlreadyImported();
  if (file.expired) throw uploadExpired();
}

/** The file that an address stands for, which still accepts bytes. */
async function findUpload(service: UploadContext, { fileId, keyId }: UploadGrant): Promise<ScopedId> {
  await service.limitRate(keyId);
  const caller = await service.findCaller(keyId);
  // To a key that does not exist any more, no file exists.
  if (caller === undefined) throw fileNotFound();
  const found = parseFileId(fileId, caller.allowedKnowledgeBases);
  await requireOpen(service, found);
  return found;
}

/**
 * Creates the function that stores a body as the file's object. A client can repeat an upload until the file is
 * imported; the last complete body counts. Bodies of one file arrive one at a time. Each counts as a request of the key
 * that requested the address, and the address ends with that key. Accounts alternate when uploads query the database.
 * @returns a function that throws UNAUTHORIZED, FILE_NOT_FOUND, FILE_ALREADY_IMPORTED, UPLOAD_EXPIRED, RATE_LIMITED,
 * INPUT_VALIDATION_FAILED (wrong length; the ticket stays usable), REQUEST_TIMEOUT, SERVICE_UNAVAILABLE
 */
export function createReceiveUpload(service: UploadContext): NonNullable<Routes['receiveUpload']> {
  const { database, files, log, uploadSecret } = service;
  const uploads = createKeyedMutex();

  const receive = async ({ request, client }: Upload, grant: UploadGrant) => {
    const { fileId, sizeBytes, accountId } = grant;
    const withDatabasePermit = <T>(act: () => Promise<T>): Promise<T> =>
      service.withDatabasePermit({ accountId, client }, act);
    const id = await withDatabasePermit(() => findUpload(service, grant));
    const declaredLength = request.headers['content-length'];
    if (declaredLength !== undefined && Number(declaredLength) !== sizeBytes)
      throw wrongUploadLength(sizeBytes, Number(declaredLength));

    const stored = await storeUpload(service, id, { bytes: arrivingBytes(request), sizeBytes });
    return await withDatabasePermit(async () => {
      const outcome = await recordUpload(database, id, stored);
      // Discard the object that the file does not refer to: an earlier body, or this one.
      if (outcome.unusedObject !== null) await discardObject({ database, files, log }, outcome.unusedObject);
      if (!outcome.recorded) throw (await findFile(database, id)) ? fileAlreadyImported() : fileNotFound();
      return { fileId, size: sizeBytes, sha256: stored.sha256.toString('hex') };
    });
  };

  return async (upload) => {
    const grant = readUploadGrant(uploadSecret, upload.target);
    await uploads
      .lock(grant.fileId, { client: upload.client, waitMaxMs: LOCK_WAIT_MAX_MS })
      .catch((error) => {
        throw upload.client.closed ? error : uploadInProgress();
      });
    try {
      return await receive(upload, grant);
    } finally {
      uploads.unlock(grant.fileId);
    }
  };
}
