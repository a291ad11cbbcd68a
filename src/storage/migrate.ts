/** Brings a database to the schema that this version needs. */
import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Connection, createDatabase, createMaintenancePool } from './database.ts';
import * as initial from './migrations/0001-initial.ts';

/** In the order of their names; one that has landed is never edited. */
const migrations: Record<string, Migration> = { '0001-initial': initial };

/**
 * Runs the migrations that `database` lacks, all in one transaction. Several servers may start at once:
 * Kysely takes an advisory lock, the others wait and then find nothing to do.
 * @returns the names of the migrations that ran.
 * @throws the error of the failed migration; nothing of it remains.
 */
export async function migrateToLatest<DB>(database: Kysely<DB>): Promise<string[]> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/** Migrates over connections of its own, whose statements may last: with `migrateToLatest`'s result and errors. */
export async function migrateOver(
  connection: Connection,
  onError: (error: Error) => void,
): Promise<string[]> {
  const database = createDatabase(createMaintenancePool(connection, onError));
  return await migrateToLatest(database).finally(() => database.destroy());
}
