/** Keeps the bytes of uploaded files on disk, each under a name that is written once and never changed. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { wrongUploadLength } from '../errors.ts';

/** Bytes that have arrived whole. */
export type StoredObject = { objectName: string; sha256: Buffer };

export type FileStore = {
  /**
   * Streams `bytes` to disk under a new name below `prefix`; the object is there whole, synced, or not at all.
   * @throws INPUT_VALIDATION_FAILED when they are not exactly `sizeBytes`; reading stops at the first byte too many.
   */
  write(prefix: string, bytes: Readable, sizeBytes: number): Promise<StoredObject>;
  /** The whole object. */
  read(objectName: string): Promise<Buffer>;
  /** Removes an object, or everything below a prefix; what is gone already is no error. */
  remove(name: string): Promise<void>;
};

/** Passes bytes on, hashing and counting them. */
function measured(expectedBytes: number) {
  const hash = createHash('sha256');
  let receivedBytes = 0;
  return {
    async *pass(source: AsyncIterable<Buffer>) {
      for await (const piece of source) {
        receivedBytes += piece.length;
        if (receivedBytes > expectedBytes) throw wrongUploadLength(expectedBytes);
        hash.update(piece);
        yield piece;
      }
      if (receivedBytes < expectedBytes) throw wrongUploadLength(expectedBytes, receivedBytes);
    },
    digest: () => hash.digest(),
  };
}

/** A rename survives a power cut only when the directory is synced too (fsync(2)). */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}

/** No upload is silent for this long: its connection would have been cut before. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Removes what killed servers left half-written; a file that still grows may be another server's. */
async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

/** The file store below `directory`. */
export async function openFileStore(directory: string): Promise<FileStore> {
  const incoming = join(directory, '.incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await removeAbandoned(incoming);

  return {
    async write(prefix, bytes, sizeBytes) {
      const objectName = `${prefix}/${randomUUID()}`;
      const temporary = join(incoming, randomUUID());
      const target = join(directory, objectName);
      const measure = measured(sizeBytes);
      try {
        // A request that is destroyed half-read would block its connection for the requests behind it.
        const source = bytes.iterator({ destroyOnReturn: false });
        await pipeline(source, measure.pass, createWriteStream(temporary, { flush: true, mode: 0o600 }));
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await rename(temporary, target);
        await syncDirectory(dirname(target));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      return { objectName, sha256: measure.digest() };
    },
    read: (objectName) => readFile(join(directory, objectName)),
    remove: (name) => rm(join(directory, name), { recursive: true, force: true }),
  };
}
