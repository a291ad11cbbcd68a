/**
 * Observes processes from outside by Linux's /proc (proc(5)), and pins them to cores. On other systems it finds
 * nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Ticks a second in /proc/<pid>/stat: USER_HZ, 100 on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

/** Fields of /proc/<pid>/stat after the program's name, which may itself contain blanks and brackets. */
function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // It has ended, or this is no Linux.
  }
}

/** Seconds of processor time of these processes so far, all threads together; 0 for those that have ended. */
export function readCpuSeconds(pids: number[]): number {
  const ticks = pids.map((pid) => {
    const stat = readStat(pid);
    return Number(stat?.[11] ?? 0) + Number(stat?.[12] ?? 0); // utime, stime
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

/** Seconds of processor time of a process's children that have ended. */
export function readEndedCpuSeconds(pid: number): number {
  const stat = readStat(pid);
  return (Number(stat?.[13] ?? 0) + Number(stat?.[14] ?? 0)) / TICKS_PER_SECOND; // cutime, cstime
}

/** Resident memory of a process in bytes; 0 where it is unknown. */
export function readResidentBytes(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Memory of several processes in bytes, with shared pages counted once; 0 where it is unknown. */
export function readSharedOnceBytes(pids: number[]): number {
  const kibibytes = pids.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0; // It has ended, or this is no Linux.
    }
  });
  return kibibytes.reduce((sum, count) => sum + count, 0) * 1024;
}

/** The processes of PostgreSQL below `ancestor`. */
export const findPostgresProcesses = (ancestor: number): number[] =>
  findDescendants(ancestor).filter((pid) => {
    try {
      return /^[^\0]*postgres/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      return false;
    }
  });

/** All descendants of `ancestor`. */
export function findDescendants(ancestor: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const childrenOf = Map.groupBy(pids.map(Number), (pid) => Number(readStat(pid)?.[1])); // ppid
  const found: number[] = [];
  for (let parents = [ancestor]; parents.length > 0; ) {
    parents = parents.flatMap((pid) => childrenOf.get(pid) ?? []);
    found.push(...parents);
  }
  return found;
}

/** The first two cores that this process may use; undefined without two cores, or without taskset(1). */
export function findTwoCores(): [number, number] | undefined {
  if (availableParallelism() < 2) return undefined;
  try {
    const list = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
    const cores = (list.split(':').at(-1) ?? '').split(',').flatMap((range) => {
      const [first = 0, last = first] = range.trim().split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
    return cores[0] === undefined || cores[1] === undefined ? undefined : [cores[0], cores[1]];
  } catch {
    return undefined;
  }
}

/** Pins these processes, with their future threads and children, to one core. */
export function pinTo(core: number, pids: number[]): void {
  for (const pid of pids) {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
  }
}
