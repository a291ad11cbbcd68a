/** A database of its own, migrated, for one test file. */
import { inject } from 'vitest';
import { createDatabase, type Database } from '../connection/database.ts';
import { type Connection, createPool } from '../connection/pool.ts';
import { createDatabaseOn, migrateAndDistribute, type NewDatabase } from './new-database.ts';

/** An empty database on the test server, and how to drop it. */
export const createEmptyDatabase = () => createDatabaseOn(inject('connection'));

/** A migrated database on the test server, and how to drop it. */
export async function createMigratedDatabase(): Promise<NewDatabase> {
  const template = inject('template');
  const created = await createDatabaseOn(inject('connection'), template);
  if (template === undefined) await migrateAndDistribute(created.connection);
  return created;
}

/** A migrated database; `close` disconnects and drops it. */
export async function createTestDatabase(): Promise<{
  database: Database;
  connection: Connection;
  close(): Promise<void>;
}> {
  const { connection, drop } = await createMigratedDatabase();
  const database = createDatabase(createPool(connection, 10, () => {}));
  const close = async () => {
    await database.destroy();
    await drop();
  };
  return { database, connection, close };
}

/** Two servers' pools on one migrated database; `close` disconnects both and drops it. */
export async function createSharedDatabase() {
  const { database, connection, close } = await createTestDatabase();
  const other = createDatabase(createPool(connection, 2, () => {}));
  return {
    database,
    other,
    connection,
    async close(): Promise<void> {
      await other.destroy();
      await close();
    },
  };
}
