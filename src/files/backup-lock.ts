/**
 * Keeps objects while a backup runs. The backup's snapshot has rows whose objects may be removed before it copies
 * them. So a backup takes a lock before its snapshot. A transaction that removes the last row naming an object commits
 * first and then checks the lock. Either the snapshot has no such row, or the check sees the lock.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../database/database.ts';
import type { FileStore } from './file-store.ts';

const LOCK = `hashtextextended('backup', 0)`;

/** A check holds the lock for less than this; another backup holds it longer. */
const LOCK_TIMEOUT_MS = 1_000;
/** PostgreSQL's code for a lock that was not granted in time (manual, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Prevents the removal of objects for as long as the connection lives.
 * @throws when another backup does so already.
 */
export async function takeBackupLock(client: pg.ClientBase): Promise<void> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`);
  } catch (error) {
    const isTaken = (error as { code?: string }).code === LOCK_NOT_AVAILABLE; // a DatabaseError's
    throw isTaken ? new Error('Another backup of this database runs; wait for its end.') : error;
  }
  await client.query('SET lock_timeout = 0');
}

async function isBackupRunning(database: Queryable): Promise<boolean> {
  // Held for this statement only.
  const { rows } = await sql<{ free: boolean }>`
    SELECT pg_try_advisory_xact_lock_shared(${sql.raw(LOCK)}) AS free`.execute(database);
  return rows[0]?.free !== true;
}

/**
 * Removes an object, or everything below a prefix, that no committed row names any more. While a backup runs it
 * removes nothing, and garbage collection does it later. Call it only after the commit that removed the row.
 * @returns whether it has removed it
 */
export async function removeUnreferenced(
  { database, files }: { database: Queryable; files: FileStore },
  name: string,
): Promise<boolean> {
  if (await isBackupRunning(database)) return false;
  await files.remove(name);
  return true;
}
