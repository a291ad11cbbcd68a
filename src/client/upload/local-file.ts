/** Opens a file by its path, in Node, Deno and Bun. */
import { fileUnreadable, invalidArgument } from '../errors.ts';
import { loadBuiltin } from '../platform.ts';

/** `sizeBytes` is known before the bytes are read: a file that is too large is refused without reading it. */
export type OpenedFile = { fileName: string; sizeBytes: number; read(): Promise<Blob> };

/** The functions used of Node's modules. Deno and Bun have them too. */
type FileSystem = {
  stat(path: string): Promise<{ size: number; isFile(): boolean; isDirectory(): boolean }>;
  open(path: string): Promise<{ close(): Promise<void> }>;
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
};
type Paths = { basename(path: string): string };
type Addresses = { fileURLToPath(address: URL): string };

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
export async function openPath(path: string, givenName?: string): Promise<OpenedFile> {
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

/** The path of a `file:` address. @throws INVALID_ARGUMENT for any other address */
export async function toPath(address: URL): Promise<string> {
  const { fileURLToPath } = await loadBuiltin<Addresses>('node:url');
  if (address.protocol !== 'file:')
    throw invalidArgument(
      'file',
      `Only file: addresses can be read, not ${address.protocol}; pass (await fetch(address)).body with a fileName.`,
    );
  try {
    return fileURLToPath(address);
  } catch (cause) {
    throw invalidArgument('file', `${address.href} is not the address of a file here.`, cause);
  }
}
