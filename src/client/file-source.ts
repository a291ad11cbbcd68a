/** What is uploaded: a file of Node's file system by its path, or a Blob, which browsers and Node both have. */

/** A Blob has no name unless it is a File, so it needs one here. */
export type FileSource = { file: string | File; fileName?: string } | { file: Blob; fileName: string };

/** `sizeBytes` is known before the bytes are read, so that a file that is too large is refused unread. */
export type OpenedFile = { fileName: string; sizeBytes: number; read(): Promise<Blob> };

/** Node's file system without an import of it, which every bundler for browsers would stumble over. */
function requireNode() {
  const load = globalThis.process?.getBuiltinModule;
  if (load === undefined) throw new TypeError('A path can be read in Node only; give a File or a Blob.');
  return { ...load('node:fs/promises'), ...load('node:path') };
}

async function openPath(path: string, givenName?: string): Promise<OpenedFile> {
  const { stat, readFile, basename } = requireNode();
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
