/** Copies a snapshot of database and files into one file, while servers run. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Config } from '../../config/config.ts';
import { createDatabase, createDatabaseOver } from '../../database/connection/database.ts';
import { connectIn } from '../../database/connection/hosts.ts';
import { beginOn, createMaintenancePool } from '../../database/connection/pool.ts';
import { requireUsableDatabase } from '../../database/connection/usable-database.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import { compareMigrations } from '../../database/migrations/migrate.ts';
import { takeBackupLock } from '../../files/backup-lock.ts';
import type { FileStore } from '../../files/file-store.ts';
import { probe } from '../../serve/data-directory.ts';
import { joinDatabase } from '../../serve/open-database.ts';
import { openFiles } from '../../serve/open-files.ts';
import { findForeignFiles, requireOwn } from '../../serve/own-store.ts';
import { createLog } from '../../telemetry/log.ts';
import { codeOf } from '../../terms/problem.ts';
import { type AddEntry, type Header, writeArchive } from './archive.ts';
import { BACKED_UP_NAMES } from './backed-up-tables.ts';

/** Bytes of a table in memory at once: enough for a negligible overhead, and few compared with the largest file. */
const PART_BYTES = 4 * 1024 ** 2;
/** Rows of `files` in memory at once. */
const PAGE_SIZE = 1_000;

/** To lock all tables instead would stop imports and queries for the time of the backup. */
const NO_COMMON_SNAPSHOT =
  'Citus distributes the database, and its servers have no common snapshot. ' +
  'Back up each of them by PostgreSQL itself ' +
  '(pg_basebackup and a WAL archive), with a common point by SELECT ' +
  "citus_create_restore_point('NAME'), and then the files.";

/** Receives progress, one line at a time. */
export type ReportProgress = (line: string) => void;

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** @throws a sentence for the operator; the system's own message would name an internal file */
function requireWritable(directory: string): void {
  try {
    probe(directory);
  } catch (error) {
    throw new Error(`Nothing can be written into ${directory} (${codeOf(error)}): name another path.`);
  }
}

/**
 * Chooses the path of the backup: `target` itself, or in a directory a name with the current time.
 * @throws when the path exists, or its directory does not; a `target` with a final slash is a directory
 */
function choosePath(target: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\..*/g, '');
  const isFolder = isDirectory(target) || target.endsWith('/') || target.endsWith(sep);
  const path = resolve(isFolder ? join(target, `knowledge-retrieval-${time}.tar.zst`) : target);
  if (existsSync(path)) throw new Error(`${path} exists already; a backup never replaces a file.`);
  const directory = dirname(path);
  if (!isDirectory(directory)) throw new Error(`There is no directory ${directory}.`);
  requireWritable(directory);
  return path;
}

