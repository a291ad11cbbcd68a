/** What is uploaded: a file of Node's file system by its path, or a Blob, which browsers and Node both have. */

/** A Blob has no name unless it is a File, so it needs one here. */
export type FileSource = { file: string | File; fileName?: string } | { file: Blob; fileName: string };

/** `sizeBytes` is known before the bytes are read, so that a file that is too large is refused unread. */
export type OpenedFile = { fileName: string; sizeBytes: number; read(): Promise<Blob> };

/** What is used of Node's own modules. */
type FileSystem = {
  stat(path: string): Promise<{ size: number }>;
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
};
type Paths = { basename(path: string): string };

/**
 * A module of Node's by a name that bundlers for browsers do not see: an import of it, which they would, stops most of
 * them. `getBuiltinModule` came with Node 20.16.
 */
async function loadBuiltin<Module>(name: string): Promise<Module> {
  const { process } = globalThis;
  if (!process?.versions?.node)
    throw new TypeError('A path can be read in Node only; give a File or a Blob.');
  const found: unknown =
    process.getBuiltinModule?.(name) ?? (await import(/* @vite-ignore */ /* webpackIgnore: true */ name));
  return found as Module; // as its caller names it
}

async function openPath(path: string, givenName?: string): Promise<OpenedFile> {
  const { stat, readFile } = await loadBuiltin<FileSystem>('node:fs/promises');
  const { basename } = await loadBuiltin<Paths>('node:path');
  return {
    fileName: givenName ?? basename(path),
    sizeBytes: (await stat(path)).size,
    read: async () => new Blob([await readFile(path)]),
  };
}

/** @throws what Node's file system does: a path without a file, or a file that may not be read. */
export async function openFile({ file, fileName }: FileSource): Promise<OpenedFile> {
  if (typeof file === 'string') return await openPath(file, fileName);
  const name = fileName ?? ('name' in file ? file.name : undefined);
  if (name === undefined) throw new TypeError('A Blob needs a fileName.');
  return { fileName: name, sizeBytes: file.size, read: async () => file };
}
