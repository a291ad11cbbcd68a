/** A real service for scripts and black-box tests: spawned on a data directory of its own and called over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The project's directory. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Time-out of a request: nothing measured here takes this long. */
const REQUEST_TIMEOUT_MS = 60_000;
/** A service that has not answered after this time has failed. */
const START_TIMEOUT_MS = 60_000;
/** The service itself promises 10 s. */
const STOP_TIMEOUT_MS = 20_000;

/** A running service; `address` without a trailing slash. */
export type RunningService = {
  address: string;
  apiKey: string;
  pid: number;
  dataDirectory: string;
  /** Ends it by SIGTERM, as an operator does. */
  stop(): Promise<void>;
  /**
   * Ends it by SIGKILL, like a crash. Its PostgreSQL runs on for 20 s, unless the next start on the directory ends it
   * sooner.
   */
  kill(): Promise<void>;
  /** Resolves with its exit code when it has ended; null after a signal. */
  ended: Promise<number | null>;
};

/** The running services, with their data directories. */
const running = new Map<ChildProcess, string>();
let interrupted = false;

/** Ends all running services and prevents new starts, so that every part fails soon and cleans up. */
export function interruptServices(): void {
  interrupted = true;
  for (const child of running.keys()) child.kill('SIGTERM');
}

/** The match of `pattern` in a line of the greeting. Rejects when the service ends before it. */
export async function readGreeting(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no output');
  for await (const line of createInterface(child.stdout)) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the service ended before it answered');
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const late = delay(STOP_TIMEOUT_MS, 'late', { ref: false });
  if ((await Promise.race([exited, late])) === 'late') {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Settings by the names of their environment variables. */
export type Settings = Record<string, string>;

/** The environment of a service and of the command line beside it. */
export const environmentOf = (dataDirectory: string, settings: Settings = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  DATA_DIR: dataDirectory,
  PORT: '0',
  LOG_LEVEL: 'warn',
  ...settings,
});

type StartOptions = {
  settings?: Settings;
  /** A command that starts the program given after it in its own process, as nice(1) does. */
  launcher?: string[];
  /** Arguments of Node before the program, for a profiler. */
  nodeArguments?: string[];
  /** Options after the program, such as `--worker`. */
  options?: string[];
  /** Also receives the program's standard output. */
  onOutput?: (text: string) => void;
  /** Receives the program's standard error instead of the terminal. */
  onLog?: (text: string) => void;
};

/** Node's arguments in `npm start`: tests and measurements run the service with the same ones. */
function readStartArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }; // the project's own
  };
  return scripts.start.split(' ').slice(1);
}

/** Starts the program. Resolves with the match of `greeting` in its output. */
async function start(
  dataDirectory: string,
  greeting: RegExp,
  { settings = {}, launcher = [], nodeArguments = [], options = [], onOutput, onLog }: StartOptions,
) {
  if (interrupted) throw new Error('interrupted');
  const program = [process.execPath, ...nodeArguments, ...readStartArguments(), ...options];
  const [command = process.execPath, ...args] = [...launcher, ...program];
  const child = spawn(command, args, {
    cwd: root,
    env: environmentOf(dataDirectory, settings),
    stdio: ['ignore', 'pipe', onLog === undefined ? 'inherit' : 'pipe'],
  });
  child.stdout?.on('data', (bytes) => onOutput?.(String(bytes)));
  child.stderr?.on('data', (bytes) => onLog?.(String(bytes)));
  running.set(child, dataDirectory);
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const giveUp = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS);
  const found = await readGreeting(child, greeting).finally(() => clearTimeout(giveUp));
  child.stdout?.resume();
  const { pid } = child;
  if (pid === undefined) throw new Error('the service could not be spawned');
  return { found, pid, ended, stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') };
}

/**
 * Starts the service on `dataDirectory`. Resolves when it listens.
 * By default it has no rate limit and logs only warnings.
 */
export async function startService(
  dataDirectory: string,
  options: StartOptions = {},
): Promise<RunningService> {
  const { found, ...process } = await start(dataDirectory, /answers at (http:\S+)/, options);
  const apiKey = (await readFile(join(dataDirectory, 'api-key'), 'utf8')).trim();
  return { address: found, apiKey, dataDirectory, ...process };
}

/** A worker that runs beside the service of its data directory. */
export type RunningWorker = Pick<RunningService, 'pid' | 'ended' | 'stop' | 'kill'> & {
  /** The address of its health checks and metrics; empty without WORKER_PORT. */
  address: string;
};

/** Starts a worker beside the service on `dataDirectory` and resolves when it takes jobs. */
export async function startWorker(
  dataDirectory: string,
  { settings = {} }: { settings?: Settings } = {},
): Promise<RunningWorker> {
  const greeting = /worker is ready(?:, .* at )?(.*)/;
  const { found, ...process } = await start(dataDirectory, greeting, { settings, options: ['--worker'] });
  return { address: found, ...process };
}

/** The process id of a data directory's PostgreSQL; undefined where no pid file names one. */
export function findPostgresPid(dataDirectory: string): number | undefined {
  try {
    const file = join(dataDirectory, 'postgres', 'postmaster.pid');
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

/** Ends the PostgreSQL of a killed service if no later start has ended it, and only that of this directory. */
function endOrphanedPostgres(dataDirectory: string): void {
  try {
    const pid = findPostgresPid(dataDirectory);
    if (pid === undefined) return;
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDirectory)) process.kill(pid, 'SIGQUIT');
  } catch {
    // There is none: the usual case.
  }
}

/** Runs `use` with an empty data directory. Afterwards removes it with everything that still runs on it. */
export async function withDataDirectory<T>(use: (dataDirectory: string) => Promise<T>): Promise<T> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-benchmark-'));
  try {
    return await use(dataDirectory);
  } finally {
    // Processes of a failed use would keep this process's output open, and its caller waiting.
    await Promise.all(
      [...running].map(([child, directory]) =>
        directory === dataDirectory ? end(child, 'SIGTERM') : undefined,
      ),
    );
    endOrphanedPostgres(dataDirectory);
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Runs `use` with a service on an empty data directory, and stops it afterwards. */
export async function withService<T>(use: (service: RunningService) => Promise<T>): Promise<T> {
  return await withDataDirectory(async (dataDirectory) => {
    const service = await startService(dataDirectory);
    try {
      return await use(service);
    } finally {
      await service.stop();
    }
  });
}

/**
 * Calls an operation: with a body by POST, without one by GET (`operation` may then have a query).
 * @returns the answer's `data`
 * @throws when the answer is not a success
 */
export async function call<Data>(
  { address, apiKey }: RunningService,
  operation: string,
  body?: object | string,
): Promise<Data> {
  const json = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await fetch(`${address}/v1/${operation}`, {
    headers: { 'x-api-key': apiKey, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { method: 'POST', body: json }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: Data }).data; // the caller names the operation and knows its payload
}

/** Creates a knowledge base and returns its id. */
export async function createKnowledgeBase(service: RunningService, name: string): Promise<string> {
  return (await call<{ id: string }>(service, 'createKnowledgeBase', { name })).id;
}
