/** The database of a running service, embedded or on a given server: its address, its process, and direct queries. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findRunningPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { startFaultProxy } from '../machine/fault-proxy.ts';
import { findGivenUrl } from './given-database.ts';

/** @throws when no embedded PostgreSQL runs on the directory */
function findPostgres(dataDirectory: string) {
  const running = findRunningPostgres(dataDirectory);
  if (running === undefined) throw new Error(`no embedded PostgreSQL runs on ${dataDirectory}`);
  return running;
}

/** The process id of a data directory's PostgreSQL; undefined where no pid file names one. */
export function findPostgresPid(dataDirectory: string): number | undefined {
  try {
    const file = join(dataDirectory, 'postgres', 'postmaster.pid');
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

/** The DATABASE_URL of a data directory's database. */
export function databaseUrlOf(dataDirectory: string): string {
  const givenUrl = findGivenUrl(dataDirectory);
  if (givenUrl !== undefined) return givenUrl;
  const { host, port, user, password, database } = findPostgres(dataDirectory);
  return `postgres://${user}:${password}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}

/** Starts a proxy in front of the database. `url`: the DATABASE_URL through it. */
export async function startDatabaseProxy(dataDirectory: string) {
  const direct = databaseUrlOf(dataDirectory);
  const { host, port } = new pg.Client(direct);
  // The socket's name: PostgreSQL manual, unix_socket_directories.
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const proxy = await startFaultProxy(target);
  const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(proxy.port), search: '' });
  return { ...proxy, url: url.href };
}

/** Runs `use` with a new connection to the database at `url`. */
export async function withDatabase<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await use(client).finally(() => client.end());
}

/**
 * Creates an empty database on one server, in the PostgreSQL of a running service. `url`: its DATABASE_URL. Connections
 * of tests find the tables of the service, which has a schema of its own there.
 */
export async function createDatabase(dataDirectory: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const service = databaseUrlOf(dataDirectory);
  const url = new URL(service);
  url.pathname = `/${name}`;
  const run = (statement: string) => withDatabase(service, (client) => client.query(statement));
  await run(`CREATE DATABASE ${name}`);
  await run(`ALTER DATABASE ${name} SET search_path = knowledge_retrieval, public`);
  return { url: url.href, drop: async () => void (await run(`DROP DATABASE ${name} WITH (FORCE)`)) };
}

/** Runs `use` with a new connection, whose statements have no time limit. */
export async function withServiceDatabase<T>(
  { dataDirectory }: { dataDirectory: string },
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrlOf(dataDirectory),
    application_name: 'benchmark',
  });
  client.on('error', () => {}); // a broken connection also rejects its statement
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
