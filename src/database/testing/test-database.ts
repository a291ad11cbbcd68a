/** A database of its own, migrated, for one test file. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import {
  type Connection,
  createDatabase,
  createMaintenancePool,
  createPool,
  type Database,
} from '../database.ts';
import { distribute } from '../distribution.ts';
import { migrateToLatest } from '../migrate.ts';

/** Whether Citus distributes the tables of test databases. */
export const isCitus = Boolean(process.env.CITUS_URL);

async function onServer(statement: string, server = inject('connection')): Promise<pg.QueryResult> {
  const client = new pg.Client(server);
  await client.connect();
  return await client.query(statement).finally(() => client.end());
}

const withDatabase = (server: Connection, database: string): Connection =>
  'host' in server
    ? { ...server, database }
    : {
        connectionString: Object.assign(new URL(server.connectionString), { pathname: `/${database}` }).href,
      };

/** An empty database on the test server, and how to drop it. */
export async function createEmptyDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const nodes = process.env.CITUS_URL ? await findNodes(process.env.CITUS_URL) : [inject('connection')];
  for (const node of nodes) await onServer(`CREATE DATABASE ${name}`, node);
  const drop = async () => {
    for (const node of nodes) await onServer(`DROP DATABASE ${name} WITH (FORCE)`, node);
  };
  const [connection, ...workers] = nodes.map((node) => withDatabase(node, name));
  if (connection === undefined) throw new Error('there is no test server');
  if (workers.length > 0) await joinNodes(connection, workers);
  return { connection, drop };
}

/** The coordinator at `url`, then its workers. */
async function findNodes(url: string): Promise<Connection[]> {
  const coordinator = { connectionString: url };
  const { rows } = await onServer(
    'SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards ORDER BY nodeport',
    coordinator,
  );
  const workers = rows.map(({ nodename, nodeport }) => ({
    connectionString: Object.assign(new URL(url), { hostname: nodename, port: nodeport }).href,
  }));
  return [coordinator, ...workers];
}

/** Makes new databases of the same name those of a coordinator and its workers. */
async function joinNodes(coordinator: Connection, workers: Connection[]): Promise<void> {
  for (const node of [coordinator, ...workers]) await onServer('CREATE EXTENSION citus', node);
  const call = (name: string, node: Connection) => {
    const { hostname, port } = new URL('connectionString' in node ? node.connectionString : '');
    return onServer(`SELECT ${name}('${hostname}', ${port})`, coordinator);
  };
  await call('citus_set_coordinator_host', coordinator);
  for (const worker of workers) await call('citus_add_node', worker);
}

/** Brings an empty database to the schema, and distributes its tables where CITUS_URL is set. */
export async function migrateAndDistribute(connection: Connection): Promise<void> {
  const database = createDatabase(createMaintenancePool(connection, () => {}));
  await migrateToLatest(database);
  if (isCitus) await distribute(database, () => {});
  await database.destroy();
}

/** A migrated database; `close` disconnects and drops it. */
export async function createTestDatabase(): Promise<{
  database: Database;
  connection: Connection;
  close(): Promise<void>;
}> {
  const { connection, drop } = await createEmptyDatabase();
  await migrateAndDistribute(connection);
  const database = createDatabase(createPool(connection, 10, () => {}));
  const close = async () => {
    await database.destroy();
    await drop();
  };
  return { database, connection, close };
}

/** Two servers' pools on one migrated database; `close` disconnects both and drops it. */
export async function createSharedDatabase() {
  const { database, connection, close } = await createTestDatabase();
  const other = createDatabase(createPool(connection, 2, () => {}));
  return {
    database,
    other,
    connection,
    async close(): Promise<void> {
      await other.destroy();
      await close();
    },
  };
}
