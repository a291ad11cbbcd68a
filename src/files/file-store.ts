/** Stores uploaded files on disk. Each file is an object, which is written once and never changes. */
import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { wrongUploadLength } from '../errors.ts';
import type { ScopedId } from '../ids.ts';
import { makeDirectory } from '../make-directory.ts';

/** An object as the store lists it. */
export type ListedObject = { objectName: string; sizeBytes: number; modifiedAt: Date };

/** The largest upload that the contract allows (`presignUploadUrl`, `size`). */
export const OBJECT_MAX_BYTES = 52_428_800;

/** `sizeBytes`: the length that the object must have. `signal` aborts the read. */
export type ReadOptions = { sizeBytes?: number | undefined; signal?: AbortSignal | undefined };

/** The maximum number of concurrent fsyncs. */
const SYNCS_MAX = 2;

/** An object that is stored completely. */
export type StoredObject = { objectName: string; sha256: Buffer };

export type FileStore = {
  /** Uploads directly from clients to the store; undefined: upload addresses are those of this service. */
  directUploads?: {
    /** Returns the origin of the addresses. It is the same for all of them. */
    findOrigin(): Promise<string>;
    /** Returns the address to which the client can PUT exactly `sizeBytes` bytes until the expiry. */
    presign(file: ScopedId, grant: { sizeBytes: number; createdAt: Date; expiresAt: Date }): Promise<string>;
    /**
     * Copies the upload to a new name, which no upload address can overwrite.
     * @returns that name; undefined: no upload of exactly `sizeBytes` has arrived
     */
    take(file: ScopedId, sizeBytes: number): Promise<string | undefined>;
  };
  /**
   * Streams `bytes` to the store under a new name below `prefix`. The object exists completely and synced, or not at
   * all. Each buffer's memory is released after its write, so the caller must not read it afterwards.
   * @throws INPUT_VALIDATION_FAILED when `bytes` has not exactly `sizeBytes`; reading stops at the first byte beyond
   */
  write(prefix: string, bytes: AsyncIterable<Buffer>, sizeBytes: number): Promise<StoredObject>;
  /** Writes an object under the name that it has in a backup; replaces an object of that name. */
  put(objectName: string, bytes: Buffer): Promise<void>;
  /** Writes a small object, reads it and removes it. @throws the first failure */
  probe(): Promise<void>;
  /** Checks whether the store answers at all; changes nothing. @throws the store's error, or a time-out */
  ping(): Promise<void>;
  /** Returns the complete object. @throws when it does not exist, arrives too slowly, or has another length */
  read(objectName: string, options?: ReadOptions): Promise<Buffer>;
  /** Like `read`, but returns undefined when the object does not exist. */
  readIfExists(objectName: string, options?: ReadOptions): Promise<Buffer | undefined>;
  /** Removes an object, or everything below a prefix. Does nothing when it is missing. */
  remove(name: string): Promise<void>;
  /** Lists the ids of the knowledge bases with objects in the store, in no order. */
  listKnowledgeBases(): AsyncIterable<string>;
  /**
   * Lists the objects of one knowledge base in the order of their files' ids, beginning after the file `afterId`. Omits
   * objects whose names do not match OBJECT_NAME_PATTERN.
   */
  listObjects(knowledgeBaseId: string, afterId?: string): AsyncIterable<ListedObject>;
};

/**
 * How long after an address's expiry an upload may still arrive. An upload in progress may end after the expiry, and
 * clocks differ: S3 tolerates this difference (Amazon S3, error RequestTimeTooSkewed).
 */
export const LATE_UPLOAD_SECONDS = 900;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Returns a name that belongs to no file. An aborted probe leaves an object, which garbage collection may remove. */
export const probeName = (): string => `${randomUUID()}/${randomUUID()}/${randomUUID()}`;
/** Returns the prefix of all objects of a file. */
export const filePrefix = ({ knowledgeBaseId, id }: ScopedId): string => `${knowledgeBaseId}/${id}`;
/** Returns the name under which a client uploads a file directly to the store. */
export const uploadNameOf = (file: ScopedId): string => `${filePrefix(file)}/${file.id}`;
/** Whether a direct upload has this name. */
export const isUploadName = (objectName: string): boolean => UPLOAD_NAME_PATTERN.test(objectName);
/** Matches the first part of an object's name. */
export const KNOWLEDGE_BASE_PATTERN = new RegExp(`^${UUID}$`);
/** `<knowledge base>/<file>/<any>`. Objects with other names belong to other programs, and are never changed. */
export const OBJECT_NAME_PATTERN = new RegExp(`^(${UUID})/(${UUID})/${UUID}$`);
const UPLOAD_NAME_PATTERN = new RegExp(`^${UUID}/(${UUID})/\\1$`);

