/** Makes DATA_DIR usable, or reports why it is not. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../config/make-directory.ts';
import { codeOf, type Problem } from '../terms/problem.ts';

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

/** The operator's remedy for an error of the file system. */
function remedyOf(code: string): string {
  if (FULL.includes(code)) return 'Free some space there, or set another DATA_DIR.';
  const user = process.geteuid?.();
  // Root may write wherever any user may.
  if (!FORBIDDEN.includes(code) || user === 0) return 'Set another DATA_DIR.';
  const whose = user === undefined ? 'the user who runs the service' : `the user with the id ${user}`;
  return `Let ${whose} write there, or set another DATA_DIR.`;
}

/** Something that a shell replaces, as a part of a path: files of settings are mostly read without a shell. */
const FOR_A_SHELL = /(?:^|\/)(?:~|\$\{?\w+\}?)(?=\/|$)/;

/** False also for what cannot be looked at, such as a path below a file. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Why a path without a directory is not to be made, whoever may write there; undefined: it may be. */
function describeWrongPath(directory: string): Problem | undefined {
  if (existsSync(directory)) return undefined;
  const because = (what: string) => `DATA_DIR (${directory}) does not exist, and ${what}.`;
  if (FOR_A_SHELL.test(directory))
    return {
      problem: because('has ~ or a variable in it, which only a shell replaces'),
      remedy: 'Write the whole path.',
    };
  if (isLink(directory))
    return {
      problem: because('is a link that leads nowhere'),
      remedy: 'Make its target, or set another one.',
    };
  return undefined;
}

/** Explains to an operator why DATA_DIR is unusable. The system's own message would name a probe file. */
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

/** Creates and removes a directory: in /proc, permissions do not show whether that is possible. */
function probeParent(existing: string): void {
  const trial = join(existing, `.probe-${randomUUID()}`);
  mkdirSync(trial);
  rmdirSync(trial);
}

/** Why a start would refuse this data directory, in the same words; undefined: it would not. Leaves no files. */
export function findUnusable(directory: string): Problem | undefined {
  const wrong = describeWrongPath(directory);
  if (wrong !== undefined) return wrong;
  const existing = nearestExisting(directory);
  try {
    (existing === directory ? probe : probeParent)(existing);
    return undefined;
  } catch (error) {
    return describeUnusable(directory, error);
  }
}

/**
 * Creates the data directory if it is missing. Other users may traverse it (mode 711): if the service is root,
 * PostgreSQL runs as another user.
 * @throws an error with a remedy for the operator
 */
export function requireDataDirectory(directory: string): void {
  const wrong = describeWrongPath(directory);
  if (wrong !== undefined) throw new Error(`${wrong.problem} ${wrong.remedy}`);
  try {
    makeDirectory(directory, 0o711);
    probe(directory);
  } catch (error) {
    // With a full disk the service starts: documents can still be read and deleted.
    if (FULL.includes(codeOf(error)) && existsSync(directory)) return;
    const { problem, remedy } = describeUnusable(directory, error);
    throw new Error(`${problem} ${remedy}`, { cause: error });
  }
}
