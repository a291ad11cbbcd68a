/** Stores uploaded files on disk, below the directories of their knowledge bases. */
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { makeDirectory } from '../config/make-directory.ts';
import { fileMissing } from '../terms/errors.ts';
import {
  type FileStore,
  KNOWLEDGE_BASE_PATTERN,
  measured,
  OBJECT_NAME_PATTERN,
  probeName,
  type StreamedDownloads,
} from './file-store.ts';

/** The maximum number of concurrent fsyncs. */
const SYNCS_MAX = 2;

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

/** An error of the file system that means: there is no such file. */
const isMissing = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOENT' || code === 'ENOTDIR';

/** Returns `fallback` for a file or directory that does not exist. @throws any other error */
const ifMissing =
  <Value>(fallback: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (isMissing(error)) return fallback;
    throw error;
  };

/** An upload that sends nothing for this long has ended: its connection is closed before. */
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Removes the incomplete files of killed servers. A recently written file may belong to another running server, which
 * may move or remove it meanwhile.
 */
async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const file = await stat(path).catch(ifMissing(undefined));
    if (file !== undefined && Date.now() - file.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
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

/** Opens a part of a file. */
const openPart =
  (directory: string): StreamedDownloads['open'] =>
  async (objectName, { sizeBytes, start, end }) => {
    const file = await open(join(directory, objectName), 'r').catch(ifMissing(undefined));
    if (file === undefined) return undefined;
    try {
      requireLength(objectName, (await file.stat()).size, sizeBytes);
      return file.createReadStream({ start, end });
    } catch (error) {
      await file.close();
      throw error;
    }
  };

/** @throws unless the object has the length that was stored */
function requireLength(objectName: string, foundBytes: number, storedBytes: number): void {
  if (foundBytes !== storedBytes)
    throw new Error(`${objectName} has ${foundBytes} bytes, but ${storedBytes} were stored`);
}

/** Returns a file's bytes; undefined when it does not exist. */
const readIfExists = (path: string, signal: AbortSignal | undefined): Promise<Buffer | undefined> =>
  readFile(path, { signal }).catch(ifMissing(undefined));

/** Returns the names in a directory; none when the directory does not exist. */
const entriesOf = (path: string): Promise<string[]> => readdir(path).catch(ifMissing([]));

/** Writes of whole files: at a temporary name in `incoming` first. */
function createWrites(directory: string, incoming: string): Pick<FileStore, 'write' | 'put' | 'probe'> {
  /** Removes the file again where it cannot be moved to its place. */
  const writeAt = async (objectName: string, bytes: AsyncIterable<Buffer>) => {
    const temporary = join(incoming, randomUUID());
    try {
      await writeFrom(bytes, temporary);
      await moveInto(join(directory, objectName), temporary);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };
  return {
    async write(prefix, bytes, sizeBytes) {
      const objectName = `${prefix}/${randomUUID()}`;
      const measure = measured(sizeBytes);
      await writeAt(objectName, measure.pass(bytes));
      return { objectName, sha256: measure.digest() };
    },
    put: (objectName, bytes) => writeAt(objectName, Readable.from([bytes])),
    async probe() {
      const name = probeName();
      const target = join(directory, name);
      await writeAt(name, Readable.from([Buffer.from('probe')]));
      await readFile(target);
      await rm(target);
      await removeEmptyParents(target, directory);
    },
  };
}

const createLists = (directory: string): Pick<FileStore, 'listKnowledgeBases' | 'listObjects'> => ({
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
});

/** Opens the store below `directory`, and creates the directory if necessary. */
export async function openDiskStore(directory: string): Promise<FileStore> {
  const incoming = join(directory, '.incoming');
  makeDirectory(incoming, 0o700);
  await removeAbandoned(incoming);
  return {
    downloads: { open: openPart(directory) },
    ...createWrites(directory, incoming),
    ...createLists(directory),
    async ping() {
      await access(incoming, constants.W_OK);
    },
    async read(objectName, { sizeBytes, signal } = {}) {
      const bytes = await readIfExists(join(directory, objectName), signal);
      if (bytes === undefined) throw fileMissing(objectName);
      requireLength(objectName, bytes.length, sizeBytes ?? bytes.length);
      return bytes;
    },
    readIfExists: (objectName, { signal } = {}) => readIfExists(join(directory, objectName), signal),
    exists: (objectName) => stat(join(directory, objectName)).then(() => true, ifMissing(false)),
    async remove(name) {
      const path = join(directory, name);
      await rm(path, { recursive: true, force: true });
      await removeEmptyParents(path, directory);
    },
  };
}
