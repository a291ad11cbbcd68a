/** Starts a program of the project that serves HTTP, as its users do, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './service-process.ts';

/** A program without a greeting after this time has failed. */
const START_TIMEOUT_MS = 60_000;

/** A running program; `address` from its greeting, without a trailing slash. */
export type SpawnedServer = {
  address: string;
  /** Its standard output so far, by lines. */
  output: string[];
  isRunning(): boolean;
  stop(): Promise<void>;
};

/** The first address that `greeting` finds in a line of the output. */
async function readAddress(child: ChildProcess, greeting: RegExp, output: string[]): Promise<string> {
  if (child.stdout === null) throw new Error('the program has no output');
  const lines = createInterface(child.stdout);
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      output.push(line);
      const [, address] = greeting.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    lines.on('close', () => reject(new Error(`the program ended early:\n${output.join('\n')}`)));
  });
}

/**
 * Runs a file of the project with Node. Resolves after its greeting.
 * @param greeting finds the address in a line of its output
 */
export async function spawnServer(
  [file, ...options]: [string, ...string[]],
  greeting: RegExp,
): Promise<SpawnedServer> {
  const child = spawn(process.execPath, [file, ...options], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output: string[] = [];
  const giveUp = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const address = await readAddress(child, greeting, output).finally(() => clearTimeout(giveUp));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!isRunning()) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  return { address, output, isRunning, stop };
}

/** `npm run mock` on any free port. */
export const startMock = () => spawnServer(['scripts/mock.ts', '--port', '0'], /answers at (http:\S+)/);
