/** Restores a backup's database and files into an empty deployment. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { databaseNow } from '../../database/connection/clock.ts';
import { createDatabase, createDatabaseOver, type Database } from '../../database/connection/database.ts';
import { connectIn } from '../../database/connection/hosts.ts';
import { beginOn, type Connection, createMaintenancePool } from '../../database/connection/pool.ts';
import { requireUsableDatabase } from '../../database/connection/usable-database.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import {
  compareMigrations,
  migrateToLatest,
  migrateUpTo,
  unknownOf,
} from '../../database/migrations/migrate.ts';
import { type FileStore, OBJECT_NAME_PATTERN } from '../../files/file-store.ts';
import { lockBootstrap, unfinishedRestoreFile } from '../../serve/bootstrap.ts';
import { requireDataDirectory } from '../../serve/data-directory.ts';
import { openDatabase } from '../../serve/open-database.ts';
import { openFiles } from '../../serve/open-files.ts';
import { createLog } from '../../telemetry/log.ts';
import { checkStore } from '../check-store.ts';
import { type Entry, type Header, type Manifest, readArchive } from './archive.ts';
import { copyFromStatement, type ReportProgress } from './back-up.ts';
import { BACKED_UP_NAMES, BACKED_UP_TABLES } from './backed-up-tables.ts';
import { buildIndexes, dropIndexes } from './indexes.ts';

type Archive = { path: string; head: Header; manifest: Manifest };

/** Reads the whole archive, before anything is written. @throws an error for the operator: why it cannot be restored */
async function verifyArchive(path: string, report: ReportProgress): Promise<Archive> {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  report(`checking ${path}`);
  const { head, manifest } = await readArchive(path, async () => {});
  const unknown = unknownOf(head.migrations);
  if (unknown.length > 0)
    throw new Error(`${path} was made by a newer version (${unknown}): restore it with that version.`);
  return { path, head, manifest };
}

/** @throws unless the deployment is empty, or contains only an unfinished restore of this backup */
async function requireEmpty(
  { database, files, config }: { database: Database; files: FileStore; config: Config },
  { head, manifest }: Archive,
): Promise<void> {
  if (await isDistributed(database))
    throw new Error(
      'Citus distributes the database: restore into an empty database of the coordinator, and then distribute it by ' +
        '`npx knowledge-retrieval migrate --distribute`.',
    );
  const { done } = await compareMigrations(database);
  if (done.length > 0 && (await database.selectFrom('accounts').select('id').limit(1).execute()).length > 0)
    throw new Error(
      'The database is not empty, it has accounts: restore into an empty one. ' +
        'For the embedded database set another DATA_DIR.',
    );
  if (done.length > 0 && done.join() !== head.migrations.join())
    throw new Error('The database has a schema of another version: restore into an empty database.');
  const marker = unfinishedRestoreFile(config);
  const begun = existsSync(marker) ? (await readFile(marker, 'utf8')).trim() : undefined;
  if (begun !== undefined && begun !== manifest.sha256)
    throw new Error(
      `${config.dataDir} has an unfinished restore of another backup: remove that directory first.`,
    );
  // Objects in a bucket do no harm: it may be shared, or the backup's own source, and each object's name is unique.
  if (begun !== undefined || config.s3 !== undefined) return;
  for await (const name of files.listKnowledgeBases())
    throw new Error(
      `There are files in ${config.dataDir} (of the knowledge base ${name}): use an empty directory.`,
    );
}

const unknownTable = (path: string, name: string) => new Error(`${path} has an unknown table, ${name}.`);

/** Copies rows into one table after the other; `end` completes the last table and checks all numbers of rows. */
function createLoader(client: pg.PoolClient, { head, manifest, path }: Archive, report: ReportProgress) {
  let current: { name: string; copy: CopyStreamQuery; done: Promise<void> } | undefined;
  const loaded: Record<string, number> = {};
  const end = async () => {
    if (current === undefined) return;
    current.copy.end();
    await current.done;
    loaded[current.name] = current.copy.rowCount;
    current = undefined;
  };
  const begin = async (name: string) => {
    await end();
    const table = head.tables.find((each) => each.name === name);
    if (table === undefined) throw unknownTable(path, name);
    report(`${name}: ${manifest.rows[name] ?? 0} rows`);
    const copy = client.query(copyFrom(copyFromStatement(table)));
    const done = finished(copy);
    done.catch(() => {}); // The caller that awaits it gets the error.
    return { name, copy, done };
  };
  return {
    async load(name: string, bytes: Buffer): Promise<void> {
      if (current?.name !== name) current = await begin(name);
      if (!current.copy.write(bytes)) await Promise.race([once(current.copy, 'drain'), current.done]);
    },
    async end(): Promise<void> {
      await end();
      for (const [name, count] of Object.entries(manifest.rows))
        if ((loaded[name] ?? 0) !== count) throw new Error(`${path} lacks rows of ${name}.`);
    },
  };
}

/**
 * Loads all rows, in the client's transaction, and all files.
 * @throws an error for the operator; then files may remain
 */
