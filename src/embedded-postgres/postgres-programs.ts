/** Starts PostgreSQL's programs without this process's environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

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
