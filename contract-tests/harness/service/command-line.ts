/** Runs the command line, beside a service or alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { environmentOf, root } from './service-process.ts';

/** Starts the command line in this environment. */
export const startCommand = (environment: NodeJS.ProcessEnv, ...args: string[]) =>
  spawn(process.execPath, ['bin/knowledge-retrieval.mjs', ...args], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs the command line in this environment. Returns its output and its exit code. */
export async function spawnCommand(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const child = startCommand(environment, ...args);
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
