/** The doctor reports each fault of a database. */
import { CompiledQuery, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseNow } from '../../database/connection/clock.ts';
import { createPool } from '../../database/connection/pool.ts';
import { type AccountChange, createAccount, updateAccount } from '../../database/rows/accounts.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { addressOf, startHealthyDeployment } from '../testing/healthy-deployment.ts';
import { checkClock, checkConnections, checkKind } from './check-database.ts';

let deployment: Awaited<ReturnType<typeof startHealthyDeployment>>;
beforeAll(async () => {
  deployment = await startHealthyDeployment();
});
afterAll(() => deployment.close());

/** Creates an empty database with these options of `CREATE DATABASE`. */
async function withDatabase<T>(options: string, use: (address: string) => Promise<T>): Promise<T> {
  const name = `doctor_${uuidv7().replaceAll('-', '')}`;
  const { database } = deployment.service;
  await database.executeQuery(CompiledQuery.raw(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`));
  try {
    return await use(addressOf(deployment.connection, { database: name }));
  } finally {
    await database.executeQuery(CompiledQuery.raw(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}

test('reports a database that does not answer, and one that does not exist', async () => {
  const away = await deployment.examineWith({
    DATABASE_URL: 'postgres://somebody:hunter2@127.0.0.1:1/nothing',
  });
  expect(away).toEqual(['database: The database does not answer: connect ECONNREFUSED 127.0.0.1:1.']);
  const DATABASE_URL = addressOf(deployment.connection, { database: 'doctor_nowhere' });
  expect(await deployment.examineWith({ DATABASE_URL })).toEqual([expect.stringContaining('does not exist')]);
});

test('reports an encoding that cannot store all letters', async () => {
  const problems = await withDatabase("ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc", (DATABASE_URL) =>
    deployment.examineWith({ DATABASE_URL }),
  );
  expect(problems[0]).toContain('stores text as LATIN1');
});

test.each(["LOCALE 'C' LOCALE_PROVIDER libc", "LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr'"])(
  'has nothing to say about %s: searches and lists find upper and lower case',
  async (locale) => {
    const problems = await withDatabase(`ENCODING 'UTF8' ${locale}`, (DATABASE_URL) =>
      deployment.examineWith({ DATABASE_URL }),
    );
    expect(problems.filter((problem) => /locale|collation|case/i.test(problem))).toEqual([]);
  },
);

test.each([-1, 1])('reports a clock that differs (by %d hours)', async (hours) => {
  const { database } = deployment.service;
  expect(await checkClock(database, () => Date.now() + hours * 3_600_000)).toMatchObject([
    { problem: expect.stringMatching(/differ by (3599|3600|3601) seconds/) },
  ]);
});

test('reports a database that is read-only', async () => {
  const url = new URL(addressOf(deployment.connection));
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  expect(await deployment.examineWith({ DATABASE_URL: url.href })).toEqual([
    expect.stringMatching(/: The database is read-only: default_transaction_read_only is on\.$/),
  ]);
});

test('warns where commits do not wait for the disk', async () => {
  const url = new URL(addressOf(deployment.connection));
  url.searchParams.set('options', '-c synchronous_commit=off');
  expect(await deployment.examineWith({ DATABASE_URL: url.href })).toEqual([
    expect.stringMatching(/^warning of durability: synchronous_commit is off/),
  ]);
});

test.runIf(isCitus)('reports a server of shards that does not answer', async () => {
  const { database, close } = await createTestDatabase();
  expect(await checkKind(database)).toEqual([]);
  await sql`UPDATE pg_dist_node SET nodeport = 1 WHERE nodeid = (SELECT max(nodeid) FROM pg_dist_node)`.execute(
    database,
  );
  expect(await checkKind(database)).toMatchObject([
    { problem: expect.stringContaining(':1 does not answer') },
  ]);
  await close();
});

// With Citus there is no read replica.
test.skipIf(isCitus)(
  'reports a read replica that is another database, and warns of one that is a primary or does not answer',
  async () => {
    const examineReplica = (DATABASE_READ_URL: string) => deployment.examineWith({ DATABASE_READ_URL });
    const other = addressOf(deployment.connection, { database: 'template1' });
    expect(await examineReplica(other)).toEqual([
      expect.stringMatching(/^read replica: .*: it is another database/),
    ]);
    expect(await examineReplica(addressOf(deployment.connection))).toEqual([
      expect.stringMatching(/^warning of read replica: .*: it is a primary\.$/),
    ]);
    expect(await examineReplica('postgres://somebody:hunter2@127.0.0.1:1/nothing')).toEqual([
      'warning of read replica: The replica of DATABASE_READ_URL does not answer: connect ECONNREFUSED 127.0.0.1:1.',
    ]);
  },
);

test.each([{ database: 'nowhere' }, { user: 'nobody_here', password: 'hunter2' }])(
  'reports a read replica that refuses the service: %o',
  async (changes) => {
    const DATABASE_READ_URL = addressOf(deployment.connection, changes);
    expect(await deployment.examineWith({ DATABASE_READ_URL })).toEqual([
      expect.stringMatching(/^read replica: The replica of DATABASE_READ_URL refuses the service: /),
    ]);
  },
);

test('warns of a database without tables, and reports one whose role may make none', async () => {
  const { database } = deployment.service;
  const role = `doctor_${uuidv7().replaceAll('-', '')}`;
  await database.executeQuery(CompiledQuery.raw(`CREATE ROLE ${role} LOGIN PASSWORD 'pw'`));
  await withDatabase('', async (DATABASE_URL) => {
    expect(await deployment.examineWith({ DATABASE_URL })).toEqual([
      expect.stringMatching(/^warning of schema: The database has no tables of the service yet/),
    ]);
    const poor = Object.assign(new URL(DATABASE_URL), { username: role, password: 'pw' }).href;
    expect(await deployment.examineWith({ DATABASE_URL: poor })).toEqual([
      `schema: The role ${role} may make no schema for the service's tables.`,
    ]);
  });
  await database.executeQuery(CompiledQuery.raw(`DROP ROLE ${role}`));
});

