/**
 * Lets one service at a time use a data directory, by a lock that the kernel releases with the process, however it
 * ends.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY, another connection has the lock: https://sqlite.org/rescode.html#busy */
const sqliteBusy = 5;

/** Locks held by this process. The garbage collector would close an unreferenced connection, and so unlock it. */
const held = new Set<DatabaseSync>();

/** Held until `release` or the end of the process. */
export type DirectoryLock = { release(): void };

/**
 * Takes the exclusive lock on an existing `directory`, at once or not at all.
 * Node has no flock, SQLite has: `BEGIN EXCLUSIVE` on `service.lock` is a POSIX record lock, which SIGKILL
 * and power loss release and which no child inherits. Nothing is ever written.
 * Never open `service.lock` otherwise in this process: closing any descriptor of a file drops its record locks
 * (https://sqlite.org/howtocorrupt.html, 2.2). That is why the process id stands in `service.pid` beside it.
 * @throws an error that names the directory, and the holder's process if there is one.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const pidFile = join(directory, 'service.pid');
  const database = openLocked(directory, pidFile);
  held.add(database);
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // A full disk must not stop the start: the file only improves the next process's error message.
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
    // A stranger allowed to open the file could lock it too.
    chmodSync(path, 0o600);
    // A journal file would be written even for a lock on an empty database, which fails on a full disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      throw new Error(
        `${directory} is in use by another service${holder(pidFile)}: stop it, or set another DATA_DIR`,
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