/**
 * Hashes and counts the bytes that it passes on.
 * @throws INPUT_VALIDATION_FAILED when they are not exactly `expectedBytes`
 */
export function measured(expectedBytes: number) {
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

/**
 * Releases a buffer's memory at once, if the buffer does not share it. The garbage collector hardly notices memory
 * outside its heap: without this it keeps all buffers of a large upload, tens of MiB.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Each sync blocks one of the four threads that all of the process's file operations share. The syncs of many small
 * uploads would block all other file operations.
 */
const syncs = createFairSemaphore(SYNCS_MAX);

/** Writes the buffers to a new file in order, and syncs it. */
async function writeFrom(pieces: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece);
      release(piece);
    }
    await syncs.acquire('');
    await file.sync().finally(() => syncs.release(''));
  } finally {
    await file.close();
  }
}

/** Syncs a directory: otherwise a power cut can undo a rename in it (fsync(2)). */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}

/** An upload that sends nothing for this long has ended: its connection is closed before. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Removes the incomplete files of killed servers. A recently written file may belong to another running server. */
async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

/** Moves a file, and creates its directory: again if a concurrent removal deletes the directory while it is empty. */
async function moveInto(target: string, temporary: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    try {
      await rename(temporary, target);
      await syncDirectory(dirname(target));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MOVE_TRIES) throw error;
    }
  }
}

/** A try fails only if a concurrent removal deletes the same directory. Even two such failures are unlikely. */
const MOVE_TRIES = 5;

/** Removes the empty directories between `path` and `root`. */
async function removeEmptyParents(path: string, root: string): Promise<void> {
  for (let directory = dirname(path); directory !== root; directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch {
      return; // not empty, or removed already
    }
  }
}

/** Returns the names in a directory; none when the directory does not exist. */
async function entriesOf(path: string): Promise<string[]> {
  return await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

/** Opens the file store below `directory`, and creates the directory if necessary. */
export async function openFileStore(directory: string): Promise<FileStore> {
  const incoming = join(directory, '.incoming');
  makeDirectory(incoming, 0o700);
  await removeAbandoned(incoming);

  return {
    async write(prefix, bytes, sizeBytes) {
      const objectName = `${prefix}/${randomUUID()}`;
      const temporary = join(incoming, randomUUID());
      const target = join(directory, objectName);
      const measure = measured(sizeBytes);
      try {
        await writeFrom(measure.pass(bytes), temporary);
        await moveInto(target, temporary);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      return { objectName, sha256: measure.digest() };
    },
    async put(objectName, bytes) {
      const temporary = join(incoming, randomUUID());
      await writeFrom(Readable.from([bytes]), temporary);
      await moveInto(join(directory, objectName), temporary);
    },
    async probe() {
      const target = join(directory, probeName());
      const temporary = join(incoming, randomUUID());
      await writeFrom(Readable.from([Buffer.from('probe')]), temporary);
      await moveInto(target, temporary);
      await readFile(target);
      await rm(target);
      await removeEmptyParents(target, directory);
    },
    async ping() {
      await access(incoming, constants.W_OK);
    },
    async read(objectName, { sizeBytes, signal } = {}) {
      const bytes = await readFile(join(directory, objectName), { signal });
      if (bytes.length === (sizeBytes ?? bytes.length)) return bytes;
      throw new Error(`${objectName} has ${bytes.length} bytes, but ${sizeBytes} were stored`);
    },
    readIfExists: (objectName, { signal } = {}) =>
      readFile(join(directory, objectName), { signal }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
        throw error;
      }),
    async remove(name) {
      const path = join(directory, name);
      await rm(path, { recursive: true, force: true });
      await removeEmptyParents(path, directory);
    },
    async *listKnowledgeBases() {
      for (const name of await entriesOf(directory)) if (KNOWLEDGE_BASE_PATTERN.test(name)) yield name;
    },
    async *listObjects(knowledgeBaseId, afterId = '') {
      const entries = await entriesOf(join(directory, knowledgeBaseId));
      for (const file of entries.filter((name) => name > afterId).sort()) {
        for (const name of await entriesOf(join(directory, knowledgeBaseId, file))) {
          const objectName = `${knowledgeBaseId}/${file}/${name}`;
          if (!OBJECT_NAME_PATTERN.test(objectName)) continue;
          const found = await stat(join(directory, objectName)).catch(() => undefined); // removed meanwhile
          if (found) yield { objectName, sizeBytes: found.size, modifiedAt: found.mtime };
        }
      }
    },
  };
}
