/** Finds documents whose files are gone. */
import { stat } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import type { Document } from '../../../generated/types.gen.ts';
import { codeOf } from '../../terms/problem.ts';

export type GoneDocument = { id: string; externalId: string };

/** Whether an `externalId` without its prefix may be the path of a file in a folder. */
const isPathBelow = (path: string): boolean =>
  path !== '' && !isAbsolute(path) && posix.normalize(path) === path && !path.startsWith('../');

/** Whether the path exists; true also where that cannot be found out. */
async function mayExist(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(codeOf(error));
  }
}

/**
 * The documents that were imported from these folders and whose files no longer exist. Documents without an
 * `externalId` or with one outside of `prefix`, and imported texts, come from no such file.
 */
export async function findGone(
  documents: AsyncIterable<Pick<Document, 'id' | 'type' | 'externalId'>>,
  { folders, prefix }: { folders: string[]; prefix: string },
): Promise<GoneDocument[]> {
  const gone: GoneDocument[] = [];
  for await (const { id, type, externalId } of documents) {
    if (type === 'text' || externalId === undefined || !externalId.startsWith(prefix)) continue;
    const path = externalId.slice(prefix.length);
    if (!isPathBelow(path)) continue;
    const found = await Promise.all(folders.map((folder) => mayExist(join(folder, path))));
    if (!found.includes(true)) gone.push({ id, externalId });
  }
  return gone;
}
