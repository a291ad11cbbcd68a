/** A database of its own, migrated, for one test file. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Connection, createDatabase, createPool, type Database } from '../database.ts';
import { migrateToLatest } from '../migrate.ts';

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(inject('connection'));
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** An empty database on the test server, and how to drop it. */
export async function createEmptyDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  const server = inject('connection');
  const connection =
    'host' in server
      ? { ...server, database: name }
      : { connectionString: Object.assign(new URL(server.connectionString), { pathname: `/${name}` }).href };
  return { connection, drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** A migrated database; `close` disconnects and drops it. */
export async function createTestDatabase(): Promise<{
  database: Database;
  connection: Connection;
  close(): Promise<void>;
}> {
  const { connection, drop } = await createEmptyDatabase();
  const database = createDatabase(createPool(connection, 10, () => {}));
  await migrateToLatest(database);
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
