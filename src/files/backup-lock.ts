/**
 * Bytes outlive a backup: its snapshot has rows whose bytes somebody may remove before it has copied them. So a backup
 * takes a lock before its snapshot, and who removes bytes looks for it after the commit by which the last row that
 * named them went: either the snapshot has no such row, or the lock is seen.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../database/database.ts';
import type { FileStore } from './file-store.ts';

const LOCK = `hashtextextended('backup', 0)`;

/** A look at the lock takes no longer; another backup does. */
const LOCK_TIMEOUT_MS = 1_000;
/** PostgreSQL's code for a lock that could not be had in time (manual, appendix A). */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Keeps all bytes for as long as the connection lives.
 * @throws when another backup does so already.
 */
export async function keepBytes(client: pg.ClientBase): Promise<void> {
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
  // Held for no longer than this statement.
  const { rows } = await sql<{ free: boolean }>`
    SELECT pg_try_advisory_xact_lock_shared(${sql.raw(LOCK)}) AS free`.execute(database);
  return rows[0]?.free !== true;
}

/**
 * Removes an object, or everything below a prefix, that no committed row names any more, unless a backup runs: then
 * the sweep does it later. Not to be called before that commit.
 * @returns whether it is removed
 */
export async function removeUnnamed(
  { database, files }: { database: Queryable; files: FileStore },
  name: string,
): Promise<boolean> {
  if (await isBackupRunning(database)) return false;
  await files.remove(name);
  return true;
}
