/** Makes DATA_DIR usable, or reports why it is not. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import { codeOf, type Problem } from '../problem.ts';

const FULL = ['ENOSPC', 'EDQUOT'];
const FORBIDDEN = ['EACCES', 'EPERM'];

/** Writes a file and removes it. @throws the reason why that is not possible: rights, a read-only mount, /proc */
export function probe(directory: string): void {
  const file = join(directory, `.probe-${randomUUID()}`);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } finally {
    rmSync(file, { force: true });
  }
}

/** The path itself, or its nearest existing parent. */
export const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));

/** What an operator can do about an error of the file system. */
function remedyOf(code: string): string {
  if (FULL.includes(code)) return 'Free some space there, or set another DATA_DIR.';
  const user = process.geteuid?.();
  // Root may write wherever any user may.
  if (!FORBIDDEN.includes(code) || user === 0) return 'Set another DATA_DIR.';
  const whose = user === undefined ? 'the user who runs the service' : `the user with the id ${user}`;
  return `Let ${whose} write there, or set another DATA_DIR.`;
}

/** Explains to an operator why `error` makes DATA_DIR unusable. The system's own message names other paths. */
function describeUnusable(directory: string, error: unknown): Problem {
  const existing = nearestExisting(directory);
  const because = (what: string) => `DATA_DIR (${directory}) cannot be used: ${what}.`;
  if (!statSync(existing).isDirectory())
    return { problem: because(`${existing} is not a directory`), remedy: 'Set another DATA_DIR.' };
  const code = codeOf(error);
  const what = existing === directory ? 'nothing can be written into it' : `it cannot be made in ${existing}`;
  const reason = FULL.includes(code) ? 'no space is left on its disk' : `${what} (${code})`;
  return { problem: because(reason), remedy: remedyOf(code) };
}

/** Makes a directory and removes it. In /proc the rights alone do not tell whether that is possible. */
function probeParent(existing: string): void {
  const trial = join(existing, `.probe-${randomUUID()}`);
  mkdirSync(trial);
  rmdirSync(trial);
}

/** Why the start could not use this data directory, in the words of the start; undefined: it could. Leaves no files. */
export function findUnusable(directory: string): Problem | undefined {
  const existing = nearestExisting(directory);
  try {
    (existing === directory ? probe : probeParent)(existing);
    return undefined;
  } catch (error) {
    return describeUnusable(directory, error);
  }
}

/**
 * Makes the data directory if it is missing. Other users may pass through it, as PostgreSQL must where the service is
 * root.
 * @throws an error in words for an operator
 */
export function requireDataDirectory(directory: string): void {
  try {
    makeDirectory(directory, 0o711);
    probe(directory);
  } catch (error) {
    // A full disk must not stop the start: documents can still be read and deleted.
    if (FULL.includes(codeOf(error)) && existsSync(directory)) return;
    const { problem, remedy } = describeUnusable(directory, error);
    throw new Error(`${problem} ${remedy}`, { cause: error });
  }
}
