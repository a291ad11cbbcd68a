/**
 * Databases for the services of tests, instead of their embedded PostgreSQL: on the Citus coordinator of CITUS_URL,
 * distributed, or on the server of DATABASE_URL. A file in the data directory has the address, so that every process of
 * a test run finds it.
 *
 * Some tests keep the embedded one (`makeEmbeddedDirectory`): those about its processes, its disk and its password,
 * about backups, which Citus has none of, and about the database of an old release.
 */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileOf = (dataDirectory: string): string => join(dataDirectory, 'database-url');

/** How to drop the databases that this process has created, by data directory. */
const drops = new Map<string, () => Promise<void>>();

/** The DATABASE_URL of a data directory's database on a given server; undefined where it has none. */
export function findGivenUrl(dataDirectory: string): string | undefined {
  const file = fileOf(dataDirectory);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Creates the database of a data directory where CITUS_URL or DATABASE_URL is set. */
export async function createGivenDatabase(dataDirectory: string): Promise<void> {
  const server = process.env.CITUS_URL || process.env.DATABASE_URL;
  if (!server) return;
  // Loaded here, because most runs have no such server, and each test file would load it.
  const { createDatabaseOn, migrateAndDistribute } = await import(
    '../../../src/database/testing/new-database.ts'
  );
  const { connection, drop } = await createDatabaseOn({ connectionString: server });
  drops.set(dataDirectory, drop);
  await migrateAndDistribute(connection);
  if ('connectionString' in connection) await writeFile(fileOf(dataDirectory), connection.connectionString);
}

/** Drops the database that `createGivenDatabase` has created for a data directory, if any. */
export async function dropGivenDatabase(dataDirectory: string): Promise<void> {
  await drops.get(dataDirectory)?.();
  drops.delete(dataDirectory);
}
