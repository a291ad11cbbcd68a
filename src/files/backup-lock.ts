/**
 * Keeps objects while a backup runs. Otherwise an object could be removed after the backup's snapshot of its row, and
 * before its copy. So a backup takes a lock before its snapshot. A removal commits the deletion of the row first, and
 * checks the lock afterwards. Then either the snapshot does not contain the row, or the check sees the lock.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../database/connection/database.ts';
import type { FileStore } from './file-store.ts';

const LOCK = `hashtextextended('backup', 0)`;

/** A check holds the lock for a shorter time; another backup holds it longer. */
const LOCK_TIMEOUT_MS = 1_000;
/** PostgreSQL's code for a lock that was not granted in time (manual, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Begins a transaction that prevents the removal of objects until it ends. It may stay idle.
 * @throws when another backup holds the lock
 */
export async function takeBackupLock(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  } catch (error) {
    const isTaken = (error as { code?: string }).code === LOCK_NOT_AVAILABLE; // a DatabaseError's
    throw isTaken ? new Error('Another backup of this database is running; wait until it ends.') : error;
  }
}

async function isBackupRunning(database: Queryable): Promise<boolean> {
  // The lock is held for this statement only.
  const { rows } = await sql<{ free: boolean }>`
    SELECT pg_try_advisory_xact_lock_shared(${sql.raw(LOCK)}) AS free`.execute(database);
  return rows[0]?.free !== true;
}

/**
 * Removes an object, or everything below a prefix, that no committed row refers to any more. While a backup runs it
 * removes nothing; garbage collection does so later. Call it only after the commit that removed the row.
 * @returns whether the object is removed
 */
export async function removeUnreferenced(
  { database, files }: { database: Queryable; files: FileStore },
  name: string,
): Promise<boolean> {
  if (await isBackupRunning(database)) return false;
  await files.remove(name);
  return true;
}
