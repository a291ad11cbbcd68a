/** Makes a directory with those above it. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes `path` and what is missing above it; one that is there already stays as it is. Not by Node's `recursive`, which
 * never returns where a directory exists and nothing can be made in it, as /proc: it takes ENOENT for a missing parent.
 * @throws why it cannot be made.
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
