/** How many processes and threads Linux allows. A server that may have too few starts, and ends amid its work. */
import { readFileSync } from 'node:fs';
import type { Problem } from '../terms/problem.ts';

/**
 * What a server takes under light load: 24 when it has started, 43 with a file and seven queries at once, on two cores
 * with the embedded database. Of 40, its threads run out at the eighth import.
 */
const LEAST_PROCESSES = 64;

/** The cgroup of a container, in version 2 and 1. */
const CGROUP_FILES = ['/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/pids/pids.max'];

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The number in a text; none, `max` and `unlimited` are no limit. */
const limitIn = (text: string | undefined): number =>
  text && /^\d+$/.test(text.trim()) ? Number(text) : Infinity;

/** The smallest limit of this process's user and container; Infinity: none is known. */
function findProcessLimit(): number {
  const ofUser = /^Max processes +(\S+)/m.exec(read('/proc/self/limits'))?.[1];
  const isRoot = process.geteuid?.() === 0; // whom the limit of users does not bind
  return Math.min(...(isRoot ? [] : [limitIn(ofUser)]), ...CGROUP_FILES.map((file) => limitIn(read(file))));
}

/** Why a server would run out of processes; undefined: it would not. `limit`: by default this machine's. */
export function findTooFewProcesses(limit = findProcessLimit()): Problem | undefined {
  if (limit >= LEAST_PROCESSES) return undefined;
  return {
    problem: `The service may have ${limit} processes and threads here, and a server takes about a hundred.`,
    remedy: 'Let this user have more processes (ulimit -u, or pids of the container).',
  };
}
