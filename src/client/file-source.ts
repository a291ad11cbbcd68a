/** Opens the file to upload: by its path in Node, Deno and Bun, or as a Blob, bytes or a stream anywhere. */

import { fileUnreadable, invalidArgument } from './errors.ts';

/** Bytes without a name. A stream is read to its end before anything is sent: its length is part of the request. */
type NamelessFile = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A path or a File has a name. Anything else needs a `fileName`. */
export type FileSource =
  | { file: string | File; fileName?: string }
  | { file: NamelessFile; fileName: string };

/** `sizeBytes` is known before the bytes are read: a file that is too large is refused without reading it. */
export type OpenedFile = { fileName: string; sizeBytes: number; read(): Promise<Blob> };

/** The functions used of Node's modules. Deno and Bun have them too. */
type FileSystem = {
  stat(path: string): Promise<{ size: number; isFile(): boolean; isDirectory(): boolean }>;
  open(path: string): Promise<{ close(): Promise<void> }>;
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
};
type Paths = { basename(path: string): string };

/**
 * Loads a module of Node without an `import` that bundlers for browsers would see, since most of them fail on it.
 * `getBuiltinModule` came with Node 20.16.
 */
async function loadBuiltin<Module>(name: string): Promise<Module> {
  const { process } = globalThis;
  if (!process?.versions?.node)
    throw invalidArgument('file', 'A path can be read in Node, Deno and Bun only; pass a File or a Blob.');
  const found: unknown =
    process.getBuiltinModule?.(name) ?? (await import(/* @vite-ignore */ /* webpackIgnore: true */ name));
  return found as Module; // as its caller names it
}

/** The meaning of the file system's error codes (errno(3)). */
const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

function unreadable(path: string, cause: unknown) {
  const { code = '', message = String(cause) } = cause as { code?: string; message?: string }; // Node's errors
  return fileUnreadable(path, REASONS[code] ?? message, cause);
}

/** Checks the file before anything is sent. @throws FILE_UNREADABLE */
async function openPath(path: string, givenName?: string): Promise<OpenedFile> {
  const { stat, open, readFile } = await loadBuiltin<FileSystem>('node:fs/promises');
  const { basename } = await loadBuiltin<Paths>('node:path');
  /** Runs `act`. Deno throws some errors synchronously, and rejects with others. */
  const tryRead = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      throw unreadable(path, error);
    }
  };
  const found = await tryRead(() => stat(path));
  if (!found.isFile())
    throw fileUnreadable(path, found.isDirectory() ? 'it is a directory' : 'it is not a regular file');
  await tryRead(async () => await (await open(path)).close());
  return {
    fileName: givenName ?? basename(path),
    sizeBytes: found.size,
    read: () => tryRead(async () => new Blob([await readFile(path)])),
  };
}

async function readPieces(pieces: AsyncIterable<Uint8Array>): Promise<Blob> {
  const read: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces) read.push(new Uint8Array(piece));
  return new Blob(read);
}

/** The bytes of a file that has no path; undefined: it is no file. */
async function readNameless(file: unknown): Promise<Blob | undefined> {
  if (file instanceof Blob) return file;
  if (file instanceof Uint8Array) return new Blob([new Uint8Array(file)]);
  if (file instanceof ReadableStream) return await new Response(file).blob(); // Safari's cannot be iterated
  const isIterable = typeof file === 'object' && file !== null && Symbol.asyncIterator in file;
  return isIterable ? await readPieces(file as AsyncIterable<Uint8Array>) : undefined; // by its type
}

/** @throws FILE_UNREADABLE; INVALID_ARGUMENT when `file` is no file, or has no name */
export async function openFile({ file, fileName }: FileSource): Promise<OpenedFile> {
  if (typeof file === 'string') return await openPath(file, fileName);
  // Bun's Blobs have the field of a File, without a value.
  const name =
    fileName ?? (file instanceof Blob && 'name' in file && file.name ? String(file.name) : undefined);
  const bytes = await readNameless(file).catch((cause: unknown) => {
    throw fileUnreadable(name ?? 'The stream', cause instanceof Error ? cause.message : String(cause), cause);
  });
  if (bytes === undefined)
    throw invalidArgument('file', 'file must be a path, a File, a Blob, a Uint8Array or a stream.');
  if (name === undefined) throw invalidArgument('fileName', 'A file without a name needs a fileName.');
  return { fileName: name, sizeBytes: bytes.size, read: async () => bytes };
}
