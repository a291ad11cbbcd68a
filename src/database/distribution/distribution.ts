/**
 * Distribution over several PostgreSQL servers by Citus. The content tables are distributed by knowledge base, with all
 * of a knowledge base in one shard. Everything else stays on the coordinator, in ordinary tables.
 *
 * Why not
 * - reference tables for accounts, keys and balances, copied to every server: each query writes a balance, and a write
 *   to a reference table is a two-phase commit on all servers.
 * - balances in the shards of a knowledge base: an account has many knowledge bases, and one balance.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { isShardUnreachable } from '../../terms/errors.ts';
import { codeOf } from '../../terms/problem.ts';
import { CREATE_RUN_IN_SHARD, RUN_IN_SHARD } from '../connection/at-shards/shard-statements.ts';
import { CREATE_RUN_AT_WORKER, RUN_AT_WORKER } from '../connection/at-shards/worker-statements.ts';
import { lastSessionOf, type Queryable } from '../connection/database.ts';
import { ARE_TABLES_DISTRIBUTED, HAS_CITUS, NODE_NAME, NODES, WORKERS } from '../schema/citus-insides.ts';
import { CONTENT_TABLES, FIRST_TABLE } from '../schema/distributed-tables.ts';
import { createRecordedStorage } from './create-recorded-storage.ts';
import { createShardMarks } from './shard-marks.ts';

/**
 * Settings of the service's own sessions, which the sessions that the coordinator opens need too, at the servers of the
 * shards and at itself: they plan statements of their own. To compile a merge of results took .16 s.
 */
const SHARD_SETTINGS = { enable_seqscan: 'off', jit: 'off', max_parallel_workers_per_gather: '0' };

/** Whether Citus distributes the content tables, as the last session of the pool has found, if it has opened any. */
export const isDistributed = async (database: Queryable): Promise<boolean> =>
  lastSessionOf(database)?.isDistributed ?? (await areTablesDistributed(database));

async function areTablesDistributed(database: Queryable): Promise<boolean> {
  if (!(await hasCitus(database))) return false;
  const { rows } = await sql<{ are: boolean }>`SELECT ${sql.raw(ARE_TABLES_DISTRIBUTED)} AS are`.execute(
    database,
  );
  return rows[0]?.are === true;
}

/** SQLSTATE with which a coordinator reports that it has no connection to a server of shards. */
const CONNECTION_FAILURE = '08006';

/** Whether a statement failed because a server of shards does not answer, while the coordinator does. */
export const isServerOfShardsUnreachable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === CONNECTION_FAILURE || isShardUnreachable(error));

async function hasCitus(database: Queryable): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`SELECT ${sql.raw(HAS_CITUS)} AS "isThere"`.execute(
    database,
  );
  return rows[0]?.isThere === true;
}

/** @throws when the database is no Citus coordinator with workers */
async function requireWorkers(database: Queryable): Promise<void> {
  if (!(await hasCitus(database)))
    throw new Error(
      'The database has no Citus: on the coordinator, create the extension (CREATE EXTENSION citus) ' +
        'and add the workers ' +
        '(citus_add_node), or leave out --distribute.',
    );
  const { rows: workers } = await WORKERS.execute(database);
  if (workers.length === 0)
    throw new Error('The coordinator has no workers: add them (SELECT citus_add_node(host, port)).');
}

/** @throws when the tables are in another schema than `public` (see shard-statements.ts) */
async function requirePublicSchema(database: Queryable): Promise<void> {
  const { rows } = await sql<{ schema: string | null }>`SELECT current_schema() AS schema`.execute(database);
  const schema = rows[0]?.schema;
  if (schema !== 'public')
    throw new Error(
      `The tables must be in the schema public to be distributed, but the role uses ${schema}.`,
    );
}

/** The content tables as PostgreSQL's array of names. */
const contentTables = sql`${`{${CONTENT_TABLES}}`}::regclass[]`;

/**
 * Drops the foreign keys of the content tables, because Citus distributes no table that has some. One key refers to
 * another kind of table, to accounts, and is dropped for good: accounts are never deleted.
 * @returns the statements that add the others again
 */
async function dropForeignKeys(transaction: Queryable): Promise<string[]> {
  const { rows } = await sql<{ drop: string; add: string; isKept: boolean }>`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add,
      confrelid = ANY(${contentTables}) AS "isKept"
    FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY(${contentTables}) ORDER BY conname`.execute(
    transaction,
  );
  for (const { drop } of rows) await sql.raw(drop).execute(transaction);
  return rows.filter(({ isKept }) => isKept).map(({ add }) => add);
}

/** The longest wait for the locks on all tables. Requests that come meanwhile wait as long. */
const LOCK_TIMEOUT_MS = 2_000;

type Report = (sentence: string) => void;

/** What keeps content where it is, and the remedy. */
export const describeImmovable = (nodes: string[]): string =>
  `Content cannot be moved from ${nodes.join(', ')}, such as by citus_rebalance_start(): ` +
  `set wal_level = logical there, ` +
  'and restart PostgreSQL.';

