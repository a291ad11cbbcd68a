/** Chooses the account that PostgreSQL runs under: the service's own, or another one if that is root. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, childEnvironment, type Launch } from './postgres-programs.ts';

/** A launch, and the owner of the cluster's files; undefined: the service's own account. */
export type OwnedLaunch = Launch & { owner: Account | undefined };

/**
 * Capabilities by which another account can traverse directories that only root may enter, like /root (0700).
 * `dac_read_search` allows traversing and reading, but containers seldom grant it. `dac_override` also allows writing.
 * See capabilities(7).
 */
const passes = ['dac_read_search', 'dac_override'];

/**
 * Chooses the launch for the directory `cluster`, which need not exist yet, and the program `postgres`.
 * @throws with a remedy when root finds no account, or the account cannot access the directory or the program
 */
export function chooseLaunch(cluster: string, postgres: string): OwnedLaunch {
  if (process.getuid?.() !== 0) return { prefix: [], account: undefined, owner: undefined };
  // macOS has its own account, _postgres.
  const owner =
    clusterOwner(cluster) ?? findAccount('postgres') ?? findAccount('_postgres') ?? createAccount('postgres');
  const launches = [
    { prefix: [], account: owner, owner },
    ...passes.map((capability) => ({ prefix: setpriv(owner, capability), account: undefined, owner })),
  ];
  const failures: string[] = [];
  for (const launch of launches) {
    const failure = probe(launch, dirname(cluster), postgres);
    if (failure === '') return launch;
    failures.push(failure);
  }
  throw new Error(
    `PostgreSQL must not run as root, and the account with uid ${owner.uid} cannot enter ${dirname(cluster)} ` +
      `or run ${postgres}: move both where it has access, start the service as another user, or set DATABASE_URL\n` +
      failures.join('\n'),
  );
}

/**
 * Returns the command that switches to `owner` but keeps one capability. PostgreSQL checks its own files by access(2),
 * which uses the capabilities of accounts other than root only with `no_setuid_fixup`. Node's options `uid` and `gid`
 * can do neither.
 */
function setpriv(owner: Account, capability: string): string[] {
  return [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    '--securebits=+no_setuid_fixup',
    '--',
  ];
}

/**
 * Tests the access by a trial run, which includes modes, ACLs, mount options and missing capabilities. Returns '' or
 * the error.
 */
function probe(launch: Launch, directory: string, postgres: string): string {
  const script = 'cd "$1" && exec "$2" --version';
  const [file = '', ...args] = [...launch.prefix, 'sh', '-c', script, 'sh', directory, postgres];
  const result = spawnSync(file, args, {
    ...launch.account,
    cwd: '/',
    env: childEnvironment,
    encoding: 'utf8',
  });
  if (result.error) return `${file}: ${result.error.message}`;
  return result.status === 0 ? '' : result.stderr.trim() || `${file}: status ${result.status}`;
}

/** Finds the owner of an existing cluster, which keeps its account whichever user starts the service. */
function clusterOwner(cluster: string): Account | undefined {
  const stat = statSync(join(cluster, 'PG_VERSION'), { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.uid !== 0) return { uid: stat.uid, gid: stat.gid };
  throw new Error(
    `${cluster} belongs to root, whom PostgreSQL refuses: chown -R it to the account that created it`,
  );
}

function findAccount(name: string): Account | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) =>
    spawnSync('id', [option, name], { env: childEnvironment, encoding: 'utf8' }),
  );
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Creates the account as Debian's postgresql-common does, which keeps it if it is installed later. */
function createAccount(name: string): Account {
  const options = ['--system', '--user-group', '--home-dir', '/var/lib/postgresql', '--no-create-home'];
  const made = spawnSync('useradd', [...options, '--shell', '/bin/false', name], {
    env: childEnvironment,
    encoding: 'utf8',
  });
  // Another start on this machine may have created it meanwhile.
  const account = findAccount(name);
  if (account) return account;
  throw new Error(
    `PostgreSQL must not run as root, and the account ${name} could not be created: create it, start the service as ` +
      `another user, or set DATABASE_URL\n${made.error?.message ?? made.stderr.trim()}`,
  );
}
