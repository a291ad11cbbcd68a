/**
 * The limits on an extraction process: Node's permission model, and the operating system's. These
 * remove network, user and privileges, and kill the process when the server ends.
 * Systems allow only some of them; which ones is determined once.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXTRACTION_MAX_MS, HEAP_MAX, RESERVED_MEMORY_MAX } from '../extraction-limits.ts';
import { OCR_FOLDER } from '../recognition/ocr-languages.ts';
import { RECOGNITION_MAX_MS } from '../recognition/recognition-limits.ts';

const PRELOADED = fileURLToPath(new URL('./extraction-preload.cjs', import.meta.url));

/** `src/` in the checkout, `dist/src/` in the package. */
const code = fileURLToPath(new URL('../../', import.meta.url));
const manifest = createRequire(import.meta.url).resolve('knowledge-retrieval/package.json');
const root = dirname(manifest);

/** The outermost `node_modules`: npm installs dependencies within the package, or beside it. */
const [modules] = /^.*?[\\/]node_modules[\\/]/.exec(root) ?? [join(root, 'node_modules')];

/**
 * A path, and where it leads if it is a link: Node looks at the link, and reads the files under their real names.
 * `/srv/app/node_modules` → `/srv/app/node_modules`, `/var/cache/modules-1.2`
 */
export const withTarget = (path: string): string[] =>
  existsSync(path) ? [...new Set([path, realpathSync(path)])] : [path];

/**
 * The start of Node with its permission model: the process may read the program's files only, and write none.
 * It may start neither processes nor threads, nor make code from strings. Its environment is empty.
 */
export const NODE_COMMAND = [
  process.execPath,
  `--max-old-space-size=${Math.floor(HEAP_MAX / 2 ** 20)}`,
  '--permission',
  ...[code, modules, manifest, OCR_FOLDER].flatMap(withTarget).map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  // SQLite opens any file, whatever the permission model allows.
  '--no-experimental-sqlite',
  `--require=${PRELOADED}`,
];

/**
 * `command`: wraps a command in the sandbox. `lacks`: the limits that this system does not allow, in words; else empty.
 */
export type Sandbox = { command(of: string[]): string[]; lacks: string[] };

/**
 * Users for these processes, a different one each time, so that they cannot signal each other either.
 * systemd uses the same numbers for dynamic users (systemd.exec(5), DynamicUser); no package's account has them.
 */
const FIRST_USER = 61_184;
const LAST_USER = 65_519;

/**
 * The kernel's limits. Memory in kilobytes, in case it grows between two checks of the watchdog.
 * Processor seconds, in case the server is gone and nothing else ends the process. No core dumps.
 * If memory runs out all the same, the kernel ends this process first (proc(5), oom_score_adj), and not the service.
 * Its share of a processor is a tenth of the server's. With less, every file on a busy server would exceed its time.
 */
const BOUNDED_START =
  '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; ' +
  'ulimit -c 0; ulimit -d "$1"; ulimit -t "$2"; shift 2; exec nice -n 10 "$@"';
const KILOBYTES_MAX = Math.floor(RESERVED_MEMORY_MAX / 2 ** 10);
/** Several threads of Node may run at once. */
const PROCESSOR_SECONDS_MAX = (4 * EXTRACTION_MAX_MS + 2 * RECOGNITION_MAX_MS) / 1000;

/** A way to start a command, and the limits that it lacks. */
type Way = { prefix(user: number): string[]; lacks: string[] };

const setpriv = (...options: string[]): string[] => [
  'setpriv',
  '--no-new-privs',
  // The kernel kills the process when its server is gone, in any state (prctl(2), PR_SET_PDEATHSIG).
  '--pdeathsig=KILL',
  ...options,
];

const otherUser = (user: number): string[] => [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];

/**
 * The first way is another user without capabilities. If only root can read the program, that user keeps
 * dac_read_search and no other capability. See postgres-account.ts.
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
    lacks: ['restricted file rights: only root may enter the directory of the program'],
  })),
];
const USER_WAYS: Way[] = [{ prefix: () => setpriv('--'), lacks: [] }];
const NO_USER: Way = {
  prefix: () => [],
  lacks: ['a separate user, and the end with the server (setpriv of util-linux)'],
};

/** As root, or else in a user namespace, where the system lets users create one. A new namespace has no network. */
const networkWay = (isRoot: boolean): Way => ({
  prefix: () => (isRoot ? ['unshare', '--net', '--'] : ['unshare', '--user', '--net', '--']),
  lacks: [],
});
const NETWORK: Way = {
  prefix: () => [],
  lacks: ['an empty network (unshare of util-linux)'],
};

/** Checks that the sandbox can read a file, start Node, and be killed by us. */
const PROBE = 'head -c 1 "$1" >/dev/null && "$2" --version >/dev/null && echo good && exec cat';

/** These errors mean that the command does not exist; others mean that no process can start at the moment. */
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
    // If we may not kill it, it ends by itself.
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

/**
 * `program`: the sandbox must allow reading it.
 * @throws where no process can be started at the moment
 */
export async function findSandbox(program: string): Promise<Sandbox> {
  if (process.platform === 'win32')
    return { command: (of) => of, lacks: ['limits of the operating system: not available on Windows'] };
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
