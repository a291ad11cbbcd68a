/** The embedded PostgreSQL: a real server in the data directory, which starts and stops with the service. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../config/make-directory.ts';
import { keepBallast } from './ballast.ts';
import { lockDirectory } from './directory-lock.ts';
import { findPrograms } from './embedded-postgres-insides.ts';
import { watchForOrphan } from './orphan-watch.ts';
import { chooseLaunch, type OwnedLaunch } from './postgres-account.ts';
import { databaseName, databaseUser, ensureCluster } from './postgres-cluster.ts';
import { preparePassword, readPassword, requirePassword } from './postgres-password.ts';
import { endOrphan, findPostmaster, removeStaleLocks } from './postgres-pidfile.ts';
import type { Account } from './postgres-programs.ts';
import { superviseServer } from './postgres-server.ts';
import { serverArguments, socketPort } from './postgres-settings.ts';

/** Connection settings for `pg`. `host` is the socket's directory, which does not change while the service runs. */
export type SocketConnection = {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
};

/** `stop` ends the server within 9 s and releases the directory's lock; call it after the pool has ended. */
export type EmbeddedPostgres = { connection: SocketConnection; stop(): Promise<void> };

/**
 * `durable` false: a crash of the machine may destroy the data (for tests). `graceSeconds`: how long the database runs
 * on after the service was killed. `ballast`: for tests, when it is made. `onLog` receives PostgreSQL's log lines, and
 * this module's.
 */
export type EmbeddedPostgresOptions = {
  directory: string;
  durable?: boolean;
  graceSeconds?: number;
  ballast?: { intervalMs: number; freeMinBytes: number };
  onLog(line: string): void;
};

/** Starts the server of a cluster, with the ballast that keeps its disk from filling up. */
async function startServer(
  { cluster, socketDirectory }: { cluster: string; socketDirectory: string },
  { launch, postgres }: { launch: OwnedLaunch; postgres: string },
  { durable = true, graceSeconds, onLog, ...options }: EmbeddedPostgresOptions,
): Promise<{ stop(): Promise<void> }> {
  const { owner } = launch;
  const ballast = durable ? keepBallast(cluster, { owner, onLog, ...options.ballast }) : undefined;
  const server = await superviseServer({
    launch,
    postgres,
    args: serverArguments({ cluster, socketDirectory, durable }),
    async beforeStart() {
      await endOrphan(cluster, onLog);
      removeStaleLocks(cluster, socketDirectory);
    },
    watch: (pid) => watchForOrphan({ pid, cluster, launch, graceSeconds }),
    ballast,
    onLog,
  }).catch((error) => {
    ballast?.stop();
    throw error;
  });
  return {
    async stop() {
      ballast?.stop();
      await server.stop();
    },
  };
}

/** The same as startEmbeddedPostgres, in a directory whose lock is held. */
async function startLocked(directory: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { onLog, durable = true } = options;
  const cluster = clusterPath(directory);
  const { initdb, postgres } = findPrograms();
  const launch = chooseLaunch(cluster, postgres);
  const { owner } = launch;
  await ensureCluster({ cluster, initdb, launch, durable, onLog });
  const socketDirectory = chooseSocketDirectory(cluster, owner);
  const password = preparePassword({ cluster, owner });
  const server = await startServer({ cluster, socketDirectory }, { launch, postgres }, options);
  const connection = connectionTo({ host: socketDirectory, port: socketPort, password });
  await requirePassword({ cluster, owner }, connection).catch(async (error) => {
    await server.stop();
    throw error;
  });
  return { connection, stop: server.stop };
}

/**
 * Starts PostgreSQL on the cluster `<directory>/postgres`, and creates both directories if they are missing. Holds the
 * lock of `directory` until `stop`. Resolves when the server accepts connections, after a recovery if necessary. From
 * then on a server that dies is restarted on the same socket. If this process is killed, the server ends by itself.
 * @throws an error with the path, the reason and a remedy. Then everything is stopped, and nothing is deleted.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = openDirectory(options.directory);
  const lock = lockDirectory(directory);
  try {
    const { connection, stop } = await startLocked(directory, options);
    return {
      connection,
      async stop() {
        await stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Finds the connection settings of the PostgreSQL that another process runs on `directory`. Undefined when none runs,
 * or it is not ready yet: a server records that it is ready a moment after it accepts connections.
 * @throws when this user has no permission to read the cluster
 */
export function findRunningPostgres(directory: string): SocketConnection | undefined {
  if (!existsSync(directory)) return undefined;
  const cluster = clusterPath(realpathSync(directory));
  const postmaster = findPostmaster(cluster);
  if (!postmaster?.ready) return undefined;
  const { socketDirectory: host, port } = postmaster;
  // Older versions of this service set no password.
  return connectionTo({ host, port, password: readPassword(cluster) ?? '' });
}

/** Whether a service has ever started on `directory`. */
export const hasCluster = (directory: string): boolean => existsSync(clusterPath(directory));

const clusterPath = (directory: string): string => join(directory, 'postgres');

/**
 * What the driver would read from variables of libpq, such as PGSSLMODE and PGOPTIONS. They are meant for other
 * databases. It takes a variable in the place of an empty text, so the options are a blank.
 */
const WITHOUT_ENVIRONMENT = {
  ssl: false,
  sslnegotiation: 'postgres',
  options: ' ',
  replication: 'false',
  client_encoding: 'UTF8',
} as const;

const connectionTo = (server: Pick<SocketConnection, 'host' | 'port' | 'password'>): SocketConnection => ({
  ...WITHOUT_ENVIRONMENT,
  ...server,
  user: databaseUser,
  database: databaseName,
});

/**
 * Creates the directory if it is missing, and returns its real path, which identifies a running server. Other accounts
 * may traverse it: if the service runs as root, PostgreSQL runs under another account.
 */
function openDirectory(directory: string): string {
  try {
    makeDirectory(directory, 0o711);
    return realpathSync(directory);
  } catch (error) {
    throw new Error(`cannot use ${directory} as data directory: ${error}`, { cause: error });
  }
}

/**
 * Chooses the directory of the socket: the cluster itself, which only its owner may enter. If that path is too long for
 * a socket address, a directory in /tmp with a name derived from the path. Why not os.tmpdir(): it may be as long, and
 * differs between services.
 */
function chooseSocketDirectory(cluster: string, owner: Account | undefined): string {
  // sun_path of unix(4) has 104 bytes on macOS, 108 on Linux, including the final zero.
  if (Buffer.byteLength(join(cluster, `.s.PGSQL.${socketPort}`)) < 104) return cluster;
  const name = createHash('sha256').update(cluster).digest('hex').slice(0, 16);
  const directory = `/tmp/knowledge-retrieval-${name}`;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  // Another owner of the directory could put a socket of their own there, and read everything sent to it.
  if (!stat.isDirectory() || (stat.uid !== process.geteuid?.() && stat.uid !== owner?.uid)) {
    throw new Error(
      `${directory}, needed for the database's socket, belongs to the user ${stat.uid}: have it removed`,
    );
  }
  chmodSync(directory, 0o700);
  if (owner) lchownSync(directory, owner.uid, owner.gid);
  return directory;
}
