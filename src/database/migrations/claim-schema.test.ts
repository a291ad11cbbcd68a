/** A database of other programs: their tables stay as they are, and ours are found, whatever the search path says. */
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressOf } from '../../admin/testing/healthy-deployment.ts';
import { createDatabase, type Database } from '../connection/database.ts';
import { type Connection, createMaintenancePool } from '../connection/pool.ts';
import { isCitus } from '../testing/new-database.ts';
import { createEmptyDatabase } from '../testing/test-database.ts';
import { OUR_NAMES } from './claim-schema.ts';
import { compareMigrations, migrateOver, migrateUpTo } from './migrate.ts';

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let role: string;
const roles: string[] = [];

/** Runs statements as an administrator, on a connection that knows nothing of ours. */
async function administer(...statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: addressOf(empty.connection) });
  await client.connect();
  let result: pg.QueryResult | undefined;
  try {
    for (const statement of statements) result = await client.query(statement);
  } finally {
    await client.end();
  }
  if (result === undefined) throw new Error('no statement');
  return result;
}

/** All tables of the database with their schemas, such as `public.accounts`. */
async function listTables(): Promise<string[]> {
  const { rows } = await administer(`
    SELECT schemaname || '.' || tablename AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`);
  return rows.map(({ name }) => name);
}

const schemasOf = (tables: string[]) => [...new Set(tables.map((table) => table.split('.')[0]))];

const connectionOf = (user: string, schema?: string): Connection => ({
  connectionString: addressOf(empty.connection, { user, password: 'pw' }),
  schema,
});
const migrate = (connection: Connection) => migrateOver(connection, () => {});

async function onDatabase<T>(connection: Connection, use: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase(createMaintenancePool(connection, () => {}));
  return await use(database).finally(() => database.destroy());
}

async function makeRole(): Promise<string> {
  const name = `role_${uuidv7().replaceAll('-', '')}`;
  await administer(`CREATE ROLE ${name} LOGIN PASSWORD 'pw'`);
  roles.push(name);
  return name;
}

const databaseName = async (): Promise<string> =>
  (await administer('SELECT current_database() AS name')).rows[0].name;

beforeEach(async () => {
  empty = await createEmptyDatabase();
  role = await makeRole();
  await administer(`GRANT CREATE ON DATABASE ${await databaseName()} TO ${role}`);
});
afterEach(async () => {
  const { connection, drop } = empty;
  await drop();
  const client = new pg.Client({ connectionString: addressOf(connection, { database: 'postgres' }) });
  await client.connect();
  for (const name of roles.splice(0)) await client.query(`DROP ROLE ${name}`);
  await client.end();
});

/** Programs with Kysely, pg-boss, and tables of the names of ours. */
const OTHER_PROGRAMS = [
  'CREATE SCHEMA other',
  'CREATE TABLE other.kysely_migration_lock (id text, is_locked int)',
  'CREATE TABLE other.kysely_migration (name text, timestamp text)',
  'CREATE SCHEMA pgboss',
  "CREATE TABLE pgboss.job (name text, state text); INSERT INTO pgboss.job VALUES ('import-file', 'created')",
  'CREATE TABLE accounts (id int); INSERT INTO accounts VALUES (1)',
  'CREATE TABLE documents (id int); CREATE TABLE knowledge_jobs (id int); CREATE TABLE passage_vectors (id int)',
  'CREATE TABLE kysely_migration (name text, timestamp text)',
  "INSERT INTO kysely_migration VALUES ('0001-initial', 'theirs')",
  'GRANT ALL ON ALL TABLES IN SCHEMA public, other, pgboss TO PUBLIC',
  'GRANT ALL ON SCHEMA public, other, pgboss TO PUBLIC',
];

test.skipIf(isCitus)('tables of other programs stay as they are, in whatever schema', async () => {
  await administer(...OTHER_PROGRAMS);
  const before = await listTables();
  await migrate(connectionOf(role));
  const tables = await listTables();
  expect(tables.filter((table) => !table.startsWith('knowledge_retrieval.'))).toEqual(before);
  expect(tables).toContain('knowledge_retrieval.accounts');
  const { rows } = await administer(`
    SELECT (SELECT count(*) FROM accounts)::int AS accounts, (SELECT string_agg(state, '') FROM pgboss.job) AS job,
      (SELECT string_agg(timestamp, '') FROM kysely_migration) AS migrations`);
  expect(rows).toEqual([{ accounts: 1, job: 'created', migrations: 'theirs' }]);
});

test.skipIf(isCitus)('each of our tables is known by its name', async () => {
  await migrate(connectionOf(role));
  const ours = (await listTables()).map((table) => table.replace('knowledge_retrieval.', ''));
  expect(OUR_NAMES).toEqual(expect.arrayContaining(ours.filter((name) => name !== 'kysely_migration_lock')));
});

test.skipIf(isCitus)(
  'a type with the name of one of our tables is refused, and nothing remains',
  async () => {
    await administer(
      "CREATE TYPE kept_queries AS ENUM ('theirs')",
      `GRANT CREATE, USAGE ON SCHEMA public TO ${role}`,
    );
    await expect(migrate(connectionOf(role, 'public'))).rejects.toThrow(
      /has something of another program: .*kept_queries.*\. Give the service a database of its own/,
    );
    expect((await listTables()).filter((table) => !/kysely_migration/.test(table))).toEqual([]);
  },
);

