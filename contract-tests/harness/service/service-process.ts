/** Starts real programs for scripts and black-box tests, above all the service on a data directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createGivenDatabase, dropGivenDatabase, findGivenUrl } from './given-database.ts';
import { databaseUrlOf, findPostgresPid } from './service-database.ts';

/** The project's directory. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Time-out of a request: no measured request takes this long. */
const REQUEST_TIMEOUT_MS = 60_000;
/** A program without a greeting after this time has failed. */
const START_TIMEOUT_MS = 60_000;
/** The service itself promises 10 s. */
const STOP_TIMEOUT_MS = 20_000;

/** A running program that serves HTTP. */
export type RunningProgram = {
  /** From its greeting, without a trailing slash. */
  address: string;
  pid: number;
  /** Its standard output so far, by lines. */
  output: string[];
  /** Ends it by SIGTERM, as an operator does. */
  stop(): Promise<void>;
  /**
   * Ends it by SIGKILL, like a crash. A service's PostgreSQL runs on for 20 s, unless the next start on the directory
   * ends it sooner.
   */
  kill(): Promise<void>;
  /** Resolves with its exit code when it has ended; null after a signal. */
  ended: Promise<number | null>;
  isRunning(): boolean;
};

/** A running service, with the key of its first account. */
export type RunningService = RunningProgram & { apiKey: string; dataDirectory: string };

/** The running programs, with their data directories. */
const running = new Map<ChildProcess, string | undefined>();
let interrupted = false;

export const isInterrupted = (): boolean => interrupted;

/** @throws after `interruptServices`. Long work calls it, so that it ends soon and cleans up. */
export function requireUninterrupted(): void {
  if (interrupted) throw new Error('interrupted');
}

/** Ends all running programs and prevents new starts, so that every caller fails soon and cleans up. */
export function interruptServices(): void {
  interrupted = true;
  for (const child of running.keys()) child.kill('SIGTERM');
}

/**
 * Returns the first match of `greeting` in a line of the output. Rejects when the program ends before it, with what it
 * has printed there and to `log`.
 */
export async function readGreeting(
  child: ChildProcess,
  greeting: RegExp,
  output: string[] = [],
  log: string[] = [],
): Promise<string> {
  if (child.stdout === null) throw new Error('the program has no output');
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => output.push(line));
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const found = greeting.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void Promise.all([once(lines, 'close'), once(child, 'exit')]).then(([, [code, signal]]) => {
      const printed = [...output, ...log].join('\n');
      reject(new Error(`the program ended before it answered, by ${signal ?? code}:\n${printed}`));
    });
  });
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const late = delay(STOP_TIMEOUT_MS, 'late', { ref: false });
  if ((await Promise.race([exited, late])) === 'late') {
    child.kill('SIGKILL');
    await exited;
  }
}

type SpawnOptions = {
  /** Finds the address in a line of the output. */
  greeting: RegExp;
  environment?: NodeJS.ProcessEnv;
  /** Also receives the program's standard output. */
  onOutput?: ((text: string) => void) | undefined;
  /** Receives the program's standard error instead of the terminal. */
  onLog?: ((text: string) => void) | undefined;
};

/** Starts a program in the project's directory. Resolves after its greeting. */
export async function spawnProgram(
  [command = '', ...args]: string[],
  { greeting, environment = { PATH: process.env.PATH }, onOutput, onLog }: SpawnOptions,
): Promise<RunningProgram> {
  requireUninterrupted();
  const child = spawn(command, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (bytes) => onOutput?.(String(bytes)));
  const log: string[] = [];
  let hasGreeted = false;
  child.stderr?.on('data', (bytes) => {
    if (onLog === undefined) process.stderr.write(bytes);
    else onLog(String(bytes));
    if (!hasGreeted) log.push(String(bytes));
  });
  running.set(child, environment.DATA_DIR);
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const giveUp = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS);
  const output: string[] = [];
  const address = await readGreeting(child, greeting, output, log).finally(() => clearTimeout(giveUp));
  hasGreeted = true;
  const { pid } = child;
  if (pid === undefined) throw new Error('the program could not be spawned');
  const [stop, kill] = [() => end(child, 'SIGTERM'), () => end(child, 'SIGKILL')];
  return { address, pid, output, stop, kill, ended, isRunning: () => isRunning(child) };
}