test('reports a database that keeps no foreign keys', async () => {
  const url = new URL(addressOf(deployment.connection));
  url.searchParams.set('options', '-c session_replication_role=replica');
  expect(await deployment.examineWith({ DATABASE_URL: url.href })).toEqual([
    expect.stringMatching(/: session_replication_role is replica/),
  ]);
});

test('warns of each of several hosts that does not answer, and takes two names of one server for one', async () => {
  const url = new URL(addressOf(deployment.connection));
  const host = url.searchParams.get('host') || url.hostname;
  const port = url.searchParams.get('port') || url.port || '5432';
  url.searchParams.set('host', `${host},127.0.0.1,${host}`);
  url.searchParams.set('port', `${port},1,${port}`);
  expect(await deployment.examineWith({ DATABASE_URL: url.href })).toEqual([
    expect.stringMatching(/^warning of hosts of the database: The host 127\.0\.0\.1:1 .*ECONNREFUSED/),
  ]);
});

test('reports a schema of an earlier version, and one of a newer version', async () => {
  const { database } = deployment.service;
  const last = await sql<{ name: string; timestamp: string }>`
    DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration) RETURNING *`.execute(
    database,
  );
  const [removed] = last.rows;
  expect(await deployment.examineWith()).toEqual([expect.stringContaining(`lacks ${removed?.name}`)]);
  await sql`INSERT INTO kysely_migration VALUES (${removed?.name}, ${removed?.timestamp})`.execute(database);
  await sql`INSERT INTO kysely_migration VALUES ('9999-later', '')`.execute(database);
  expect(await deployment.examineWith()).toEqual([expect.stringContaining('has 9999-later')]);
  await sql`DELETE FROM kysely_migration WHERE name = '9999-later'`.execute(database);
});

