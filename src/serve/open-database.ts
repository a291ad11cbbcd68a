/** Opens the database of the settings: at DATABASE_URL, embedded, or a running server's. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Connection } from '../database/connection/pool.ts';
import {
  findRunningPostgres,
  hasCluster,
  startEmbeddedPostgres,
} from '../embedded-postgres/embedded-postgres.ts';
import { requireDataDirectory } from './data-directory.ts';

/** A database to connect to. Call `close` after all connections are closed. */
export type OpenedDatabase = { connection: Connection; close(): Promise<void> };

/** The database of DATABASE_URL; undefined: the embedded one. */
const givenDatabase = ({ databaseUrl, databaseSchema }: Config): Connection | undefined =>
  databaseUrl === undefined ? undefined : { connectionString: databaseUrl, schema: databaseSchema };

/**
 * Log lines for the operator: PostgreSQL's fatal errors, and lines about its restarts. The lines for each connection
 * and worker when the service stops PostgreSQL are excluded.
 */
const IMPORTANT_LINE = /^(FATAL(?!: {2}terminating .* due to administrator command)|PANIC|PostgreSQL )/;

const embedded = (config: Config, log: Logger) =>
  startEmbeddedPostgres({
    directory: config.dataDir,
    onLog: (line) => log[IMPORTANT_LINE.test(line) ? 'warn' : 'debug']({ from: 'postgres' }, line),
  });

/**
 * Opens the database for a server. Without DATABASE_URL it starts the embedded PostgreSQL under DATA_DIR.
 * @throws when another server uses DATA_DIR.
 */
export async function openDatabase(config: Config, log: Logger): Promise<OpenedDatabase> {
  const given = givenDatabase(config);
  if (given !== undefined) return { connection: given, close: async () => {} };
  requireDataDirectory(config.dataDir);
  const { connection, stop } = await embedded(config, log);
  return { connection, close: stop };
}

/**
 * Finds the database for a worker beside a server. It starts none, since that would end with the worker.
 * @throws when no server on DATA_DIR is ready.
 */
export function findDatabase(config: Config): Connection {
  const running = givenDatabase(config) ?? findRunningPostgres(config.dataDir);
  if (running === undefined) {
    throw new Error(
      `No server runs on ${config.dataDir} for this worker: start one first, or set DATABASE_URL.`,
    );
  }
  return running;
}

/**
 * Opens the database for a command: the running embedded PostgreSQL, or one that is started for the command.
 * @throws when DATA_DIR holds no database: a mistyped DATA_DIR would get a new, empty database without any problems
 */
export async function joinDatabase(config: Config, log: Logger): Promise<OpenedDatabase> {
  const running = config.databaseUrl === undefined ? findRunningPostgres(config.dataDir) : undefined;
  if (running !== undefined) return { connection: running, close: async () => {} };
  if (config.databaseUrl === undefined && !hasCluster(config.dataDir)) {
    throw new Error(
      `There is no database in ${config.dataDir}: set DATA_DIR as the server has it, or start one there first.`,
    );
  }
  return await openDatabase(config, log);
}
