/**
 * Starts on unusual data directories: stale, incomplete, foreign or inaccessible ones. Some start, others are refused
 * with an error.
 */
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findRunningPostgres } from '../embedded-postgres.ts';
import {
  cleanUpAfterEach,
  clusterPath,
  connectionOf,
  firstOutput,
  isAlive,
  isRoot,
  kill,
  makeCluster,
  makeDataDirectory,
  makeEmptyDirectory,
  nobody,
  postmasterId,
  query,
  spawnChild,
  start,
  startInProcess,
  writeLockFiles,
} from '../testing/postgres-fixture.ts';

cleanUpAfterEach();

let directory: string;
beforeEach(() => {
  directory = makeEmptyDirectory();
});

test('starts despite a stale postmaster.pid with the id of another process, which runs on', async () => {
  directory = await makeDataDirectory();
  const { uid, gid } = statSync(clusterPath(directory));
  // Under the same account, so that PostgreSQL itself would mistake the process for an earlier server.
  const unrelated = spawnChild('sleep', ['60'], isRoot ? { uid, gid } : {});
  await once(unrelated, 'spawn');
  writeLockFiles(directory, unrelated.pid);
  await start(directory);
  expect(isAlive(unrelated.pid ?? 0)).toBe(true);
});

test("does not end another directory's PostgreSQL with the id in a stale postmaster.pid", async () => {
  const otherDirectory = await makeDataDirectory();
  const other = await start(otherDirectory);
  directory = await makeDataDirectory();
  writeLockFiles(directory, postmasterId(otherDirectory));
  await start(directory);
  expect(await query(other.connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
});

test('starts despite empty lock files, which a full disk leaves', async () => {
  directory = await makeDataDirectory();
  writeLockFiles(directory);
  await start(directory);
});

test('starts after a service was killed during initdb, and removes its remains', async () => {
  const incomplete = () => readdirSync(directory).filter((name) => name.startsWith('postgres.incomplete-'));
  const service = startInProcess(directory);
  const begun = () => incomplete().some((name) => existsSync(join(directory, name, 'global')));
  await expect.poll(begun, { interval: 1 }).toBe(true);
  await kill(service);
  expect(existsSync(clusterPath(directory))).toBe(false);

  const { connection, stop } = await start(directory);
  await query(connection, 'CREATE TABLE kept AS SELECT 1 AS value');
  await stop();
  // The state after an initdb that ran on after its service was killed.
  mkdirSync(join(directory, 'postgres.incomplete-abcdef', 'base'), { recursive: true });
  const again = await start(directory);
  expect(incomplete()).toEqual([]);
  expect(await query(again.connection, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
});

test('a path that is too long for a socket works, with the same address at each start', async () => {
  const long = join(directory, 'a directory, "quoted" and long'.repeat(4));
  const first = await start(long);
  await expect.poll(() => findRunningPostgres(long)).toEqual(first.connection);
  expect(statSync(first.connection.host).mode & 0o777).toBe(0o700);
  await first.stop();

  const { connection, stop } = await start(long);
  expect(connection).toEqual(first.connection);
  expect(await query(connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
  await stop();
  rmSync(connection.host, { recursive: true });
});

test('a path with spaces, commas and quotes works', async () => {
  const odd = join(directory, 'a "b", \'c\' d');
  const { connection } = await start(odd);
  expect(await query(connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
  await expect.poll(() => findRunningPostgres(odd)).toEqual(connection);
});

describe('refusals, which delete nothing', () => {
  test('a file instead of a data directory is refused with its path', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, 'kept');
    await expect(start(file)).rejects.toThrow(`cannot use ${file} as data directory`);
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });

  test('a cluster of another major version is refused with both versions', async () => {
    makeCluster(directory, { PG_VERSION: '17\n' });
    const refusal = `${clusterPath(directory)} holds the data of PostgreSQL 17, but PostgreSQL 18 is installed`;
    await expect(start(directory)).rejects.toThrow(refusal);
    expect(readdirSync(clusterPath(directory))).toEqual(['PG_VERSION']);
  });

  test('a directory with other files is refused', async () => {
    makeCluster(directory, { letter: 'kept' });
    await expect(start(directory)).rejects.toThrow(
      `${clusterPath(directory)} holds files but no PostgreSQL cluster`,
    );
    expect(readdirSync(clusterPath(directory))).toEqual(['letter']);
  });

  test("a damaged cluster is refused with PostgreSQL's own message, and the lock is released", async () => {
    makeCluster(directory, { PG_VERSION: '18\n' });
    await expect(start(directory)).rejects.toThrow(
      /PostgreSQL did not start \(exit code 2\):\n.*postgresql\.conf/s,
    );
    await expect(start(directory)).rejects.toThrow('PostgreSQL did not start');
    expect(readdirSync(clusterPath(directory))).toEqual(['PG_VERSION']);
  });
});

describe.runIf(isRoot)('as root', () => {
  test('it starts below a directory that only root may enter, and changes no mode', async () => {
    chmodSync(directory, 0o700);
    const { connection } = await start(directory);
    expect(await query(connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('a cluster keeps the account that created it, which need not be root or postgres', async () => {
    chownSync(directory, nobody.uid, nobody.gid);
    const service = startInProcess(directory, { account: nobody });
    await query(await connectionOf(service), 'CREATE TABLE kept AS SELECT 1 AS value');
    await kill(service);

    const { connection } = await start(directory);
    expect(await query(connection, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
    expect(statSync(clusterPath(directory)).uid).toBe(nobody.uid);
  });

  test('a start by another account is refused with the path', async () => {
    directory = await makeDataDirectory();
    chmodSync(directory, 0o777);
    const refusal = `cannot read the PostgreSQL cluster in ${clusterPath(directory)}, is it another user's?`;
    expect(await firstOutput(startInProcess(directory, { account: nobody }))).toContain(refusal);
  });

  test('a cluster that root copied is refused with the remedy', async () => {
    makeCluster(directory, { PG_VERSION: '18\n' });
    chownSync(join(clusterPath(directory), 'PG_VERSION'), 0, 0);
    const refusal = `${clusterPath(directory)} belongs to root, whom PostgreSQL refuses: chown -R`;
    await expect(start(directory)).rejects.toThrow(refusal);
  });
});

test.runIf(isRoot)('a user id without a name is told what it needs', async () => {
  chownSync(directory, 42_424, 0);
  const service = startInProcess(directory, { account: { uid: 42_424, gid: 0 } });
  expect(await firstOutput(service)).toMatch(/user id 42424 has no name.*\/etc\/passwd.*DATABASE_URL/);
});
