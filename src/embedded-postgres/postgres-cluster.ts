/** Creates the database cluster: initdb runs in a temporary directory, which is renamed when it is complete. */
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OwnedLaunch } from './postgres-account.ts';
import { reportedLines, startProgram } from './postgres-programs.ts';

/** The major version of the installed package. It can read only clusters with this number in PG_VERSION. */
const majorVersion = '18';

/** The superuser and the database that initdb creates. The service needs no others: the server is its own. */
export const databaseUser = 'postgres';
export const databaseName = 'postgres';

/**
 * Locales for the C library's classification of characters, best first. Collation and case are PostgreSQL's own, but
 * its text search parser (wparser_def.c) uses the C library: under the locale C, `«дом»` and `—` count as words.
 */
const characterLocales = ['C.UTF-8', 'en_US.UTF-8', 'C'];

/** `durable: false` skips syncing to disk; `onLog` receives initdb's lines. */
export type ClusterOptions = {
  cluster: string;
  initdb: string;
  launch: OwnedLaunch;
  durable: boolean;
  onLog(line: string): void;
};

/**
 * Ensures a complete cluster at `cluster`: runs initdb if there is none.
 * @throws if the directory has other files, or a cluster of another major version; nothing is changed then
 */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { cluster } = options;
  removeIncomplete(cluster);
  const version = clusterVersion(cluster);
  if (version === majorVersion) return;
  if (version !== undefined) {
    throw new Error(
      `${cluster} holds the data of PostgreSQL ${version}, but PostgreSQL ${majorVersion} is installed: ` +
        'export it with the old version of this service, or use another directory',
    );
  }
  if (existsSync(cluster) && readdirSync(cluster).length > 0) {
    throw new Error(`${cluster} holds files but no PostgreSQL cluster (no PG_VERSION): move them away`);
  }
  const fresh = mkdtempSync(incompletePrefix(cluster));
  try {
    if (options.launch.owner) chownSync(fresh, options.launch.owner.uid, options.launch.owner.gid);
    await runInitdb(fresh, options);
    renameSync(fresh, cluster);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  if (options.durable) syncDirectory(dirname(cluster));
}

function clusterVersion(cluster: string): string | undefined {
  try {
    return readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`cannot read the PostgreSQL cluster in ${cluster}, is it another user's? ${error}`, {
      cause: error,
    });
  }
}

function incompletePrefix(cluster: string): string {
  return `${cluster}.incomplete-`;
}

/** Removes the remains of a killed initdb. If that still runs and writes, the next start removes the rest. */
function removeIncomplete(cluster: string): void {
  const prefix = basename(incompletePrefix(cluster));
  for (const name of readdirSync(dirname(cluster))) {
    if (!name.startsWith(prefix)) continue;
    try {
      rmSync(join(dirname(cluster), name), { recursive: true, force: true });
    } catch {
      // The remains only take space.
    }
  }
}

async function runInitdb(directory: string, options: ClusterOptions): Promise<void> {
  let lines: string[] = [];
  for (const locale of characterLocales) {
    lines = [];
    const { exited } = startProgram(options.launch, options.initdb, {
      args: initdbArguments(directory, locale, options.durable),
      detached: false,
      onLine(line) {
        lines.push(line);
        options.onLog(line);
      },
    });
    const reason = await exited;
    if (reason === 'exit code 0') return;
    lines.push(reason);
    if (!lines.some((line) => line.includes('invalid locale name'))) break;
  }
  if (lines.some((line) => line.includes('could not look up effective user ID'))) throw namelessUser();
  throw new Error(
    `could not create the PostgreSQL cluster in ${directory}:\n${lines.slice(-reportedLines).join('\n')}`,
  );
}

/** initdb and PostgreSQL's clients ask for the name of their user. */
const namelessUser = (): Error =>
  new Error(
    `The user id ${process.getuid?.()} has no name, which PostgreSQL needs: ` +
      `add it to /etc/passwd (in a container, by ` +
      'its image or nss_wrapper), start the service as a user that has one, or set DATABASE_URL.',
  );

function initdbArguments(directory: string, characterLocale: string, durable: boolean): string[] {
  return [
    `--pgdata=${directory}`,
    '--encoding=UTF8',
    // The same order and case on every machine; under libc's C, lower() handles ASCII only.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    `--lc-ctype=${characterLocale}`,
    `--username=${databaseUser}`,
    // Until the first start sets a password: see postgres-password.ts.
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
}

/** Syncs a directory, so that a rename in it survives a power loss: see fsync(2). */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
