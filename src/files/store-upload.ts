/** Stores the bytes of a file that a client sends to this service. */
import type { ScopedId } from '../terms/ids.ts';
import type { DiskWatermark, ExpectedBytes } from './disk-watermark.ts';
import { type FileStore, filePrefix, type StoredObject } from './file-store.ts';

/** Passes the pieces on, and counts them as arrived. */
async function* countArrived(pieces: AsyncIterable<Buffer>, expected: ExpectedBytes): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    expected.arrived(piece.length);
    yield piece;
  }
}

/**
 * Stores the bytes as a new object of the file, if the disk has room for all of them. No row refers to it yet.
 * @throws SERVICE_UNAVAILABLE when the disk has no room, INPUT_VALIDATION_FAILED when `bytes` has another length
 */
export async function storeUpload(
  { files, diskWatermark }: { files: FileStore; diskWatermark: DiskWatermark },
  id: ScopedId,
  { bytes, sizeBytes }: { bytes: AsyncIterable<Buffer>; sizeBytes: number },
): Promise<StoredObject> {
  if (files.directUploads !== undefined) return await files.write(filePrefix(id), bytes, sizeBytes);
  const expected = await diskWatermark.expect(sizeBytes);
  try {
    return await files.write(filePrefix(id), countArrived(bytes, expected), sizeBytes);
  } finally {
    expected.end();
  }
}
