/** Makes a directory and its missing parents. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes `path` and its missing parents. An existing directory stays as it is. Node's `recursive` is not used: where a
 * directory exists and nothing can be made in it, as in /proc, it never returns, because it takes ENOENT for a missing
 * parent.
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
