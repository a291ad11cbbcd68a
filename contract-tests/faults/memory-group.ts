/** Limits the memory of processes as a container does: by a control group of Linux, version 1 or 2 (cgroups(7)). */
import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The directory of each version's groups, and the names of its files. */
const VERSIONS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events' },
];

export type MemoryGroup = {
  /** A command that runs the program named after it inside the group. */
  launcher: [string, ...string[]];
  /** The number of processes that the kernel killed because the group's memory was full. */
  readKills(): number;
};

/** A new group without processes; undefined where this user cannot create one. */
function makeGroup(limitBytes: number) {
  for (const { root, ...files } of VERSIONS) {
    let directory: string;
    try {
      directory = mkdtempSync(join(root, 'knowledge-retrieval-'));
    } catch {
      continue;
    }
    const limit = join(directory, files.limit);
    // In version 2 a group has this file only if its parent controls memory.
    if (existsSync(limit)) {
      writeFileSync(limit, String(limitBytes));
      return { directory, files };
    }
    rmdirSync(directory);
  }
  return undefined;
}

const REMOVAL_TRIES = 100;
const REMOVAL_INTERVAL_MS = 100;

/** Ends the processes of a group, and removes it. */
async function removeGroup(directory: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    const pids = readFileSync(join(directory, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has just ended by itself.
      }
    }
    try {
      return rmdirSync(directory);
    } catch (error) {
      if (tried === REMOVAL_TRIES) throw error;
    }
    await delay(REMOVAL_INTERVAL_MS);
  }
}

/** Whether this user may limit the memory of processes. Only root on Linux may, with a writable /sys/fs/cgroup. */
export function mayLimitMemory(): boolean {
  const group = makeGroup(2 ** 30);
  if (group === undefined) return false;
  rmdirSync(group.directory);
  return true;
}

/** Runs `use` with a group of `limitBytes`. Then ends the processes of the group, and removes it. */
export async function withMemoryGroup<T>(
  limitBytes: number,
  use: (group: MemoryGroup) => Promise<T>,
): Promise<T> {
  const group = makeGroup(limitBytes);
  if (group === undefined) throw new Error('this user may not create a control group for memory');
  const { directory, files } = group;
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  try {
    return await use({
      launcher: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(directory, 'cgroup.procs')],
      readKills: () => Number(/^oom_kill (\d+)$/m.exec(read(files.kills))?.[1]),
    });
  } finally {
    await removeGroup(directory);
  }
}
