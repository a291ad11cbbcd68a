/** The service refuses a database that it cannot work on, and names the remedy. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf } from '../../admin/testing/healthy-deployment.ts';
import { migrateOver } from '../migrations/migrate.ts';
import { createEmptyDatabase } from '../testing/test-database.ts';
import type { Connection } from './pool.ts';
import { describeProblems, describeUnreachable } from './usable-database.ts';

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

const failure = (message: string, facts = {}) =>
  describeUnreachable(Object.assign(new Error(message), facts));

test.each([
  [
    'a certificate made by oneself',
    'self-signed certificate',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'sslmode=require',
  ],
  ['one of another authority', 'unable to verify', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'sslrootcert=FILE'],
  ['one for another host', 'Hostname does not match', 'ERR_TLS_CERT_ALTNAME_INVALID', 'sslmode=verify-ca'],
  ['a server without TLS', 'The server does not support SSL connections', undefined, 'sslmode=disable'],
  [
    'a pooler of statements',
    'transaction blocks not allowed in statement pooling mode',
    '08P01',
    'pool_mode',
  ],
  ['no password', 'SASL: client password must be a string', undefined, 'PGPASSWORD'],
  ['an entry for TLS only', 'no pg_hba.conf entry for host "::1", no encryption', '28000', 'sslmode=require'],
  ['a wrong password', 'password authentication failed', '28P01', '% as %25'],
  ['a role of a group', 'role "a" is not permitted to log in', '28000', 'ALTER ROLE … LOGIN'],
  [
    'a closed database',
    'database "d" is not currently accepting connections',
    '55000',
    'ALLOW_CONNECTIONS true',
  ],
  ['a right that is missing', 'permission denied for database "d"', '42501', 'GRANT CONNECT'],
  ['a start', 'the database system is starting up', '57P03', 'Wait'],
  ['what nobody knows', 'odd', 'XX123', "PostgreSQL's log"],
])('%s has its remedy, which is no look whether PostgreSQL runs', (_name, message, code, remedy) => {
  const described = failure(message, code === undefined ? {} : { code });
  expect(described.remedy).toContain(remedy);
  expect(`${described.problem} ${described.remedy}`).not.toContain('PostgreSQL runs');
});

test('a file that the address names is none of a socket', async () => {
  const connectionString = 'postgres://own@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/nowhere.crt';
  await expect(migrate({ connectionString })).rejects.toThrow(/cannot be read: \/nowhere\.crt \(ENOENT\)/);
});

test('a database that is too old', () => {
  const facts = {
    version: 140_012,
    versionName: '14.12',
    encoding: 'UTF8',
    isStandby: false,
    isReadOnly: false,
    lacksForeignKeys: false,
  };
  expect(describeProblems(facts)).toMatchObject([
    { problem: 'The database is PostgreSQL 14.12, and the service needs 15 or later.' },
  ]);
});
