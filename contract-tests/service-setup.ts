/** Starts one service for all black-box tests, on a database of its own, with two accounts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the service answers, `http://127.0.0.1:<port>`. */
    address: string;
    /** The key of the account that most tests use, and one of an account that owns nothing of the first one's. */
    apiKey: string;
    otherApiKey: string;
    /** For tests that run the command line beside the service. */
    dataDirectory: string;
  }
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** The settings of the tests: every answer is held against the spec, and the tests' own pace is not limited. */
const environmentOf = (dataDirectory: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  DATA_DIR: dataDirectory,
  PORT: '0',
  VALIDATE_RESPONSES: 'true',
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
});

/** Runs the command line beside the service; gives what it printed. */
async function runCommand(dataDirectory: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    cwd: root,
    env: environmentOf(dataDirectory),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`knowledge-retrieval ${args.join(' ')} ended with ${code}`);
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

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-contract-'));
  const service = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: environmentOf(dataDirectory),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  project.provide('address', await addressOf(service));
  project.provide('dataDirectory', dataDirectory);
  project.provide('apiKey', (await readFile(join(dataDirectory, 'api-key'), 'utf8')).trim());
  await runCommand(dataDirectory, 'accounts', 'create', 'other');
  project.provide('otherApiKey', await runCommand(dataDirectory, 'keys', 'create', '--account', 'other'));
  return async () => {
    service.kill('SIGTERM');
    await ended;
    await rm(dataDirectory, { recursive: true, force: true });
  };
}
