/** Keeps the bytes of uploaded files on disk, each under a name that is written once and never changed. */
import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createShares } from '../concurrency/shares.ts';
import { wrongUploadLength } from '../errors.ts';
import type { ScopedId } from '../ids.ts';
import { makeDirectory } from '../make-directory.ts';

/** An object as the store lists it. */
export type ListedObject = { objectName: string; sizeBytes: number; modifiedAt: Date };

/** The largest upload that the contract allows (`presignUploadUrl`, `size`). */
export const OBJECT_MAX_BYTES = 52_428_800;

/** `sizeBytes`: what is there must have this length. `signal` ends the reading. */
export type ReadOptions = { sizeBytes?: number | undefined; signal?: AbortSignal | undefined };

/** Files that are synced at the same time. */
const SYNCS_MAX = 2;

/** Bytes that have arrived whole. */
export type StoredObject = { objectName: string; sha256: Buffer };

export type FileStore = {
  /** How clients send bytes straight to the store; undefined: they come through this service, by `write`. */
  directUploads?: {
    /** The address to which the file's bytes can be PUT, with this length and until then. */
    presign(file: ScopedId, grant: { sizeBytes: number; createdAt: Date; expiresAt: Date }): Promise<string>;
    /**
     * Puts what was sent for the file under a new name, which no address can change any more.
     * @returns that name; undefined: nothing of exactly `sizeBytes` has arrived.
     */
    take(file: ScopedId, sizeBytes: number): Promise<string | undefined>;
  };
  /**
   * Streams `bytes` to disk under a new name below `prefix`; the object is there whole, synced, or not at all. Its
   * pieces are used up: nobody may look at them afterwards.
   * @throws INPUT_VALIDATION_FAILED when they are not exactly `sizeBytes`; reading stops at the first byte too many.
   */
  write(prefix: string, bytes: AsyncIterable<Buffer>, sizeBytes: number): Promise<StoredObject>;
  /** Puts a whole object back under the name that it had; one of that name is replaced. */
  put(objectName: string, bytes: Buffer): Promise<void>;
  /** Writes a small object, reads it and removes it. @throws what hinders that. */
  probe(): Promise<void>;
  /** Looks whether the store answers at all; changes nothing. @throws what it says, or that it is silent. */
  look(): Promise<void>;
  /** The whole object. @throws when it is not there, comes too slowly, or has another length. */
  read(objectName: string, options?: ReadOptions): Promise<Buffer>;
  /** The same; undefined where it is gone. */
  readIfThere(objectName: string, options?: ReadOptions): Promise<Buffer | undefined>;
  /** Removes an object, or everything below a prefix; what is gone already is no error. */
  remove(name: string): Promise<void>;
  /** The knowledge bases that have something in the store, in no order. */
  listKnowledgeBases(): AsyncIterable<string>;
  /**
   * The objects of one knowledge base in the order of their files' ids, from the file behind `afterId` on; what is not
   * named as ours is left out.
   */
  listObjects(knowledgeBaseId: string, afterId?: string): AsyncIterable<ListedObject>;
};

/**
 * How long after the expiry of its address bytes may still come straight to the store: an upload goes on that has begun
 * before, and clocks differ (signatures hold for clocks that differ by so much: Amazon S3, error RequestTimeTooSkewed).
 */
export const LATE_UPLOAD_SECONDS = 900;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** The name of an object that is nobody's: what a broken probe leaves behind, the sweep removes. */
export const probeName = (): string => `${randomUUID()}/${randomUUID()}/${randomUUID()}`;
/** What is stored for a file lies below this. */
export const filePrefix = ({ knowledgeBaseId, id }: ScopedId): string => `${knowledgeBaseId}/${id}`;
/** The name under which a client sends a file straight to the store: there is one, whatever the ticket's row says. */
export const uploadNameOf = (file: ScopedId): string => `${filePrefix(file)}/${file.id}`;
/** Whether an object has such a name. */
export const isUploadName = (objectName: string): boolean => UPLOAD_NAME_PATTERN.test(objectName);
/** The first part of an object's name. */
export const KNOWLEDGE_BASE_PATTERN = new RegExp(`^${UUID}$`);
/** `<knowledge base>/<file>/<any>`: whatever else lies in the store is not ours to touch. */
export const OBJECT_NAME_PATTERN = new RegExp(`^(${UUID})/(${UUID})/${UUID}$`);
const UPLOAD_NAME_PATTERN = new RegExp(`^${UUID}/(${UUID})/\\1$`);

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

/**
 * Gives a piece's memory back at once, where it has it alone. The garbage collector hardly sees memory outside its heap
 * and lets tens of MiB of pieces lie, as many as a large upload has.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * Each waits for the disk on one of the four threads that all of the process's file operations share; those of a flood of
 * small uploads would hold up everybody's.
 */
const syncs = createShares(SYNCS_MAX);

/** Writes the pieces to a new file, one after the other, and syncs it. */
async function writeFrom(pieces: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece);
      release(piece);
    }
    await syncs.take('');
    await file.sync().finally(() => syncs.leave(''));
  } finally {
    await file.close();
  }
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

/** Moves a file below a directory that is made, anew if somebody removes it as empty meanwhile. */
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

/** Each try loses against another removal of the same directory; two are unlikely, so many do not happen. */
const MOVE_TRIES = 5;

/** Removes the directories between `path` and `root` that have become empty. */
async function removeEmptyParents(path: string, root: string): Promise<void> {
  for (let directory = dirname(path); directory !== root; directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch {
      return; // Something is in it, or it is gone.
    }
  }
}

/** Entries of a directory; none where there is no such directory. */
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
    async look() {
      await access(incoming, constants.W_OK);
    },
    async read(objectName, { sizeBytes, signal } = {}) {
      const bytes = await readFile(join(directory, objectName), { signal });
      if (bytes.length === (sizeBytes ?? bytes.length)) return bytes;
      throw new Error(`${objectName} has ${bytes.length} bytes, but ${sizeBytes} were stored`);
    },
    readIfThere: (objectName, { signal } = {}) =>
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
