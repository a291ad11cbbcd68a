/** New databases on a test server: on a coordinator and its workers where CITUS_URL is set. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDatabase } from '../connection/database.ts';
import { type Connection, createMaintenancePool } from '../connection/pool.ts';
import { distribute } from '../distribution/distribution.ts';
import { migrateToLatest } from '../migrations/migrate.ts';

/** Whether Citus distributes the tables of test databases. */
export const isCitus = Boolean(process.env.CITUS_URL);

async function onServer(statement: string, server: Connection): Promise<pg.QueryResult> {
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

/** A database on a test server. `drop` drops it. */
export type NewDatabase = { connection: Connection; drop(): Promise<void> };

/**
 * Creates a database on a server, which is the coordinator where CITUS_URL is set: an empty one, or a copy of the
 * database `template`.
 */
export async function createDatabaseOn(server: Connection, template = 'template0'): Promise<NewDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const nodes = isCitus && 'connectionString' in server ? await findNodes(server.connectionString) : [server];
  for (const node of nodes) await onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`, node);
  const drop = async () => {
    for (const node of nodes) await onServer(`DROP DATABASE ${name} WITH (FORCE)`, node);
  };
  const [connection = server, ...workers] = nodes.map((node) => withDatabase(node, name));
  if (workers.length > 0) await joinNodes(connection, workers);
  return { connection, drop };
}

/**
 * Creates a migrated database to copy, which takes less than half of the time of its migrations. `name`: undefined on
 * Citus, which cannot copy the parts of a database on its workers.
 */
export async function createTemplateOn(
  server: Connection,
): Promise<{ name: string | undefined; drop(): Promise<void> }> {
  if (isCitus) return { name: undefined, drop: async () => {} };
  const { connection, drop } = await createDatabaseOn(server);
  await migrateAndDistribute(connection);
  return { name: new pg.Client(connection).database, drop };
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

/** Makes a coordinator and its workers of new databases with the same name. */
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