test('warns of accounts with few credits, the lowest first', async () => {
  const { database } = deployment.service;
  const { id } = await database.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const balanceOf = (credits: number) => updateAccount(database, id, { credits });
  await balanceOf(100_000_000);
  expect(await deployment.examineWith()).toEqual([]);
  await balanceOf(99_999_999);
  await createAccount(database, 'spent', 0);
  expect(await deployment.examineWith()).toEqual([
    'warning of credits: 2 accounts have less than a tenth of INITIAL_CREDITS (1000000000) left: ' +
      'spent (0), default (99999999).',
  ]);
  for (let number = 1; number <= 4; number++) await createAccount(database, `poor ${number}`, number);
  expect(await deployment.examineWith()).toEqual([
    expect.stringMatching(
      /^warning of credits: 6 accounts .* spent \(0\), poor 1 \(1\), .*, poor 4 \(4\), and 1 more\.$/,
    ),
  ]);
  expect(await deployment.examineWith({ INITIAL_CREDITS: '15' })).toEqual([
    expect.stringContaining('left: spent (0), poor 1 (1).'),
  ]);
  expect(await deployment.examineWith({ INITIAL_CREDITS: '0' })).toEqual([]);
  expect(await deployment.examineWith({ CREDITS_PER_QUERY: '0' })).toEqual([]);
  await database.updateTable('account_balances').set({ credits: 1_000_000_000 }).execute();
});

test('warns of accounts with less than a tenth of their storage or knowledge bases left', async () => {
  const { database } = deployment.service;
  const makeAccount = async (name: string, limits: AccountChange) => {
    const id = await createAccount(database, name, 1_000_000_000);
    await updateAccount(database, id, limits);
    return id;
  };
  await makeAccount('locked', { storageLimitBytes: 0, knowledgeBaseLimit: 0 });
  const small = await makeAccount('small', { storageLimitBytes: 1_000, knowledgeBaseLimit: 10 });
  const makeKnowledgeBases = async (count: number, storage_bytes: number) => {
    const owners = Array.from({ length: count }, () => ({ knowledge_base_id: uuidv7(), account_id: small }));
    const now = { created_at: databaseNow, updated_at: databaseNow };
    const rows = owners.map((owner) => ({ ...owner, ...now, name: 'a', description: '' }));
    await database.insertInto('knowledge_bases').values(rows).execute();
    const counters = owners.map((owner) => ({ ...owner, storage_bytes }));
    await database.insertInto('knowledge_base_statistics').values(counters).execute();
  };
  await makeKnowledgeBases(9, 100);
  expect(await deployment.examineWith()).toEqual([]);
  await makeKnowledgeBases(1, 1);
  expect(await deployment.examineWith()).toEqual([
    'warning of limits: 1 account has less than a tenth of the storage limit left: small (901 of 1000 bytes).',
    'warning of limits: 1 account has less than a tenth of the allowed knowledge bases left: small (10 of 10).',
  ]);
  await updateAccount(database, small, { storageLimitBytes: 10_000, knowledgeBaseLimit: 20 });
});

test('reports a pool larger than the limit of the server, and than that of the role', async () => {
  expect(await deployment.examineWith({ DATABASE_POOL_SIZE: '1000' })).toEqual([
    expect.stringMatching(/^connections: .*max_connections leaves \d+ connections, .* up to 1002/),
  ]);
  const { database } = deployment.service;
  const role = `doctor_${uuidv7().replaceAll('-', '')}`;
  const act = (statement: string) => database.executeQuery(CompiledQuery.raw(statement));
  await act(`CREATE ROLE ${role} LOGIN PASSWORD 'doctor' CONNECTION LIMIT 7`);
  await act(`GRANT pg_read_all_data, pg_write_all_data TO ${role}`);
  const DATABASE_URL = addressOf(deployment.connection, { user: role, password: 'doctor' });
  expect(await deployment.examineWith({ DATABASE_URL })).toEqual([
    expect.stringContaining('limit of the role leaves 7 connections'),
  ]);
  await act(`DROP ROLE ${role}`);
});

test('reports servers that together exceed the limit of the server', async () => {
  const { connection, service } = deployment;
  const pool = createPool(connection, 1, () => {});
  const find = (servers: number) =>
    checkConnections(pool, service.database, { databasePoolSize: 16 }, servers);
  expect(await find(1)).toEqual([]);
  expect(await find(1_000)).toMatchObject([
    { problem: expect.stringContaining('but the 1000 servers and workers that run take up to 18000 (each') },
  ]);
  await pool.end();
});
