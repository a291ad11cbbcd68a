/**
 * A process with access to the embedded database's socket cannot connect without the password, also in older clusters.
 */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  cleanUpAfterEach,
  clusterPath,
  makeDataDirectory,
  makeEmptyDirectory,
  query,
  start,
} from '../testing/postgres-fixture.ts';

cleanUpAfterEach();

/** The line of initdb's file that counts here. */
const TRUST = 'local   all             all                                     trust\n';
const OPEN = 'local all all trust\n';
const fileOf = (directory: string, name: string): string => join(clusterPath(directory), name);
const passwordFile = (directory: string) => fileOf(directory, 'knowledge-retrieval.password');

/** Starts PostgreSQL, and checks that it accepts its password and no other. */
async function expectGuarded(directory: string) {
  const postgres = await start(directory);
  const { connection } = postgres;
  expect(await query(connection, 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
  for (const password of ['', 'another'])
    await expect(query({ ...connection, password }, 'SELECT 1')).rejects.toThrow(/password/);
  expect(statSync(passwordFile(directory)).mode & 0o777).toBe(0o600);
  return postgres;
}

test('a new cluster requires its password', async () => {
  await expectGuarded(makeEmptyDirectory());
});

test('an older cluster gets a password and keeps its rows, wherever the change was interrupted', async () => {
  const directory = await makeDataDirectory();
  const hba = fileOf(directory, 'pg_hba.conf');
  const first = await expectGuarded(directory);
  await query(first.connection, 'CREATE TABLE kept AS SELECT 1 AS value');
  await query(first.connection, 'ALTER ROLE postgres PASSWORD NULL');
  await first.stop();

  const removeFile = () => rmSync(passwordFile(directory));
  const states: Record<string, () => void> = {
    'of the former version': () => {
      removeFile();
      writeFileSync(hba, TRUST);
    },
    'before its password was noted': () => {
      removeFile();
      writeFileSync(hba, OPEN);
    },
    'before the server knew it': () => {
      writeFileSync(passwordFile(directory), 'another one that nobody has heard of');
      writeFileSync(hba, OPEN);
    },
    'before the server asked for it': () => writeFileSync(hba, OPEN),
    'without the file of its password': removeFile,
  };
  for (const [state, make] of Object.entries(states)) {
    make();
    const postgres = await expectGuarded(directory);
    expect([state, await query(postgres.connection, 'SELECT value FROM kept')]).toEqual([
      state,
      [{ value: 1 }],
    ]);
    await postgres.stop();
    expect(existsSync(`${hba}.new`)).toBe(false);
  }
});
