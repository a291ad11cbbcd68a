/** The files that were dropped or chosen, also those in folders. */
import type { ChosenFile } from './uploads.ts';

/** Files that systems put into folders. Nobody means to upload them. */
const SYSTEM_FILES = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

const isWanted = ({ file }: ChosenFile): boolean => !SYSTEM_FILES.has(file.name);

/** A folder returns its entries in portions; an empty one is the last. */
async function readEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (portion.length === 0) return entries;
    entries.push(...portion);
  }
}

async function readEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (entry.isDirectory) {
    const entries = await readEntries(entry as FileSystemDirectoryEntry); // as isDirectory says
    return (await Promise.all(entries.map(readEntry))).flat();
  }
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  );
  return [{ file, path: entry.fullPath.replace(/^\//, '') }];
}

/** The files of a drop. Reads the list at once: the browser empties it after the event. */
export async function readDropped({ items }: DataTransfer): Promise<ChosenFile[]> {
  const dropped = [...items].filter(({ kind }) => kind === 'file');
  const read = dropped.map(async (item) => {
    const entry = item.webkitGetAsEntry();
    if (entry !== null) return await readEntry(entry);
    const file = item.getAsFile();
    return file === null ? [] : [{ file, path: file.name }];
  });
  return (await Promise.all(read)).flat().filter(isWanted);
}

/** The files of a file chooser, or of a folder chooser. */
export const readChosen = (files: FileList | null): ChosenFile[] =>
  [...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(isWanted);