const ANSWERS_AT = /answers at (https?:\S+)/;

/** `npm run mock` on any free port. By default it imports a file in a fifth of a second. */
export const startMock = (...options: string[]) =>
  spawnProgram(
    [process.execPath, 'scripts/mock/mock.ts', '--port', '0', '--import-seconds', '0.2', ...options],
    {
      greeting: ANSWERS_AT,
    },
  );

/** Settings by the names of their environment variables. */
export type Settings = Record<string, string>;

/** The environment of a service and of the command line beside it. */
export const environmentOf = (dataDirectory: string, settings: Settings = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  DATABASE_URL: findGivenUrl(dataDirectory),
  DATA_DIR: dataDirectory,
  PORT: '0',
  LOG_LEVEL: 'warn',
  ...settings,
});

export type StartOptions = {
  settings?: Settings;
  /** A command that runs the program named after it in its own process, as nice(1) does. */
  launcher?: string[];
  /** The file of another Node than the tests run on. */
  node?: string | undefined;
  /** Arguments of Node before the program, for a profiler. */
  nodeArguments?: string[];
  /** Options after the program, such as `--worker`. */
  options?: string[];
} & Pick<SpawnOptions, 'onOutput' | 'onLog'>;

/** Node's arguments in `npm start`: tests and measurements run the service with the same ones. */
function readStartArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }; // the project's own
  };
  return scripts.start.split(' ').slice(1);
}

/** Starts the project's main program on `dataDirectory`. */
function startMain(
  dataDirectory: string,
  greeting: RegExp,
  {
    settings,
    launcher = [],
    node = process.execPath,
    nodeArguments = [],
    options = [],
    ...listeners
  }: StartOptions,
): Promise<RunningProgram> {
  // Vitest runs no `afterAll` where all tests of a file are skipped, and ends its processes by a signal.
  const endsWithTests = ['--import', './bin/end-with-npm.mjs'];
  const command = [
    ...launcher,
    node,
    ...endsWithTests,
    ...nodeArguments,
    ...readStartArguments(),
    ...options,
  ];
  const environment = environmentOf(dataDirectory, settings);
  return spawnProgram(command, { greeting, environment, ...listeners });
}

/**
 * Starts the service on `dataDirectory`. Resolves when it listens.
 * By default it has no rate limit and logs only warnings.
 */
export async function startService(
  dataDirectory: string,
  options: StartOptions = {},
): Promise<RunningService> {
  const program = await startMain(dataDirectory, ANSWERS_AT, options);
  const givenKey = options.settings?.BOOTSTRAP_API_KEY;
  const apiKey = givenKey ?? (await readFile(join(dataDirectory, 'api-key'), 'utf8')).trim();
  return { ...program, apiKey, dataDirectory };
}

type SecondOptions = {
  /** The address of the database, or of a proxy in front of it. */
  databaseUrl?: string;
};

/**
 * Starts a second server on the files and the embedded PostgreSQL of the service on `dataDirectory`.
 * Stop it before the first server, which takes the database with it.
 */
export const startSecondServer = async (
  dataDirectory: string,
  settings: Settings,
  {
    databaseUrl = databaseUrlOf(dataDirectory),
    ...options
  }: Omit<StartOptions, 'settings'> & SecondOptions = {},
): Promise<RunningService> =>
  await startService(dataDirectory, { ...options, settings: { ...settings, DATABASE_URL: databaseUrl } });