/** Reads the snapshot's migrations, and the columns of its tables. PostgreSQL itself fills generated columns. */
async function describe(client: pg.PoolClient): Promise<Pick<Header, 'migrations' | 'tables'>> {
  const { done, unknown } = await compareMigrations(createDatabaseOver(client));
  if (done.length === 0)
    throw new Error('There is nothing to back up: no server has started on this database yet.');
  if (unknown.length > 0)
    throw new Error(`A newer version has changed the database (${unknown}): back it up with that version.`);
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns WHERE table_schema = current_schema() AND is_generated = 'NEVER'
     GROUP BY table_name`,
  );
  const tables = BACKED_UP_NAMES.flatMap((table) => rows.find(({ name }) => name === table) ?? []);
  return { migrations: done, tables };
}

/** Joins a stream's buffers into parts of about PART_BYTES. */
async function* inParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let part: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    part.push(piece);
    length += piece.length;
    if (length < PART_BYTES) continue;
    yield Buffer.concat(part);
    part = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(part);
}

/** COPY in text format, the only one that all versions of PostgreSQL can exchange. */
const copyStatement = ({ name, columns }: Header['tables'][number]) =>
  `COPY "${name}" (${columns.map((column) => `"${column}"`).join(', ')})`;

/** FREEZE needs a table that was truncated in the same transaction. */
export const copyFromStatement = (table: Header['tables'][number]): string =>
  `${copyStatement(table)} FROM STDIN (FREEZE)`;

/** Adds a table's rows; returns their number. */
async function addTable(
  client: pg.PoolClient,
  table: Header['tables'][number],
  add: AddEntry,
): Promise<number> {
  const copy = client.query(copyTo(`${copyStatement(table)} TO STDOUT`));
  let part = 0;
  for await (const bytes of inParts(copy)) await add({ name: `tables/${table.name}/${++part}`, bytes });
  return copy.rowCount;
}

type FileObject = { knowledgeBaseId: string; id: string; objectName: string };

/** Lists the objects of the snapshot's files. Omits deleted knowledge bases, whose objects are purged anyway. */
async function* listObjects(client: pg.PoolClient): AsyncGenerator<FileObject> {
  let last: FileObject | undefined;
  do {
    const { rows }: pg.QueryResult<FileObject> = await client.query(
      `SELECT knowledge_base_id AS "knowledgeBaseId", id, object_name AS "objectName"
       FROM files JOIN knowledge_bases USING (knowledge_base_id)
       WHERE object_name IS NOT NULL AND deleted_at IS NULL
         AND ($1::uuid IS NULL OR (knowledge_base_id, id) > ($1::uuid, $2::uuid))
       ORDER BY knowledge_base_id, id LIMIT ${PAGE_SIZE}`,
      [last?.knowledgeBaseId, last?.id],
    );
    yield* rows;
    last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/** Adds the objects of all files; returns their number. Reports and omits objects that are missing already. */
async function addFiles(
  { client, files, report }: { client: pg.PoolClient; files: FileStore; report: ReportProgress },
  add: AddEntry,
): Promise<number> {
  let count = 0;
  for await (const { objectName } of listObjects(client)) {
    const bytes = await files.readIfExists(objectName);
    if (bytes === undefined) {
      report(`missing in the store, so omitted: ${objectName}`);
      continue;
    }
    await add({ name: `files/${objectName}`, bytes });
    if (++count % PAGE_SIZE === 0) report(`${count} files`);
  }
  report(`${count} files`);
  return count;
}

/** Runs `use` with a connection. Destroying it then releases its locks, and aborts a statement in progress. */
async function withClient(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await connectIn(pool);
  await use(client).finally(() => client.release(true));
}

/** Begins one snapshot for all tables, without a time-out for its idle times. */
const beginSnapshot = (client: pg.PoolClient) =>
  beginOn(
    client,
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0',
  );

async function copyAll(
  { holder, client }: { holder: pg.PoolClient; client: pg.PoolClient },
  path: string,
  { files, config, report }: { files: FileStore; config: Config; report: ReportProgress },
) {
  // The lock has a transaction of its own: one that waits for a lock has its snapshot already.
  await takeBackupLock(holder);
  await beginSnapshot(client);
  const { migrations, tables } = await describe(client);
  requireOwn(await findForeignFiles({ database: createDatabaseOver(client), files }, config));
  const head = { createdAt: new Date().toISOString(), migrations, tables };
  await writeArchive(path, head, async (add) => {
    const rows: Record<string, number> = {};
    for (const table of tables) {
      rows[table.name] = await addTable(client, table, add);
      report(`${table.name}: ${rows[table.name]} rows`);
    }
    const count = await addFiles({ client, files, report }, add);
    // Fails if the connection, and so its lock, was lost: then an object may have been removed unnoticed.
    await holder.query('COMMIT');
    return { rows, files: count };
  });
}

/**
 * Writes a backup of the configured database and files.
 * @returns its path
 * @throws an error for the operator; then it leaves no file
 */
export async function backUp(config: Config, target: string, report: ReportProgress): Promise<string> {
  const path = choosePath(target);
  const log = createLog('warn');
  const { connection, close } = await joinDatabase(config, log);
  const pool = createMaintenancePool(connection, (error) => log.warn(error.message));
  try {
    const files = await openFiles(config);
    const database = createDatabase(pool);
    await requireUsableDatabase(database);
    if (await isDistributed(database)) throw new Error(NO_COMMON_SNAPSHOT);
    await withClient(pool, (holder) =>
      withClient(pool, (client) => copyAll({ holder, client }, path, { files, config, report })),
    );
  } finally {
    await pool.end();
    await close();
  }
  return path;
}