test('an upgrade that meets a table of another program says how to move, and changes nothing', async () => {
  await administer(`GRANT CREATE ON SCHEMA public TO ${role}`);
  await onDatabase(connectionOf(role, 'public'), (database) =>
    migrateUpTo(database, '0018-account-frequencies'),
  );
  await administer('CREATE TABLE synonym_groups (theirs int)');
  const before = await listTables();
  await expect(migrate(connectionOf(role))).rejects.toThrow(
    /"synonym_groups" already exists\. Nothing was changed\. Rename .* make a backup by the version before/,
  );
  expect(await listTables()).toEqual(before);
  await administer('ALTER TABLE synonym_groups RENAME TO theirs');
  expect((await migrate(connectionOf(role)))[0]).toBe('0019-jobs');
});

test.skipIf(isCitus)('ours are found with any search path, and with the tables of others on it', async () => {
  await migrate(connectionOf(role));
  await administer(...OTHER_PROGRAMS);
  for (const path of ['other, public', 'pgboss', 'nowhere', "''", 'public, pg_catalog']) {
    await administer(`ALTER DATABASE ${await databaseName()} SET search_path = ${path}`);
    await onDatabase(connectionOf(role), async (database) => {
      expect((await compareMigrations(database)).pending).toEqual([]);
      expect(await database.selectFrom('accounts').select('id').execute()).toEqual([]);
    });
  }
  expect(await migrate(connectionOf(role))).toEqual([]);
});

test('a deployment of an earlier version stays in its schema, also under another search path', async () => {
  await administer(`GRANT CREATE ON SCHEMA public TO ${role}`);
  await onDatabase(connectionOf(role, 'public'), (database) =>
    migrateUpTo(database, '0018-account-frequencies'),
  );
  await administer(`ALTER DATABASE ${await databaseName()} SET search_path = nowhere`);
  expect((await migrate(connectionOf(role)))[0]).toBe('0019-jobs');
  expect(schemasOf(await listTables())).toEqual(['public']);
});

test.skipIf(isCitus)(
  'a schema with tables of another program is refused before anything is written',
  async () => {
    await administer(...OTHER_PROGRAMS);
    const before = await listTables();
    await expect(migrate(connectionOf(role, 'public'))).rejects.toThrow(
      /has tables of another program \(accounts, .*\)\. Give the service a database of its own .*DATABASE_SCHEMA/,
    );
    await expect(migrate(connectionOf(role, 'other'))).rejects.toThrow(
      'Give the service a database of its own',
    );
    expect(await listTables()).toEqual(before);
  },
);

test.skipIf(isCitus)(
  'two deployments in one database, of one role or of two, have their own tables',
  async () => {
    await migrate(connectionOf(role));
    await migrate(connectionOf(role, 'second'));
    const other = await makeRole();
    await expect(migrate(connectionOf(other))).rejects.toThrow(
      /has the tables of another deployment, which the role .* may not read.*DATABASE_SCHEMA/,
    );
    await administer(`GRANT CREATE ON DATABASE ${await databaseName()} TO ${other}`);
    await migrate(connectionOf(other, 'third'));
    await onDatabase(connectionOf(role, 'second'), (database) =>
      sql`INSERT INTO accounts (id, name, created_at) VALUES (gen_random_uuid(), 'a', now())`.execute(
        database,
      ),
    );
    const countIn = (connection: Connection) =>
      onDatabase(
        connection,
        async (database) => (await database.selectFrom('accounts').select('id').execute()).length,
      );
    expect(await countIn(connectionOf(role))).toBe(0);
    expect(await countIn(connectionOf(role, 'second'))).toBe(1);
    expect(await countIn(connectionOf(other))).toBe(0);
    expect(schemasOf(await listTables())).toEqual(['knowledge_retrieval', 'second', 'third']);
  },
);

test.skipIf(isCitus)('a role that may only read the tables is told whose they are', async () => {
  await migrate(connectionOf(role));
  const reader = await makeRole();
  await administer(
    `GRANT USAGE ON SCHEMA knowledge_retrieval TO ${reader}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA knowledge_retrieval TO ${reader}`,
  );
  await expect(migrate(connectionOf(reader))).rejects.toThrow(
    `The role ${reader} may not write into the service's tables in the schema knowledge_retrieval. Log in as ${role}`,
  );
});

test.skipIf(isCitus)('a role without rights is told what to run, and can work after that', async () => {
  const poor = await makeRole();
  const refusal: Error = await migrate(connectionOf(poor)).catch((error) => error);
  expect(refusal.message).toContain(`The role ${poor} may make no schema for the service's tables.`);
  const [, remedy = ''] = /: (CREATE SCHEMA .*);$/.exec(refusal.message) ?? [];
  await administer(remedy);
  await migrate(connectionOf(poor));
  expect(schemasOf(await listTables())).toEqual(['knowledge_retrieval']);
});

test.skipIf(isCitus)(
  'a role that may use one schema only works there, or is told which right it lacks',
  async () => {
    const poor = await makeRole();
    await administer('CREATE SCHEMA given', `ALTER ROLE ${poor} SET search_path = given`);
    const refusal: Error = await migrate(connectionOf(poor, 'given')).catch((error) => error);
    const [, remedy = ''] = /: (GRANT CREATE, USAGE ON SCHEMA given TO .*);$/.exec(refusal.message) ?? [];
    await administer(remedy);
    await migrate(connectionOf(poor));
    expect(schemasOf(await listTables())).toEqual(['given']);
    await onDatabase(connectionOf(poor), async (database) => {
      await database.executeQuery(CompiledQuery.raw('SELECT FROM accounts'));
    });
  },
);
