/** Stores uploaded files on disk, each as an object whose name is written once and whose content never changes. */
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

/** `sizeBytes`: the object must have this length. `signal` aborts the read. */
export type ReadOptions = { sizeBytes?: number | undefined; signal?: AbortSignal | undefined };

/** Files synced at the same time. */
const SYNCS_MAX = 2;

/** An object that has arrived completely. */
export type StoredObject = { objectName: string; sha256: Buffer };

export type FileStore = {
  /** Direct uploads from clients to the store; undefined: clients upload through this service, by `write`. */
  directUploads?: {
    /** The address to which the client can PUT the file's bytes: with exactly this length, until the expiry. */
    presign(file: ScopedId, grant: { sizeBytes: number; createdAt: Date; expiresAt: Date }): Promise<string>;
    /**
     * Moves the upload to a new name that no upload address can change any more.
     * @returns that name; undefined: no upload of exactly `sizeBytes` has arrived.
     */
    take(file: ScopedId, sizeBytes: number): Promise<string | undefined>;
  };
  /**
   * Streams `bytes` to disk under a new name below `prefix`. The object exists completely and synced, or not at all.
   * Each buffer's memory is released after its write, so the caller must not read it afterwards.
   * @throws INPUT_VALIDATION_FAILED when they are not exactly `sizeBytes`; reading stops at the first byte beyond.
   */
  write(prefix: string, bytes: AsyncIterable<Buffer>, sizeBytes: number): Promise<StoredObject>;
  /** Writes a complete object under the name that it had in a backup; replaces an object of that name. */
  put(objectName: string, bytes: Buffer): Promise<void>;
  /** Writes a small object, reads it and removes it. @throws the first failure. */
  probe(): Promise<void>;
  /** Checks whether the store answers at all; changes nothing. @throws the store's error, or a time-out. */
  ping(): Promise<void>;
  /** The complete object. @throws when it does not exist, comes too slowly, or has another length. */
  read(objectName: string, options?: ReadOptions): Promise<Buffer>;
  /** The same, but undefined when the object does not exist. */
  readIfExists(objectName: string, options?: ReadOptions): Promise<Buffer | undefined>;
  /** Removes an object, or everything below a prefix; a missing one is no error. */
  remove(name: string): Promise<void>;
  /** The knowledge bases with objects in the store, in no order. */
  listKnowledgeBases(): AsyncIterable<string>;
  /**
   * The objects of one knowledge base in the order of their files' ids, beginning after the file `afterId`. Omits
   * objects whose names do not match ours.
   */
  listObjects(knowledgeBaseId: string, afterId?: string): AsyncIterable<ListedObject>;
};

/**
 * How long after an address's expiry an upload may still arrive: one that began before goes on, and clocks differ.
 * Signatures tolerate a difference of this size (Amazon S3, error RequestTimeTooSkewed).
 */
export const LATE_UPLOAD_SECONDS = 900;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A name that belongs to no file: garbage collection removes the object that an aborted probe leaves. */
export const probeName = (): string => `${randomUUID()}/${randomUUID()}/${randomUUID()}`;
/** The prefix of all objects of a file. */
export const filePrefix = ({ knowledgeBaseId, id }: ScopedId): string => `${knowledgeBaseId}/${id}`;
/** The name under which a client uploads a file directly to the store, whether or not the ticket's row records it. */
export const uploadNameOf = (file: ScopedId): string => `${filePrefix(file)}/${file.id}`;
/** Whether an object's name is such an upload name. */
export const isUploadName = (objectName: string): boolean => UPLOAD_NAME_PATTERN.test(objectName);
/** Matches the first part of an object's name. */
export const KNOWLEDGE_BASE_PATTERN = new RegExp(`^${UUID}$`);
/** `<knowledge base>/<file>/<any>`: other objects in the store are not ours, and are never touched. */
export const OBJECT_NAME_PATTERN = new RegExp(`^(${UUID})/(${UUID})/${UUID}$`);
const UPLOAD_NAME_PATTERN = new RegExp(`^${UUID}/(${UUID})/\\1$`);

/** Passes bytes on, and hashes and counts them. */
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

/**
 * Releases a buffer's memory at once, if the buffer does not share it. The garbage collector hardly notices memory
 * outside its heap. It would keep tens of MiB, all the buffers of a large upload.
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

/** A rename survives a power cut only if the directory is synced too (fsync(2)). */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}

/** No upload is silent for this long: its connection would have been closed before. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Removes half-written files of killed servers; a file that still grows may belong to another server. */
async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

/** Moves a file to a path whose directory it creates, again when a concurrent removal deletes the empty directory. */
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

/** A try fails only when a concurrent removal deletes the same directory. Two such failures are unlikely already. */
const MOVE_TRIES = 5;

/** Removes the directories between `path` and `root` that have become empty. */
async function removeEmptyParents(path: string, root: string): Promise<void> {
  for (let directory = dirname(path); directory !== root; directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch {
      return; // It is not empty, or already removed.
    }
  }
}

/** Entries of a directory; none when the directory does not exist. */
async function entriesOf(path: string): Promise<string[]> {
  return await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

/** The file store below `directory`. */
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
