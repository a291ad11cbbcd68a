/** A backup contains all tables and objects, and other processes keep objects while it runs. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Config, readConfig } from '../../config/config.ts';
import { createDatabase } from '../../database/connection/database.ts';
import { createPool } from '../../database/connection/pool.ts';
import { compareMigrations, migrateToLatest, migrateUpTo } from '../../database/migrations/migrate.ts';
import { createAccount } from '../../database/rows/accounts.ts';
import { readGenerations, wantGeneration } from '../../database/rows/vector-generations.ts';
import { describeSchema } from '../../database/testing/describe-schema.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { createEmptyDatabase, createTestDatabase } from '../../database/testing/test-database.ts';
import { takeBackupLock } from '../../files/backup-lock.ts';
import { markStore } from '../../files/store-identity.ts';
import { startS3Server } from '../../files/testing/s3-server.ts';
import { purgeKnowledgeBase } from '../../jobs/purge-knowledge-base.ts';
import { importText, makeKnowledgeBase } from '../../search/testing/imported-texts.ts';
import { openFiles } from '../../serve/open-files.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { addressOf } from '../testing/healthy-deployment.ts';
import { backUp } from './back-up.ts';
import { BACKED_UP_TABLES, OMITTED_TABLES } from './backed-up-tables.ts';
import { restore } from './restore.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-backup-'));
});
afterAll(() => rm(folder, { recursive: true }));

const silent = () => {};

/** The settings of a deployment in `folder`, on an empty database of the test server. */
async function openDeployment(name: string, settings: Record<string, string> = {}) {
  const { connection, drop } = await createEmptyDatabase();
  const place = { DATA_DIR: join(folder, name), DATABASE_URL: addressOf(connection) };
  const config: Config = readConfig({ ...place, ...settings });
  const database = createDatabase(createPool(connection, 2, silent));
  return { connection, config, database, close: async () => await database.destroy().then(drop) };
}

// The schema public has views of Citus too.
test.skipIf(isCitus)('each table of the schema is either backed up or omitted on purpose', async () => {
  const { database, close } = await createTestDatabase();
  const { rows } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`.execute(
    database,
  );
  await close();
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    [...BACKED_UP_TABLES, ...OMITTED_TABLES].toSorted(),
  );
});

test('a backup of an older version is restored under its schema, and then brought up to date', async () => {
  const old = await openDeployment('old');
  await migrateUpTo(old.database, '0002-first-answers');
  await createAccount(old.database, 'an account of old', 7);
  // A later migration renames the table.
  await sql`
    INSERT INTO first_answers (account_id, operation, idempotency_key, request_hash, created_at)
    SELECT id, 'query', 'a key of old', '', now() FROM accounts`.execute(old.database);
  const path = await backUp(old.config, join(folder, 'old.tar.zst'), silent);
  await expect(backUp(old.config, path, silent)).rejects.toThrow('exists already');
  const fresh = await openDeployment('fresh');
  expect(await restore(fresh.config, path, silent)).toBe(0);
  expect((await compareMigrations(fresh.database)).pending).toEqual([]);
  const current = await openDeployment('current');
  await migrateToLatest(current.database);
  expect(await describeSchema(fresh.database)).toBe(await describeSchema(current.database));
  await current.close();
  expect(await fresh.database.selectFrom('accounts').select('name').execute()).toEqual([
    { name: 'an account of old' },
  ]);
  expect(await fresh.database.selectFrom('idempotency_keys').select('idempotency_key').execute()).toEqual([
    { idempotency_key: 'a key of old' },
  ]);
  await expect(restore(fresh.config, path, silent)).rejects.toThrow('not empty');
  await Promise.all([old.close(), fresh.close()]);
});

test('refuses an unusable path before it connects to the database', async () => {
  const config = readConfig({ DATA_DIR: join(folder, 'none'), DATABASE_URL: 'postgres://a@127.0.0.1:1/b' });
  const nowhere = join(folder, 'nowhere');
  await expect(restore(config, nowhere, silent)).rejects.toThrow(`There is no file ${nowhere}.`);
  await expect(restore(config, folder, silent)).rejects.toThrow(`${folder} is a directory, and no backup.`);
  for (const target of [join(nowhere, 'copy'), `${nowhere}/`])
    await expect(backUp(config, target, silent)).rejects.toThrow(`There is no directory ${nowhere}.`);
});

test.runIf(existsSync('/proc'))('refuses a directory that it cannot write to', async () => {
  const config = readConfig({ DATABASE_URL: 'postgres://a@127.0.0.1:1/b' });
  const sentence = /^Nothing can be written into \/proc \(E[A-Z]+\): name another path\.$/;
  await expect(backUp(config, '/proc/', silent)).rejects.toThrow(sentence);
});

test.runIf(isCitus)('distributed tables are neither backed up nor restored into', async () => {
  const { connection, close } = await createTestDatabase();
  const config = readConfig({ DATA_DIR: join(folder, 'shards'), DATABASE_URL: addressOf(connection) });
  const shards = join(folder, 'shards.tar.zst');
  await expect(backUp(config, shards, silent)).rejects.toThrow('have no common snapshot');
  expect(existsSync(shards)).toBe(false);
  const single = await openDeployment('single');
  await migrateUpTo(single.database, '0018-account-frequencies');
  const path = await backUp(single.config, join(folder, 'single.tar.zst'), silent);
  await expect(restore(config, path, silent)).rejects.toThrow('migrate --distribute');
  await Promise.all([close(), single.close()]);
});

test('refuses to back up a database that a newer version has changed', async () => {
  const { config, database, close } = await openDeployment('newer');
  await migrateUpTo(database, '0001-initial');
  await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-newer', '')`.execute(database);
  const path = join(folder, 'newer.tar.zst');
  await expect(backUp(config, path, silent)).rejects.toThrow('9999-newer');
  expect(existsSync(path)).toBe(false);
  await close();
});

