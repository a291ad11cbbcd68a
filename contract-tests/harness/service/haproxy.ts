/** Starts HAProxy, Debian's package, with the deployment's own configuration. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { end, root, type Settings } from './service-process.ts';

/** Debian installs it where only root's PATH leads. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const START_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/** The file of the program; undefined where it is not installed. */
export const haproxy: string | undefined = FOLDERS.map((folder) => join(folder, 'haproxy')).find((file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

export const PROXY_FILE = join(root, 'scripts/deploy/cluster/haproxy.cfg');

/** Returns what HAProxy complains of in the configuration, with this environment; '': nothing. */
export function lintProxy(environment: Settings): string {
  const { status, stdout, stderr } = spawnSync(haproxy ?? '', ['-c', '-f', PROXY_FILE], {
    encoding: 'utf8',
    env: environment,
  });
  const complaints = [stdout, stderr].join('').replace('Configuration file is valid\n', '').trim();
  return status === 0 ? complaints : complaints || `haproxy ended with ${status}`;
}

async function untilListening(address: string, child: ChildProcess): Promise<void> {
  const stopsAtMs = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < stopsAtMs && child.exitCode === null) {
    const answer = await fetch(address).catch(() => undefined);
    if (answer !== undefined) return void (await answer.text());
    await delay(POLL_INTERVAL_MS);
  }
  throw new Error('HAProxy does not start');
}

/**
 * Starts it. `onLog` receives its log.
 * @returns the address that it listens at; `stop` ends it
 */
export async function startHaproxy(
  port: number,
  environment: Omit<Settings, 'LISTEN'>,
  onLog: (text: string) => void,
): Promise<{ address: string; stop(): Promise<void> }> {
  const env = { ...environment, LISTEN: `127.0.0.1:${port}` };
  const child = spawn(haproxy ?? '', ['-db', '-f', PROXY_FILE], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (bytes) => onLog(String(bytes)));
  child.stderr.on('data', (bytes) => onLog(String(bytes)));
  const address = `http://127.0.0.1:${port}`;
  const stop = () => end(child, 'SIGTERM');
  await untilListening(address, child).catch((error) => stop().then(() => Promise.reject(error)));
  return { address, stop };
}