async function loadEntries(
  client: pg.PoolClient,
  archive: Archive,
  { files, report }: { files: FileStore; report: ReportProgress },
) {
  const loader = createLoader(client, archive, report);
  let count = 0;
  const use = async ({ name, bytes }: Entry) => {
    const [, table] = /^tables\/(\w+)\/\d+$/.exec(name) ?? [];
    const [, objectName = ''] = /^files\/(.+)$/.exec(name) ?? [];
    if (table !== undefined) return await loader.load(table, bytes);
    if (!OBJECT_NAME_PATTERN.test(objectName))
      throw new Error(`${archive.path} has an unknown entry, ${name}.`);
    await files.put(objectName, bytes);
    if (++count % 1000 === 0) report(`${count} of ${archive.manifest.files} files`);
  };
  await readArchive(archive.path, use);
  await loader.end();
  if (count !== archive.manifest.files) throw new Error(`${archive.path} lacks files.`);
  report(`${count} files`);
}

/**
 * Loads all rows into tables without indexes, then builds the indexes and keys, all in the client's transaction. When
 * each row was added to the indexes, a restore of a million passages took 1.4 times the processor time.
 */
async function loadAll(
  client: pg.PoolClient,
  archive: Archive,
  { files, report }: { files: FileStore; report: ReportProgress },
): Promise<void> {
  const tables = archive.head.tables.map(({ name }) => name);
  const unknown = tables.find((name) => !BACKED_UP_NAMES.includes(name));
  if (unknown !== undefined) throw unknownTable(archive.path, unknown);
  const indexes = await dropIndexes(client, tables);
  // Then the rows are frozen, so that no vacuum has to read them, and need not be logged (manual, COPY and 14.4.7).
  await client.query(`TRUNCATE ${tables.join(', ')}`);
  await loadEntries(client, archive, { files, report });
  await buildIndexes(client, indexes, report);
}

/** Whether the backup's schema, perhaps of an older version, records when imports began. */
async function recordsStartTimes(transaction: Database): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_attribute WHERE attrelid = 'documents'::regclass AND attname = 'processing_since'`.execute(
    transaction,
  );
  return rows.length > 0;
}

/** Gives unfinished imports their full time limits. The workers enqueue them, and purges of deleted knowledge bases. */
async function renewTimeLimits(transaction: Database): Promise<void> {
  const notStarted = (await recordsStartTimes(transaction)) ? { processing_since: null } : {};
  await transaction
    .updateTable('documents')
    .set({ created_at: databaseNow, updated_at: databaseNow, ...notStarted })
    .where('status', 'in', ['pending', 'processing'])
    .execute();
}

type Target = {
  connection: Connection;
  files: FileStore;
  config: Config;
  log: Logger;
  report: ReportProgress;
};

/** Loads all rows in one transaction, which commits after all files are stored. */
async function loadInTransaction(
  pool: pg.Pool,
  archive: Archive,
  { files, report }: Pick<Target, 'files' | 'report'>,
) {
  const client = await connectIn(pool);
  try {
    await beginOn(client, 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    // A server that starts now waits for this lock, and then finds the restored accounts.
    await lockBootstrap(createDatabaseOver(client));
    await loadAll(client, archive, { files, report });
    await renewTimeLimits(createDatabaseOver(client));
    await client.query('COMMIT');
  } finally {
    client.release(true);
  }
}

async function restoreInto(archive: Archive, target: Target): Promise<number> {
  const { connection, files, config, log, report } = target;
  const pool = createMaintenancePool(connection, (error) => log.warn(error.message));
  const database = createDatabase(pool);
  try {
    await requireUsableDatabase(database);
    await requireEmpty({ database, files, config }, archive);
    const marker = unfinishedRestoreFile(config);
    // Renamed after it is complete: half of a checksum would look like another backup's.
    await writeFile(`${marker}.new`, `${archive.manifest.sha256}\n`, { mode: 0o600, flush: true });
    await rename(`${marker}.new`, marker);
    await migrateUpTo(database, archive.head.migrations.at(-1) ?? '');
    await loadInTransaction(pool, archive, target);
    await rm(marker);
    await migrateToLatest(database);
    await database.transaction().execute(async (transaction) => {
      await sql`ANALYZE ${sql.join(BACKED_UP_TABLES.map((name) => sql.table(name)))}`.execute(transaction);
    });
    let problems = 0;
    // The backup itself may lack files.
    const check = { database, files, config, repair: false, acceptLostFiles: true };
    for await (const line of checkStore(check)) {
      report(line);
      problems += 1;
    }
    return problems;
  } finally {
    await database.destroy();
  }
}

/**
 * Restores a backup into the configured database and files, both empty. Checks everything afterwards.
 * @returns the number of problems that the check has found and reported
 * @throws an error for the operator. If the archive is damaged or the deployment is not empty, it throws before it
 * writes any row or file. After another error, the same restore can be repeated.
 */
export async function restore(config: Config, path: string, report: ReportProgress): Promise<number> {
  const archive = await verifyArchive(path, report);
  requireDataDirectory(config.dataDir);
  const log = createLog('warn');
  const { connection, close } = await openDatabase(config, log);
  try {
    return await restoreInto(archive, { connection, files: await openFiles(config), config, log, report });
  } finally {
    await close();
  }
}