describe('while a backup runs', () => {
  let suite: TestService;
  let knowledgeBaseId: string;
  /** Holds the same lock as a backup. */
  let backup: pg.Client;
  let databaseUrl: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const empty = await createEmptyDatabase();
    const { connection } = empty;
    drop = empty.drop;
    databaseUrl = addressOf(connection);
    suite = await startTestService({ runsWorkers: false, connection });
    backup = new pg.Client(connection);
    await backup.connect();
  });
  afterAll(async () => {
    await backup.end();
    await suite.close();
    await drop();
  });
  beforeEach(async () => {
    const { body } = await suite.call('createKnowledgeBase', { name: 'backed up' });
    knowledgeBaseId = String(body.data.id);
    await takeBackupLock(backup);
  });

  const endBackup = () => backup.query('COMMIT');

  async function listObjects(): Promise<string[]> {
    const names: string[] = [];
    for await (const { objectName } of suite.service.files.listObjects(knowledgeBaseId))
      names.push(objectName);
    return names;
  }

  async function upload(times = 1): Promise<string> {
    const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 5 };
    const { body } = await suite.call('presignUploadUrl', ticket);
    for (let time = 0; time < times; time++)
      await fetch(String(body.data.uploadUrl), { method: 'PUT', body: 'right' });
    return String(body.data.fileId);
  }

  test('objects of replaced uploads and deleted documents stay', async () => {
    const fileId = await upload(2);
    const { body } = await suite.call('importFile', { fileId });
    expect((await suite.call('deleteDocument', { documentId: body.data.id })).status).toBe(200);
    expect(await listObjects()).toHaveLength(2);
    await endBackup();
  });

  test('a purge fails and keeps the objects; its next try removes them', async () => {
    await upload();
    await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
    const purge = () =>
      purgeKnowledgeBase(suite.service, {
        payload: { knowledgeBaseId },
        signal: AbortSignal.timeout(60_000),
      });
    await expect(purge()).rejects.toThrow('backup');
    expect(await listObjects()).toHaveLength(1);
    await endBackup();
    await purge();
    expect(await listObjects()).toEqual([]);
  });

  test('another backup is refused', async () => {
    const config = readConfig({ DATA_DIR: suite.service.config.dataDir, DATABASE_URL: databaseUrl });
    await expect(backUp(config, join(folder, 'second.tar.zst'), silent)).rejects.toThrow('Another backup');
    await endBackup();
  });
});