async function distributeIn(transaction: Queryable, report: Report): Promise<void> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction);
  await sql`LOCK TABLE ${sql.join(CONTENT_TABLES.map((table) => sql.table(table)))}`.execute(transaction);
  const foreignKeys = await dropForeignKeys(transaction);
  for (const table of CONTENT_TABLES) {
    report(`Distributing ${table}.`);
    const group = table === FIRST_TABLE ? 'none' : FIRST_TABLE;
    await sql`
      SELECT create_distributed_table(${table}, 'knowledge_base_id', colocate_with => ${group})`.execute(
      transaction,
    );
  }
  for (const add of foreignKeys) await sql.raw(add).execute(transaction);
  await createRecordedStorage(transaction);
  await createShardMarks(transaction);
}

/** Applies `SHARD_SETTINGS` to the database at all servers. @throws where one refuses */
async function setOnAllNodes(database: Queryable): Promise<void> {
  const settings = Object.entries(SHARD_SETTINGS).map(
    ([name, value]) => `ALTER DATABASE %1$I SET ${name} = ${value};`,
  );
  // Without propagation, since a worker may not change other servers.
  const block = `BEGIN SET LOCAL citus.enable_ddl_propagation = off; ${settings.join(' ')} END`;
  const { rows } = await sql<{ node: string; success: boolean; result: string }>`
    SELECT ${NODE_NAME} AS node, success, result
    FROM run_command_on_all_nodes(format('DO %L', format(${block}, current_database()))) JOIN ${NODES} USING (nodeid)
  `.execute(database);
  const refused = rows.find(({ success }) => !success);
  if (refused)
    throw new Error(
      `The server ${refused.node} has not taken the settings of the shards: ${refused.result}. ` +
        'Nothing has been distributed: repeat the command when it can take them.',
    );
}

/** The functions at the servers, by their signatures: the statements that create them. */
const FUNCTIONS = { [RUN_IN_SHARD]: CREATE_RUN_IN_SHARD, [RUN_AT_WORKER]: CREATE_RUN_AT_WORKER };

/** Creates the `FUNCTIONS` that are missing, at all servers and at those that join later. */
async function createFunctions(database: Queryable): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${RUN_IN_SHARD}, 0))`.execute(transaction);
    for (const [signature, create] of Object.entries(FUNCTIONS)) {
      const { rows } = await sql<{ isThere: boolean }>`
        SELECT to_regprocedure(${signature}) IS NOT NULL AS "isThere"`.execute(transaction);
      if (rows[0]?.isThere) continue;
      await sql.raw(create).execute(transaction);
      await sql`SELECT create_distributed_function(${signature})`.execute(transaction);
    }
  });
}

/** Brings a distributed database to what this version needs there; nothing for any other. */
export async function updateDistribution(database: Queryable): Promise<void> {
  if (!(await areTablesDistributed(database))) return;
  await createFunctions(database);
  await database.transaction().execute(createRecordedStorage);
  await database.transaction().execute(createShardMarks);
}

/**
 * The servers of shards whose content cannot be moved to others: Citus moves it by logical decoding. It answers as if
 * it did, and then tries in the background for ever. Servers that are unreachable are left out.
 */
export async function findImmovable(database: Queryable): Promise<string[]> {
  const { rows } = await sql<{ node: string }>`
    SELECT ${NODE_NAME} AS node FROM run_command_on_workers('SHOW wal_level')
    WHERE success AND result <> 'logical' ORDER BY node`.execute(database);
  return rows.map(({ node }) => node);
}

/** Closes all other sessions of the service: they have plans and statements for tables on one server. */
async function closeOtherSessions(database: Queryable): Promise<void> {
  await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'knowledge-retrieval%' AND pid <> pg_backend_pid()
  `.execute(database);
}

/** Frees the room of the rows on the coordinator: Citus has copied them to the shards. */
async function dropLocalRows(database: Queryable): Promise<void> {
  for (const table of CONTENT_TABLES.toReversed())
    await sql`SELECT truncate_local_data_after_distributing_table(${table})`.execute(database);
}

/** SQLSTATEs of a lock that was not granted in time, and of a deadlock. */
const LOCK_REFUSED = ['55P03', '40P01'];

/** Repeats what has failed only because requests held the tables. */
async function untilLocked(act: () => Promise<void>, report: Report): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!LOCK_REFUSED.includes(codeOf(error))) throw error;
    report('Requests hold the tables. Trying again.');
    await untilLocked(act, report);
  }
}

/**
 * Distributes the content tables with their rows, in one transaction. Servers may use them meanwhile: requests wait for
 * the locks, and get 503 where that takes too long. Their sessions are closed at the end, so that they open others,
 * which find the tables distributed. `report` hears of the progress.
 * @returns false when the tables were distributed before
 * @throws when the database is no coordinator, has its tables in another schema, or the role may not distribute
 */
export async function distribute(database: Queryable, report: Report): Promise<boolean> {
  await requireWorkers(database);
  await requirePublicSchema(database);
  await setOnAllNodes(database);
  await createFunctions(database);
  const isDue = !(await areTablesDistributed(database));
  if (isDue) {
    await untilLocked(() => database.transaction().execute((step) => distributeIn(step, report)), report);
    await closeOtherSessions(database);
  }
  // Also when an earlier call was killed before this step.
  await untilLocked(() => dropLocalRows(database), report);
  const immovable = await findImmovable(database);
  if (immovable.length > 0) report(describeImmovable(immovable));
  return isDue;
}
