/** A Citus coordinator with two workers, for tests: PostgreSQL as Debian installs it, with the extension. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { chooseLaunch } from '../postgres-account.ts';
import { type Running, startProgram } from '../postgres-programs.ts';

const VERSIONS = '/usr/lib/postgresql';

/** The folder of the newest PostgreSQL with Citus; undefined where there is none. */
export const citusPostgres: string | undefined = (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
  .map((version) => join(VERSIONS, version))
  .filter((folder) => existsSync(join(folder, 'lib/citus.so')))
  .sort()
  .at(-1);

/** What docs/operating.md asks for, so that all else is Citus's and PostgreSQL's default; and what makes tests fast. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  fsync: 'off',
  listen_addresses: '127.0.0.1',
};
const USER = 'postgres';
const READY = 'ready to accept';

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  return port;
}

/** A server that a test may end as by a crash, and start again; or let hang with all its processes, and go on. */
export type CitusNode = {
  port: number;
  url: string;
  /** `further`: settings until its next start. */
  start(further?: Record<string, string>): Promise<void>;
  end(): Promise<void>;
  hang(): void;
  goOn(): void;
};

/** Sends a signal to a process and its children, which PostgreSQL puts into groups of their own. */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) process.kill(Number(child), signal);
}

async function makeNode(directory: string): Promise<CitusNode> {
  const bin = join(citusPostgres ?? '', 'bin');
  const launch = chooseLaunch(directory, join(bin, 'postgres'));
  mkdirSync(directory, { mode: 0o700 });
  if (launch.owner) chownSync(directory, launch.owner.uid, launch.owner.gid);
  const initdb = ['-D', directory, '-A', 'trust', '-U', USER, '--encoding=UTF8', '--locale=C.UTF-8', '-N'];
  const [file = '', ...args] = [...launch.prefix, join(bin, 'initdb'), ...initdb];
  execFileSync(file, args, { ...launch.account, cwd: '/', stdio: 'ignore' });
  const port = await findFreePort();
  const settings = { ...SETTINGS, port: String(port), unix_socket_directories: directory };
  let running: Running | undefined;
  return {
    port,
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    async start(further = {}) {
      const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
      const all = Object.entries({ ...settings, ...further });
      const options = all.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      running = startProgram(launch, join(bin, 'postgres'), {
        args: ['-D', directory, ...options],
        detached: true,
        onLine: (line) => void (line.includes(READY) && resolve()),
      });
      running.exited.then((reason) => reject(new Error(`PostgreSQL did not start: ${reason}`)));
      await ready;
    },
    async end() {
      running?.child.kill('SIGQUIT');
      await running?.exited;
    },
    hang: () => signalAll(running?.child.pid ?? 0, 'SIGSTOP'),
    goOn: () => signalAll(running?.child.pid ?? 0, 'SIGCONT'),
  };
}

async function runOn({ url }: CitusNode, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/**
 * Starts the servers. `url`: the database `postgres` of the coordinator, to which the workers are added. `plainUrl`: an
 * empty database of the same PostgreSQL, without Citus.
 */
export async function startCitus() {
  const directory = mkdtempSync(join(tmpdir(), 'citus-'));
  chmodSync(directory, 0o711); // PostgreSQL does not run as root
  const coordinator = await makeNode(join(directory, 'coordinator'));
  const workers = [await makeNode(join(directory, 'worker1')), await makeNode(join(directory, 'worker2'))];
  for (const node of [coordinator, ...workers]) {
    await node.start();
    await runOn(node, 'CREATE EXTENSION citus');
  }
  await runOn(
    coordinator,
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  );
  await runOn(coordinator, 'CREATE DATABASE plain');
  return {
    url: coordinator.url,
    plainUrl: Object.assign(new URL(coordinator.url), { pathname: '/plain' }).href,
    coordinator,
    workers,
    async remove() {
      await Promise.all([coordinator, ...workers].map((node) => node.end()));
      rmSync(directory, { recursive: true });
    },
  };
}
