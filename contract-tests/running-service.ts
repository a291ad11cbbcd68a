/** Starts services for black-box tests, each on a database of its own, and runs the command line beside them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** `address`: `http://127.0.0.1:<port>`; `dataDirectory`: what the command line needs beside the service. */
export type RunningService = { address: string; dataDirectory: string };

/** Settings by the names of the environment variables. */
export type Settings = Record<string, string>;

const root = fileURLToPath(new URL('..', import.meta.url));

/** The settings of the tests: every answer is held against the spec, and the tests' own pace is not limited. */
const environmentOf = (dataDirectory: string, settings: Settings): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  DATA_DIR: dataDirectory,
  PORT: '0',
  VALIDATE_RESPONSES: 'true',
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
  ...settings,
});

/** Runs the command line beside the service with this data directory; gives what it printed. */
export async function runCommand(dataDirectory: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    cwd: root,
    env: environmentOf(dataDirectory, {}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`knowledge-retrieval ${args.join(' ')} ended with ${code}: ${complaints}`);
  return output.trim();
}

/** The address from the greeting; a service that ends before it rejects. */
async function addressOf(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('the service has no output');
  for await (const line of createInterface(service.stdout)) {
    const address = /answers at (http:\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the service ended before it answered');
}

/**
 * Starts a service in a temporary directory, with the tests' settings and these.
 * @returns where it is, the key of its first account, and `stop`, which ends it and removes the directory.
 */
export async function startService(settings: Settings = {}) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-contract-'));
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: environmentOf(dataDirectory, settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDirectory, { recursive: true, force: true });
  };
  const address = await addressOf(child).catch(async (error) => {
    await stop();
    throw error;
  });
  const apiKey = (await readFile(join(dataDirectory, 'api-key'), 'utf8')).trim();
  return { address, dataDirectory, apiKey, stop };
}
