/** Starts PgBouncer, Debian's package, in front of a PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { end } from './service-process.ts';

/** Debian installs it where only root's PATH leads. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const START_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/** The file of the program, or of another one for a trial; undefined where it is not installed. */
export const pgbouncer: string | undefined = [
  process.env.PGBOUNCER ?? '',
  ...FOLDERS.map((folder) => join(folder, 'pgbouncer')),
].find((file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** Finds a free port. Another process may take it before its use. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on TCP
  await once(server.close(), 'close');
  return port;
}

/**
 * The least that an operator has to write, for a database with a password or without. The log is off, because tests
 * kill its database.
 */
const settingsOf = (folder: string, target: URL, { port, size }: { port: number; size: number }): string => `
[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 500
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = ${target.password === '' ? 'trust' : 'scram-sha-256'}
auth_file = ${join(folder, 'users')}
verbose = 0
log_connections = 0
log_disconnections = 0
`;

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const stopsAtMs = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < stopsAtMs && child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(POLL_INTERVAL_MS);
  }
  throw new Error('PgBouncer did not start');
}

/**
 * Starts PgBouncer in transaction mode in front of the PostgreSQL of `databaseUrl`, which has a TCP port. It has at
 * most `size` connections to each database.
 * @returns `url`, the DATABASE_URL through it; `kill`, by SIGKILL; `restart` after that; and `stop`
 */
export async function startPgBouncer(databaseUrl: string, { size }: { size: number }) {
  const target = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-pgbouncer-'));
  const port = await findFreePort();
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')];
  await writeFile(file, settingsOf(folder, target, { port, size }));
  await writeFile(users, `"${target.username}" "${target.password}"\n`);
  // PgBouncer refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  await Promise.all([chmod(folder, 0o755), chmod(file, 0o644), chmod(users, 0o644)]);
  const start = async () => {
    const child = spawn(pgbouncer ?? 'pgbouncer', ['-q', ...asNobody, file], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await untilListening(port, child);
    return child;
  };
  let child = await start();
  const url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href;
  return {
    url,
    kill: () => end(child, 'SIGKILL'),
    async restart() {
      child = await start();
    },
    async stop() {
      await end(child, 'SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}
