/** Starts a second server on the database and files of a service with the embedded PostgreSQL. */
import { findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { type RunningService, type Settings, startService } from './service-process.ts';

function findPostgres(dataDirectory: string) {
  const running = findRunningPostgres(dataDirectory);
  if (running === undefined) throw new Error(`no server runs on ${dataDirectory}`);
  return running;
}

/** The socket file of a data directory's embedded PostgreSQL, for a proxy before it. */
export function findPostgresSocket(dataDirectory: string): string {
  const { host, port } = findPostgres(dataDirectory);
  return `${host}/.s.PGSQL.${port}`;
}

/** The DATABASE_URL of a data directory's embedded PostgreSQL; over TCP where a proxy listens. */
export function databaseUrlOf(dataDirectory: string, proxyPort?: number): string {
  const { host, port, user, password, database } = findPostgres(dataDirectory);
  return proxyPort === undefined
    ? `postgres://${user}:${password}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`
    : `postgres://${user}:${password}@127.0.0.1:${proxyPort}/${database}`;
}

/**
 * Resolves when it listens. Stop it before the first server, which takes the database with it.
 * @param proxyPort the port of 127.0.0.1 for its database connections; undefined: the database's own socket
 */
export const startSecondServer = async (
  dataDirectory: string,
  settings: Settings,
  proxyPort?: number,
): Promise<RunningService> =>
  await startService(dataDirectory, {
    settings: { ...settings, DATABASE_URL: databaseUrlOf(dataDirectory, proxyPort) },
  });
