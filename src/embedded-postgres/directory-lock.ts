/** A lock for one service at a time on a data directory; the kernel releases it when the process ends in any way. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY: another connection has the lock (https://sqlite.org/rescode.html#busy). */
const sqliteBusy = 5;

/** Locks held by this process. Without this reference, the garbage collector would close them. */
const held = new Set<DatabaseSync>();

/** Held until `release` or the end of the process. */
export type DirectoryLock = { release(): void };

/**
 * Takes the exclusive lock on an existing `directory`, without waiting. Node has no flock, but SQLite's
 * `BEGIN EXCLUSIVE` takes a POSIX record lock on `service.lock`. SIGKILL and power loss release it, and no child
 * inherits it. Nothing is written to the file.
 *
 * Never open `service.lock` in another way in this process: closing any descriptor of a file drops its record locks
 * (https://sqlite.org/howtocorrupt.html, 2.2). So the process id is in a file of its own, `service.pid`.
 * @throws an error with the directory, and the id of the process that holds the lock, if there is one
 */
export function lockDirectory(directory: string): DirectoryLock {
  const pidFile = join(directory, 'service.pid');
  const database = openLocked(directory, pidFile);
  held.add(database);
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // A full disk must not prevent the start: the file only improves another process's error message.
  }
  return {
    release() {
      if (!held.delete(database)) return;
      rmSync(pidFile, { force: true });
      database.close();
    },
  };
}

function openLocked(directory: string, pidFile: string): DatabaseSync {
  const path = join(directory, 'service.lock');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Another user with permission to open the file could lock it.
    chmodSync(path, 0o600);
    // Otherwise the lock would write a journal file, which fails on a full disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      throw new Error(
        `${directory} is in use by a running service${holder(pidFile)}: stop it, or set another DATA_DIR`,
      );
    }
    throw new Error(`cannot lock ${directory}, is it a directory that this user may write to? ${error}`, {
      cause: error,
    });
  }
}

function holder(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
