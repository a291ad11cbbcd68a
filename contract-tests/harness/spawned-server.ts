/** Starts a program of the project that serves HTTP, as its users do, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './service-process.ts';

/** A program that has not greeted by then will not. */
const START_TIMEOUT_MS = 60_000;

/** A running program; `address` as its greeting has it, without a trailing slash. */
export type SpawnedServer = {
  address: string;
  /** What it has written to standard output, line by line, up to now. */
  output: string[];
  isRunning(): boolean;
  stop(): Promise<void>;
};

/** The first line of the output in which `greeting` finds an address. */
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
 * Runs a file of the project by Node; resolves when it has greeted.
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
