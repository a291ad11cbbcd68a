/** Makes a directory and its missing parents. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates `path` and its missing parents. An existing directory stays as it is. Not by Node's `recursive`: that never
 * returns in /proc, where it takes ENOENT for a missing parent.
 * @throws the reason why it cannot be made.
 */
export function makeDirectory(path: string, mode: number): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
