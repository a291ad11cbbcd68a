/** Starts a second server on the database and files of one that runs on the embedded PostgreSQL. */
import { findRunningPostgres } from '../src/storage/embedded-postgres.ts';
import { type RunningService, type Settings, startService } from './service-process.ts';

/** The DATABASE_URL of the embedded PostgreSQL that a server runs on a data directory. */
export function databaseUrlOf(dataDirectory: string): string {
  const running = findRunningPostgres(dataDirectory);
  if (running === undefined) throw new Error(`no server runs on ${dataDirectory}`);
  const { host, port, user, database } = running;
  return `postgres://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}

/** Resolves when it listens; it has to be stopped before the first one, which takes the database with it. */
export const startSecondServer = (dataDirectory: string, settings: Settings): Promise<RunningService> =>
  startService(dataDirectory, { settings: { ...settings, DATABASE_URL: databaseUrlOf(dataDirectory) } });
