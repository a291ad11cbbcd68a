/** The guarantees of a running embedded PostgreSQL: text rules, isolation, one server for each directory. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { findRunningPostgres, type SocketConnection } from '../embedded-postgres.ts';
import {
  cleanUpAfterAll,
  connectionOf,
  firstOutput,
  makeDataDirectory,
  makeEmptyDirectory,
  query,
  start,
  startInProcess,
} from '../testing/postgres-fixture.ts';

cleanUpAfterAll();

let directory: string;
let connection: SocketConnection;

beforeAll(async () => {
  directory = makeEmptyDirectory();
  ({ connection } = await start(directory));
});

test('case folding works in all scripts, and quotes and dashes are no letters', async () => {
  expect(
    await query(
      connection,
      `SELECT lower('ПРИВЕТ') AS lower, to_tsvector('russian', '«ПРИВЕТЫ» — ДРУЗЬЯМ…')::text AS russian,
         current_setting('server_encoding') AS encoding, datlocprovider AS provider, datlocale AS locale
       FROM pg_database WHERE datname = current_database()`,
    ),
  ).toEqual([
    { lower: 'привет', russian: "'друз':2 'привет':1", encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' },
  ]);
});

test('it listens on no TCP port, and only its account may enter the directory of its socket', async () => {
  expect(await query(connection, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
  expect(statSync(connection.host).mode & 0o777).toBe(0o700);
});

test('PostgreSQL does not inherit the environment of the service', async () => {
  expect(process.env).toHaveProperty('VITEST');
  const rows = await query(
    connection,
    `CREATE TABLE environment (line text);
     COPY environment FROM PROGRAM 'env';
     SELECT split_part(line, '=', 1) AS name FROM environment`,
  );
  // PostgreSQL itself and the shell set the others.
  const made = /^(LC_[A-Z]+|PGSYSCONFDIR|PGLOCALEDIR|PGDATA|PWD|OLDPWD|SHLVL|_)$/;
  const inherited = rows.map(({ name }) => String(name)).filter((name) => !made.test(name));
  expect(inherited.sort()).toEqual(['PATH', 'TZ']);
});

test('variables of libpq, meant for other databases, do not reach its clients', async () => {
  const variables = {
    PGSSLMODE: 'verify-full',
    PGSSLNEGOTIATION: 'direct',
    PGSSLROOTCERT: '/nowhere',
    PGOPTIONS: '-c search_path=elsewhere -c nonsense=1',
    PGHOST: 'nowhere.invalid',
    PGPORT: '1',
    PGUSER: 'nobody',
    PGDATABASE: 'nothing',
    PGPASSWORD: 'wrong',
    PGPASSFILE: '/nowhere',
    PGSERVICE: 'nothing',
    PGREPLICATION: 'database',
    PGCLIENT_ENCODING: 'LATIN1',
    PGAPPNAME: 'other',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  try {
    const path = await query(connection, "SELECT current_setting('search_path') AS path, 'é' AS letter");
    expect(path).toEqual([{ path: '"$user", public', letter: 'é' }]);
    const other = await start(makeEmptyDirectory());
    expect(await query(other.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a second start on the directory is refused in each process, and the first server runs on', async () => {
  const refusal = `${directory} is in use by a running service (process ${process.pid})`;
  await expect(start(directory)).rejects.toThrow(refusal);
  expect(await firstOutput(startInProcess(directory))).toContain(refusal);
  expect(await query(connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
});

test('a command finds the database of a running service, and none in another directory', async () => {
  const other = await makeDataDirectory();
  expect(findRunningPostgres(other)).toBeUndefined();
  expect(findRunningPostgres(fileURLToPath(import.meta.url))).toBeUndefined();
  const service = startInProcess(other);
  const expected = await connectionOf(service);
  await expect.poll(() => findRunningPostgres(other)).toEqual(expected);
});
