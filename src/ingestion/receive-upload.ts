/** Takes the bytes that a client PUTs to an upload address. */
import { fileAlreadyImported, fileNotFound, uploadExpired, wrongUploadLength } from '../errors.ts';
import { parseFileId } from '../ids.ts';
import type { Upload } from '../routes.ts';
import type { Service } from '../service.ts';
import { filePrefix } from '../storage/file-store.ts';
import { discardObject, findFile, recordUpload } from '../storage/files.ts';
import { readUploadGrant } from '../upload-address.ts';

/**
 * Stores the body as the file's bytes; repeatable until the file is imported, the last complete body wins.
 * @throws UNAUTHORIZED, FILE_NOT_FOUND, FILE_ALREADY_IMPORTED, UPLOAD_EXPIRED, INPUT_VALIDATION_FAILED (wrong
 * length; the ticket stays usable)
 */
export async function receiveUpload(
  { database, files, room, uploadSecret, log }: Service,
  { target, bytes }: Upload,
) {
  const { fileId, sizeBytes } = readUploadGrant(uploadSecret, target);
  const id = parseFileId(fileId);
  const file = await findFile(database, id);
  if (file === undefined) throw fileNotFound();
  if (file.document_id !== null) throw fileAlreadyImported();
  if (file.expired) throw uploadExpired();
  const declaredLength = bytes.headers['content-length'];
  if (declaredLength !== undefined && Number(declaredLength) !== sizeBytes) {
    throw wrongUploadLength(sizeBytes, Number(declaredLength));
  }

  await room.require(sizeBytes);
  const stored = await files.write(filePrefix(id), bytes, sizeBytes);
  const outcome = await recordUpload(database, id, stored);
  // Whichever object the file does not name any more (an earlier body, or this one) has lost.
  if (outcome.unusedObject !== null) await discardObject({ database, files, log }, outcome.unusedObject);
  if (!outcome.recorded) throw (await findFile(database, id)) ? fileAlreadyImported() : fileNotFound();
  return { fileId, size: sizeBytes, sha256: stored.sha256.toString('hex') };
}