/**
 * Starts a worker beside the service on `dataDirectory`. Resolves when it takes jobs.
 * Its address is for its health checks and metrics; empty without WORKER_PORT.
 */
export const startWorker = async (
  dataDirectory: string,
  { settings }: Pick<StartOptions, 'settings'> = {},
): Promise<RunningProgram> =>
  await startMain(dataDirectory, /worker is ready(?:, .* at )?(.*)/, {
    ...(settings && { settings }),
    options: ['--worker'],
  });

/**
 * Ends the PostgreSQL of a killed service if no later start has ended it, and only the PostgreSQL of this directory.
 */
function endOrphanedPostgres(dataDirectory: string): void {
  try {
    const pid = findPostgresPid(dataDirectory);
    if (pid === undefined) return;
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDirectory)) process.kill(pid, 'SIGQUIT');
  } catch {
    // There is none: the usual case.
  }
}

/** An empty data directory, for a service with its embedded PostgreSQL. */
export const makeEmbeddedDirectory = (): Promise<string> =>
  mkdtemp(join(tmpdir(), 'knowledge-retrieval-data-'));

/** An empty data directory, with a new database on the server of CITUS_URL or DATABASE_URL where one is set. */
export async function makeDataDirectory(): Promise<string> {
  const dataDirectory = await makeEmbeddedDirectory();
  await createGivenDatabase(dataDirectory);
  return dataDirectory;
}

/** Removes a data directory with everything that still runs on it. */
export async function removeDataDirectory(dataDirectory: string): Promise<void> {
  // Processes left by a failed test would keep this process's output open, and its caller would wait.
  const children = [...running].filter(([, directory]) => directory === dataDirectory);
  await Promise.all(children.map(([child]) => end(child, 'SIGTERM')));
  endOrphanedPostgres(dataDirectory);
  await dropGivenDatabase(dataDirectory);
  await rm(dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Runs `use` with an empty data directory. Afterwards removes it with everything that still runs on it. */
export async function withDataDirectory<T>(
  use: (dataDirectory: string) => Promise<T>,
  make = makeDataDirectory,
): Promise<T> {
  const dataDirectory = await make();
  return await use(dataDirectory).finally(() => removeDataDirectory(dataDirectory));
}

/** The same on a directory whose service has its embedded PostgreSQL. */
export const withEmbeddedDirectory = <T>(use: (dataDirectory: string) => Promise<T>): Promise<T> =>
  withDataDirectory(use, makeEmbeddedDirectory);

/** Runs `use` with a service on an empty data directory, and stops it afterwards. */
export async function withService<T>(
  use: (service: RunningService) => Promise<T>,
  options: Parameters<typeof startService>[1] = {},
): Promise<T> {
  return await withDataDirectory(
    async (dataDirectory) => await use(await startService(dataDirectory, options)),
  );
}

/**
 * Calls an operation: with a body by POST, without one by GET (`operation` may then have a query).
 * @returns the whole answer: its `data`, and what stands beside it
 * @throws when the answer is not a success
 */
export async function callWhole<Envelope>(
  { address, apiKey }: Pick<RunningService, 'address' | 'apiKey'>,
  operation: string,
  body?: object | string,
): Promise<Envelope> {
  const json = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await fetch(`${address}/v1/${operation}`, {
    headers: { 'x-api-key': apiKey, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { method: 'POST', body: json }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Envelope; // the caller names the operation and knows its answer
}

/** The same, of an answer's `data` alone. */
export const call = async <Data>(
  account: Pick<RunningService, 'address' | 'apiKey'>,
  operation: string,
  body?: object | string,
): Promise<Data> => (await callWhole<{ data: Data }>(account, operation, body)).data;

/** Creates a knowledge base and returns its id. */
export async function createKnowledgeBase(
  service: Pick<RunningService, 'address' | 'apiKey'>,
  name: string,
): Promise<string> {
  return (await call<{ id: string }>(service, 'createKnowledgeBase', { name })).id;
}
