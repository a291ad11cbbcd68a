/** Migrations run once, however many servers start, and lead to the schema that stands in schema.sql. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeSchema } from '../testing/describe-schema.ts';
import { createEmptyDatabase } from '../testing/test-database.ts';
import { createDatabase, createPool, type Database } from './database.ts';
import { migrateOver, migrateToLatest } from './migrate.ts';

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let servers: Database[];

beforeAll(async () => {
  empty = await createEmptyDatabase();
  servers = Array.from({ length: 5 }, () => createDatabase(createPool(empty.connection, 2, () => {})));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.destroy()));
  await empty.drop();
});

test('five servers that start at once migrate once, and a later start finds nothing to do', async () => {
  const ran = await Promise.all(servers.map(() => migrateOver(empty.connection, () => {})));
  expect(ran.flat()).toEqual([
    '0001-initial',
    '0002-first-answers',
    '0003-request-counts',
    '0004-room-for-counts',
  ]);
  expect(await Promise.all(servers.map(migrateToLatest))).toEqual([[], [], [], [], []]);
});

test('a database that a newer version has changed is refused with its name', async () => {
  const [server] = servers;
  if (server === undefined) throw new Error('no server');
  await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-newer', '')`.execute(server);
  await expect(migrateToLatest(server)).rejects.toThrow(
    'newer version has changed the database (9999-newer)',
  );
  await sql`DELETE FROM kysely_migration WHERE name = '9999-newer'`.execute(server);
});

// A changed schema is looked at and accepted with `npx vitest run --config scripts/vitest.config.ts src/storage/migrate.test.ts --update`.
test('the migrations lead to the committed schema', async () => {
  const [server] = servers;
  if (server === undefined) throw new Error('no server');
  await expect(await describeSchema(server)).toMatchFileSnapshot('./schema.sql');
});
