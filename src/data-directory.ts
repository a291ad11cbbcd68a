/** Makes DATA_DIR usable, or says why it is not. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, reasonOf } from './problem.ts';
import { makeDirectory } from './storage/make-directory.ts';

/** A full disk must not stop the start: reading and deleting go on. */
const FULL = ['ENOSPC', 'EDQUOT'];

/** Only writing tells: rights, a disk mounted to be read only, /proc. */
function probe(directory: string): void {
  const file = join(directory, `.probe-${randomUUID()}`);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!FULL.includes(codeOf(error))) throw error;
  }
  rmSync(file, { force: true });
}

/** Makes the data directory if it is missing. Others may pass it, as PostgreSQL must where we are root. @throws in words for an operator. */
export function requireDataDirectory(directory: string): void {
  try {
    makeDirectory(directory, 0o711);
    probe(directory);
  } catch (error) {
    const user = process.geteuid?.();
    const whose = user === undefined ? 'the user who runs the service' : `the user ${user}`;
    throw new Error(
      `DATA_DIR (${directory}) cannot be used: ${reasonOf(error)}. Let ${whose} write there, or set another DATA_DIR.`,
      { cause: error },
    );
  }
}
