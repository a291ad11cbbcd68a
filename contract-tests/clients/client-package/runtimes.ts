/** The programs that run the packed client's consumer: the Nodes of this machine, and Deno and Bun from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program, and what stands between it and the script; its name for the test. */
export type Runtime = { name: string; command: string; options: string[] };

const modules = join(import.meta.dirname, '../../../node_modules');

/** The Node that runs the tests, and those of the machine, which come after it in PATH. */
const nodes = new Set([
  process.execPath,
  ...(process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file)),
]);

/**
 * The program that npm has installed for this platform, in a package of its own below `scope`. That of the package
 * `deno` or `bun` itself would have to be put there by an install script.
 */
function findProgram(scope: string, files: string[]): string | undefined {
  const folder = join(modules, scope);
  const found = (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((name) => files.map((file) => join(folder, name, file)))
    .find((file) => existsSync(file) && spawnSync(file, ['--version']).status === 0);
  if (found === undefined)
    process.stderr.write(
      `npm has no program of ${scope} for this machine: its tests of the client are skipped.\n`,
    );
  return found;
}

const toRuntime = (name: string, command: string | undefined, options: string[]): Runtime[] =>
  command === undefined ? [] : [{ name, command, options }];

/** None of them looks for packages or updates in the network. */
export const RUNTIMES: Runtime[] = [
  ...[...nodes].map((command) => ({ name: command, command, options: [] })),
  ...toRuntime('Deno', findProgram('@deno', ['deno', 'deno.exe']), [
    ...['run', '--quiet', '--no-lock', '--cached-only', '--node-modules-dir=manual'],
    // As little as a user has to allow: the service, and the files.
    ...['--no-prompt', '--allow-net=127.0.0.1', '--allow-read=.'],
  ]),
  ...toRuntime('Bun', findProgram('@oven', ['bin/bun', 'bin/bun.exe']), ['--no-install']),
];