test('a store without the files of the database is not backed up; one that lost them is, and restored', async () => {
  const source = await openDeployment('lost');
  const suite = await startTestService({ connection: source.connection, runsWorkers: false });
  const { body } = await suite.call('createKnowledgeBase', { name: 'lost' });
  const upload = `uploadFile?knowledgeBaseId=${body.data.id}&fileName=a.txt`;
  expect((await suite.call(upload, Buffer.from('right'))).status).toBe(200);
  await suite.close();
  const path = join(folder, 'lost.tar.zst');
  await expect(backUp(source.config, path, silent)).rejects.toThrow('are not those of this database');
  expect(existsSync(path)).toBe(false);
  await markStore(source.database, await openFiles(source.config));
  await backUp(source.config, path, silent);
  const target = await openDeployment('without lost');
  const reported: string[] = [];
  expect(await restore(target.config, path, (line) => reported.push(line))).toBe(1);
  expect(reported.at(-1)).toContain('are gone');
  await Promise.all([source.close(), target.close()]);
});

test('objects of a bucket are restored into another bucket under the same names, and vectors as they are', async () => {
  const credentials = {
    accessKeyId: 'AKIATEST',
    secretAccessKey: 'a secret of forty characters, as they are',
  };
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
  const stores = await Promise.all([startS3Server(credentials), startS3Server(credentials)]);
  const settingsOf = ({ bucket, endpoint }: (typeof stores)[number]) => ({
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint,
    S3_REGION: 'eu-central-1',
  });
  const [source, target] = await Promise.all(
    stores.map((store, index) => openDeployment(`bucket ${index}`, settingsOf(store))),
  );
  if (source === undefined || target === undefined) throw new Error('no places');
  const suite = await startTestService({
    runsWorkers: false,
    connection: source.connection,
    settings: settingsOf(stores[0]),
  });
  const { body } = await suite.call('createKnowledgeBase', { name: 'in a bucket' });
  const ticket = { knowledgeBaseId: body.data.id, fileName: 'a.txt', size: 5 };
  const { fileId, uploadUrl } = (await suite.call('presignUploadUrl', ticket)).body.data;
  await fetch(String(uploadUrl), { method: 'PUT', body: 'right' });
  expect((await suite.call('importFile', { fileId })).status).toBe(200);
  const owned = await makeKnowledgeBase(source.database);
  const model = { url: 'http://localhost', model: 'small', queryPrefix: '', passagePrefix: '' };
  await wantGeneration(source.database, { ...model, mean: Float32Array.of(0.5, 0.25) });
  await importText(source.database, owned, { title: 'Zebras', content: 'They drink water at the river.' });
  const path = await backUp(source.config, join(folder, 'bucket.tar.zst'), silent);
  expect(await restore(target.config, path, silent)).toBe(0);
  const readVectors = ({ database }: typeof source) =>
    database.selectFrom('passage_vectors').selectAll().execute();
  expect(await readVectors(source)).toMatchObject([{ vector: expect.stringMatching(/^[01]{768}$/) }]);
  expect(await readVectors(target)).toEqual(await readVectors(source));
  expect(await readGenerations(target.database)).toEqual(await readGenerations(source.database));
  const readQueue = ({ database }: typeof source) =>
    database.selectFrom('documents_without_vectors').selectAll().execute();
  expect(await readQueue(target)).toMatchObject([{ account_id: owned.accountId, generation: 2 }]);
  const [restored, original] = [[...stores[1].objects.keys()], [...stores[0].objects.keys()]];
  expect(restored.filter((name) => !name.startsWith('databases/'))).toEqual(original);
  await suite.close();
  await Promise.all([source.close(), target.close(), ...stores.map((store) => store.close())]);
  vi.unstubAllEnvs();
});
