/**
 * What the operating system takes away from a process that reads a file, beside Node's permission model: network,
 * user, privileges, and its life when the server's ends. Systems allow this in part only; what they do is found out once.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { READING_MAX_MS, RESERVED_MEMORY_MAX } from '../extraction-limits.ts';

/** `command`: a command in the sandbox. `lacks`: what this system does not allow, in words; empty: nothing. */
export type Sandbox = { command(of: string[]): string[]; lacks: string[] };

/**
 * Users for these processes, each time another one, so that they cannot signal each other either. systemd takes the
 * same numbers for users that it makes up (systemd.exec(5), DynamicUser); no package's account has them.
 */
const FIRST_USER = 61_184;
const LAST_USER = 65_519;

/**
 * The kernel's bounds: on memory, in kilobytes, in case it grows faster than it is looked at, and on processor seconds,
 * in case nothing else ends a process whose server is gone; no core dumps. Where memory runs out all the same, it is ended
 * first (proc(5), oom_score_adj), and not the service. And a tenth of the server's claim on a
 * processor. Not less: a busy server would let every file run out of time.
 */
const BOUNDED_START =
  '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; shift 2; exec nice -n 10 "$@"';
const KILOBYTES_MAX = Math.floor(RESERVED_MEMORY_MAX / 2 ** 10);
/** Several threads of Node's may work at once. */
const PROCESSOR_SECONDS_MAX = (4 * READING_MAX_MS) / 1000;

/** A way to start a command, and what it leaves out. */
type Way = { prefix(user: number): string[]; lacks: string[] };

const setpriv = (...options: string[]): string[] => [
  'setpriv',
  '--no-new-privs',
  // The kernel kills the process when its server is gone, whatever it does (prctl(2), PR_SET_PDEATHSIG).
  '--pdeathsig=KILL',
  ...options,
];

const otherUser = (user: number): string[] => [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];

/**
 * Another user may pass to the program, or only root: then the capability that passes is kept, without those that reach
 * other processes. See postgres-account.ts.
 */
const ROOT_WAYS: Way[] = [
  {
    prefix: (user) => setpriv(...otherUser(user), '--bounding-set=-all', '--inh-caps=-all', '--'),
    lacks: [],
  },
  ...['dac_read_search', 'dac_override'].map((capability) => ({
    prefix: (user: number) =>
      setpriv(
        ...otherUser(user),
        `--inh-caps=+${capability}`,
        `--ambient-caps=+${capability}`,
        '--securebits=+no_setuid_fixup',
        '--',
      ),
    lacks: ['file rights of their own: only root may enter the directory of the program'],
  })),
];
const USER_WAYS: Way[] = [{ prefix: () => setpriv('--'), lacks: [] }];
const NO_USER: Way = { prefix: () => [], lacks: ['a user and an end of their own (setpriv of util-linux)'] };

/** As root, or else in a user namespace, where the system lets users make some. A namespace has no network at first. */
const networkWay = (isRoot: boolean): Way => ({
  prefix: () => (isRoot ? ['unshare', '--net', '--'] : ['unshare', '--user', '--net', '--']),
  lacks: [],
});
const NETWORK: Way = {
  prefix: () => [],
  lacks: ['a network without anything in it (unshare of util-linux)'],
};

/** Reads a file, starts Node, and can be ended by us. */
const PROBE = 'head -c 1 "$1" >/dev/null && "$2" --version >/dev/null && echo good && exec cat';

/** What says that there is no such command, and not that there is no room for a process at the moment. */
const NO_COMMAND = new Set(['ENOENT', 'EACCES', 'EPERM']);

async function works({ prefix }: Way, program: string): Promise<boolean> {
  const [name = '', ...args] = [
    ...prefix(FIRST_USER),
    ...['/bin/sh', '-c', PROBE, 'sh', program, process.execPath],
  ];
  const child = spawn(name, args, { cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  child.stdout?.on('data', () => {
    // Where it may not be killed, it ends by itself.
    child.kill('SIGKILL');
    child.stdin.end();
  });
  try {
    const [, signal] = await once(child, 'close');
    return signal === 'SIGKILL';
  } catch (error) {
    if (NO_COMMAND.has((error as NodeJS.ErrnoException).code ?? '')) return false; // of spawn
    throw error;
  }
}

async function findWorking(ways: Way[], program: string): Promise<Way | undefined> {
  for (const way of ways) if (await works(way, program)) return way;
  return undefined;
}

/** `program` is what the sandbox must let be read. @throws where no process can be started at the moment */
export async function findSandbox(program: string): Promise<Sandbox> {
  if (process.platform === 'win32')
    return { command: (of) => of, lacks: ['bounds of the operating system: Windows has none'] };
  const isRoot = process.geteuid?.() === 0;
  const user = (await findWorking(isRoot ? ROOT_WAYS : USER_WAYS, program)) ?? NO_USER;
  const network = networkWay(isRoot);
  const both: Way = { prefix: (id) => [...network.prefix(id), ...user.prefix(id)], lacks: user.lacks };
  const way = (await works(both, program)) ? both : { ...user, lacks: [...user.lacks, ...NETWORK.lacks] };
  let last = FIRST_USER;
  return {
    lacks: way.lacks,
    command(of) {
      last = last === LAST_USER ? FIRST_USER : last + 1;
      const bounds = [String(KILOBYTES_MAX), String(PROCESSOR_SECONDS_MAX)];
      return ['/bin/sh', '-c', BOUNDED_START, 'sh', ...bounds, ...way.prefix(last), ...of];
    },
  };
}
