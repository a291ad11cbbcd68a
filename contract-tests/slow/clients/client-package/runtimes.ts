/** The runtimes for consumer.ts: each Node in PATH, and Deno and Bun from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * `options` stand before the script in the command line. With `environmentOptions` as well, the script may read the
 * variables that the client reads. `name`: for test titles.
 */
export type Runtime = { name: string; command: string; options: string[]; environmentOptions: string[] };

const modules = join(import.meta.dirname, '../../../../node_modules');

/** The Node that runs the tests, the Node of their service, and the Nodes of the machine, which come later in PATH. */
const nodes = new Set([
  process.execPath,
  ...(process.env.OLDEST_NODE === undefined ? [] : [process.env.OLDEST_NODE]),
  ...(process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file)),
]);

/**
 * The program for this platform, from the package of `scope` that npm has installed. The packages `deno` and `bun`
 * contain no program: their install scripts would put it there.
 */
function findProgram(scope: string, files: string[]): string | undefined {
  const folder = join(modules, scope);
  const found = (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((name) => files.map((file) => join(folder, name, file)))
    .find((file) => existsSync(file) && spawnSync(file, ['--version']).status === 0);
  if (found === undefined)
    process.stderr.write(
      `npm has installed no program of ${scope} for this machine: its tests of the client are skipped.\n`,
    );
  return found;
}

const toRuntime = (
  name: string,
  command: string | undefined,
  options: string[],
  environmentOptions: string[] = [],
): Runtime[] => (command === undefined ? [] : [{ name, command, options, environmentOptions }]);

/** The options forbid looking for packages on the network. */
export const RUNTIMES: Runtime[] = [
  ...[...nodes].map((command) => ({
    name: command,
    command,
    options: [],
    environmentOptions: [],
  })),
  ...toRuntime(
    'Deno',
    findProgram('@deno', ['deno', 'deno.exe']),
    [
      ...['run', '--quiet', '--no-lock', '--cached-only', '--node-modules-dir=manual'],
      // The client needs no other permissions than the service's address and the files.
      ...['--no-prompt', '--allow-net=127.0.0.1', '--allow-read=.'],
    ],
    ['--allow-env=KNOWLEDGE_URL,KNOWLEDGE_API_KEY'],
  ),
  ...toRuntime('Bun', findProgram('@oven', ['bin/bun', 'bin/bun.exe']), ['--no-install']),
];
