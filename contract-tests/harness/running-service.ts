/** Starts services for black-box tests, each on a database of its own, and runs the command line beside them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environmentOf, root, type Settings, startService as spawnService } from './service-process.ts';

/** `address`: `http://127.0.0.1:<port>`. `dataDirectory`: for the command line beside the service. */
export type RunningService = { address: string; dataDirectory: string };

/** Starts the command line in this environment. */
const startCommandIn = (environment: NodeJS.ProcessEnv, args: string[]) =>
  spawn(process.execPath, ['bin/knowledge-retrieval.mjs', ...args], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Starts the command line beside the service with this data directory. */
export const startCommand = (dataDirectory: string, ...args: string[]) =>
  startCommandIn(environmentOf(dataDirectory), args);

/** Runs the command line in the environment of a service. Returns its output and its exit code. */
export async function spawnCommand(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const child = startCommandIn(environment, args);
  const [output, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { output, complaints, code };
}

/** Runs the command line beside the service with this data directory. Returns its output. */
export async function runCommand(dataDirectory: string, ...args: string[]): Promise<string> {
  const { output, complaints, code } = await spawnCommand(environmentOf(dataDirectory), ...args);
  if (code !== 0)
    throw new Error(`knowledge-retrieval ${args.join(' ')} ended with ${code}: ${complaints}${output}`);
  return output.trim();
}

/**
 * Starts a service in a temporary directory with these settings. The service checks its own answers against the spec.
 * @returns where it is, the key of its first account, and `stop`, which ends it and removes the directory
 */
export async function startService(
  settings: Settings = {},
  options: Omit<NonNullable<Parameters<typeof spawnService>[1]>, 'settings'> = {},
) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-contract-'));
  const service = await spawnService(dataDirectory, {
    settings: { VALIDATE_RESPONSES: 'true', ...settings },
    ...options,
  });
  const stop = async () => {
    await service.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  return { ...service, stop };
}
