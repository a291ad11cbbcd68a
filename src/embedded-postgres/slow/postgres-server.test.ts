/** The embedded PostgreSQL keeps all rows through restarts and kills: of the service, of PostgreSQL, of both. */
import { once } from 'node:events';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { findRunningPostgres } from '../embedded-postgres.ts';
import {
  cleanUpAfterEach,
  connectionOf,
  isAlive,
  kill,
  makeDataDirectory,
  makeEmptyDirectory,
  postmasterId,
  query,
  start,
  startInProcess,
  watchersOf,
} from '../testing/postgres-fixture.ts';

cleanUpAfterEach();

let directory: string;
beforeEach(async () => {
  directory = await makeDataDirectory();
});

test('the first start creates a cluster, and later starts keep its rows', async () => {
  directory = makeEmptyDirectory();
  const first = await start(directory);
  await query(first.connection, 'CREATE TABLE kept AS SELECT 1 AS value');
  await first.stop();
  expect(findRunningPostgres(directory)).toBeUndefined();

  const second = await start(directory);
  expect(second.connection).toEqual(first.connection);
  expect(await query(second.connection, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
});

describe.runIf(process.platform === 'linux')('the watch', () => {
  test('ends the PostgreSQL of a killed service that does not restart, despite open connections', async () => {
    const service = startInProcess(directory, { graceSeconds: 1 });
    const client = new pg.Client(await connectionOf(service));
    client.on('error', () => undefined);
    await client.connect();
    const sleeping = client.query('SELECT pg_sleep(60)').catch((error: Error) => error);
    const orphan = postmasterId(directory);
    expect(watchersOf(directory)).toHaveLength(1);
    await kill(service);
    expect(await sleeping).toBeInstanceOf(Error);
    await expect
      .poll(() => [isAlive(orphan), watchersOf(directory)], { timeout: 60_000 })
      .toEqual([false, []]);
  });

  test('does not end the PostgreSQL of the next start, and ends with the PostgreSQL that it watches', async () => {
    const killed = startInProcess(directory, { graceSeconds: 1 });
    await connectionOf(killed);
    const [watcher = 0] = watchersOf(directory);
    await kill(killed);
    const { connection, stop } = await start(directory);
    await expect.poll(() => isAlive(watcher), { timeout: 60_000 }).toBe(false);
    expect(await query(connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
    expect(watchersOf(directory)).toHaveLength(1);
    await stop();
    await expect.poll(() => watchersOf(directory)).toEqual([]);
  });

  test('is replaced when PostgreSQL is restarted', async () => {
    await start(directory, true);
    const [first] = watchersOf(directory);
    process.kill(postmasterId(directory), 'SIGKILL');
    await expect.poll(() => watchersOf(directory), { timeout: 60_000 }).not.toContain(first);
    await expect.poll(() => watchersOf(directory), { timeout: 60_000 }).toHaveLength(1);
  });
});

test('after SIGKILL of the service the next start ends the orphan and has every committed row', async () => {
  const service = startInProcess(directory);
  await query(await connectionOf(service), 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS value');
  const orphan = postmasterId(directory);
  await kill(service);
  expect(isAlive(orphan)).toBe(true);

  const { connection } = await start(directory);
  expect(isAlive(orphan)).toBe(false);
  expect(await query(connection, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 1000 }]);
});

test('after SIGKILL of service and PostgreSQL the next start recovers', async () => {
  const service = startInProcess(directory);
  await query(await connectionOf(service), 'CREATE TABLE kept AS SELECT 1 AS value');
  const orphan = postmasterId(directory);
  process.kill(orphan, 'SIGKILL');
  await kill(service);

  const { connection } = await start(directory);
  expect(await query(connection, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
});

test('a service that exits without stopping ends its PostgreSQL', async () => {
  const service = startInProcess(directory, { afterwards: 'setTimeout(() => process.exit(3), 100)' });
  await connectionOf(service);
  const postmaster = postmasterId(directory);
  await once(service, 'exit');
  await expect.poll(() => isAlive(postmaster)).toBe(false);
});

test('after each SIGKILL of PostgreSQL a pool works again within seconds, with all rows', async () => {
  const { connection } = await start(directory, true);
  const pool = new pg.Pool(connection);
  // Idle connections break. Without a listener their errors would end the process.
  pool.on('error', () => undefined);
  await pool.query('CREATE TABLE kept (value int)');
  for (const value of [1, 2]) {
    await pool.query('INSERT INTO kept VALUES ($1)', [value]);
    const killed = postmasterId(directory);
    process.kill(killed, 'SIGKILL');
    // Sessions of the dead server may still answer before they notice its end.
    await expect
      .poll(() => isAlive(killed) || !findRunningPostgres(directory), { timeout: 60_000 })
      .toBe(false);
    const rows = async () => (await pool.query('SELECT count(*)::int AS rows FROM kept')).rows;
    await expect.poll(() => rows().catch(() => 'away'), { timeout: 60_000 }).toEqual([{ rows: value }]);
  }
  await pool.end();
});

test('stopping ends a PostgreSQL that is being restarted', async () => {
  const postgres = await start(directory);
  process.kill(postmasterId(directory), 'SIGKILL');
  await postgres.stop();
  expect(findRunningPostgres(directory)).toBeUndefined();
  await start(directory);
});

test('stopping does not wait for open sessions', async () => {
  const postgres = await start(directory);
  const client = new pg.Client(postgres.connection);
  client.on('error', () => undefined);
  await client.connect();
  const sleeping = client.query('SELECT pg_sleep(60)').catch((error: Error) => error);
  await postgres.stop();
  expect(await sleeping).toBeInstanceOf(Error);
});
