/**
 * Reads a cluster's `postmaster.pid`: finds a PostgreSQL that outlived its service, ends it, and removes stale files.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { socketPort } from './postgres-settings.ts';

/** The entries of a running postmaster; `ready`: it accepts connections. */
export type Postmaster = { pid: number; port: number; socketDirectory: string; ready: boolean };

/** Interval between checks whether a process has ended. A fast shutdown takes some 15 ms. */
const pollMilliseconds = 10;

/** Signals of increasing strength (PostgreSQL manual, 18.5), and the time limit of each one. */
const shutdowns: { signal: NodeJS.Signals; milliseconds: number }[] = [
  // Fast: ends sessions, and writes a checkpoint.
  { signal: 'SIGINT', milliseconds: 5_000 },
  // Immediate: leaves recovery to the next start.
  { signal: 'SIGQUIT', milliseconds: 2_000 },
  { signal: 'SIGKILL', milliseconds: 2_000 },
];

/**
 * Sends increasingly strong signals until the process has ended. `ended` waits for the signal's time limit at most, and
 * returns whether the process has ended.
 * @returns false if no signal worked
 */
export async function shutDown(
  send: (signal: NodeJS.Signals) => void,
  ended: (milliseconds: number) => Promise<boolean>,
): Promise<boolean> {
  for (const { signal, milliseconds } of shutdowns) {
    send(signal);
    if (await ended(milliseconds)) return true;
  }
  return false;
}

/** Finds the postmaster that runs on `cluster`; undefined when none does. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const postmaster = readPostmasterFile(cluster);
  return postmaster && runsCluster(postmaster.pid, cluster) ? postmaster : undefined;
}

/**
 * Ends the postmaster that a killed service left on `cluster`, if there is one.
 * @throws if it does not end
 */
export async function endOrphan(cluster: string, onLog: (line: string) => void): Promise<void> {
  const orphan = findPostmaster(cluster);
  if (!orphan) return;
  onLog(`stopping the PostgreSQL (process ${orphan.pid}) that an earlier service left running`);
  const ended = await shutDown(
    (signal) => signalProcess(orphan.pid, signal),
    (milliseconds) => waitUntil(() => !runsCluster(orphan.pid, cluster), milliseconds),
  );
  if (!ended)
    throw new Error(
      `process ${orphan.pid}, an earlier PostgreSQL on ${cluster}, does not end: end it by hand`,
    );
}

/**
 * Removes lock files with the id of a living process other than the postmaster of `cluster`. The id was reused, but
 * PostgreSQL would refuse to start. PostgreSQL itself removes the files of dead processes, with further checks. Call
 * it only as the holder of the directory's lock, and after `endOrphan`.
 */
export function removeStaleLocks(cluster: string, socketDirectory: string): void {
  for (const path of [
    join(cluster, 'postmaster.pid'),
    join(socketDirectory, `.s.PGSQL.${socketPort}.lock`),
  ]) {
    const text = readText(path);
    if (text === undefined) continue;
    const pid = processId(text);
    // An empty file, left by a full disk, prevents PostgreSQL's start as well.
    if (pid === undefined || processExists(pid)) rmSync(path, { force: true });
  }
}

/** Reads the lines of miscadmin.h (LOCK_FILE_LINE_…): pid, data directory, start, port, socket directory, …, status. */
function readPostmasterFile(cluster: string): Postmaster | undefined {
  const text = readText(join(cluster, 'postmaster.pid')) ?? '';
  const pid = processId(text);
  if (pid === undefined) return undefined;
  const [, , , port = '', socketDirectory = '', , , status = ''] = text.split('\n');
  return { pid, port: Number(port), socketDirectory, ready: status.trim() === 'ready' };
}

/** Parses the process id in a lock file's first line; a single-user backend writes it negated. */
function processId(text: string): number | undefined {
  const pid = Math.abs(Number.parseInt(text, 10));
  return pid > 0 ? pid : undefined;
}

/** Reads a file; undefined when it does not exist, its parent is a file, or, below /proc, the process has ended. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}

/** Whether this process is a PostgreSQL started on `cluster`. A zombie has no command line, so it is none. */
function runsCluster(pid: number, cluster: string): boolean {
  const command = commandLine(pid);
  const start = command.indexOf(` -D ${cluster} `);
  const program = start < 0 ? (command.split(' ')[0] ?? '') : command.slice(0, start);
  return /(^|\/)postgres$/.test(program) && (start > 0 || workingDirectory(pid) === cluster);
}

/** Returns program and arguments, each followed by a space; '' if there is no such process. */
function commandLine(pid: number): string {
  if (process.platform === 'linux') return (readText(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ');
  return `${spawnSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()} `;
}

/** Returns the working directory: for a postmaster, the real path of its data directory. Undefined when unknown. */
function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Polls, because no event reports the end of a process that is not our child. */
async function waitUntil(condition: () => boolean, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await delay(pollMilliseconds);
  }
  return true;
}
