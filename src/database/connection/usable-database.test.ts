/** The service refuses a database that it cannot work on, and names the remedy. */
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf } from '../../admin/testing/healthy-deployment.ts';
import { migrateOver } from '../migrations/migrate.ts';
import { createEmptyDatabase } from '../testing/test-database.ts';
import { type Connection, createDatabase, createMaintenancePool } from './database.ts';

let given: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeAll(async () => {
  given = await createEmptyDatabase();
});
afterAll(() => given.drop());

const migrate = (connection: Connection) => migrateOver(connection, () => {});

test.each([
  ['postgres://a@127.0.0.1:1/b', 'set the right host and port in DATABASE_URL'],
  ['postgres://a@nowhere.invalid/b', 'DATABASE_URL'],
  ['postgres://a@x/b?host=/nowhere', 'set the right socket directory in DATABASE_URL'],
])('%s does not answer', async (connectionString, remedy) => {
  const refused = migrate({ connectionString });
  await expect(refused).rejects.toThrow('The database does not answer: ');
  await expect(refused).rejects.toThrow(remedy);
});

test('a database that does not exist', async () => {
  const connectionString = addressOf(given.connection, { database: 'nowhere' });
  await expect(migrate({ connectionString })).rejects.toThrow(
    'Make the database (createdb), or set the right one in DATABASE_URL.',
  );
});

test('a user who does not exist', async () => {
  const connectionString = addressOf(given.connection, { user: 'nobody_here', password: 'hunter2' });
  await expect(migrate({ connectionString })).rejects.toThrow(/set (the right|another) .*DATABASE_URL/i);
  await expect(migrate({ connectionString })).rejects.not.toThrow('hunter2');
});

test('a database that is too old', async () => {
  const database = createDatabase(createMaintenancePool(given.connection, () => {}));
  const { rows } = await sql<{ name: string }>`SELECT current_database() AS name`.execute(database);
  for (const statement of [
    'CREATE SCHEMA old',
    `CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS
     $$ SELECT CASE $1 WHEN 'server_version_num' THEN '140012' WHEN 'server_version' THEN '14.12'
       ELSE pg_catalog.current_setting($1) END $$`,
    `ALTER DATABASE ${rows[0]?.name} SET search_path = old, pg_catalog, public`,
  ])
    await database.executeQuery(CompiledQuery.raw(statement));
  await database.destroy();
  await expect(migrate(given.connection)).rejects.toThrow('is PostgreSQL 14.12, and the service needs 15');
});
