/** Looks at processes from outside, by Linux's /proc (proc(5)), and gives them cores; elsewhere it finds nothing. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Ticks a second of the times in /proc/<pid>/stat: USER_HZ, 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Fields of /proc/<pid>/stat behind the program's name, which may itself hold blanks and brackets. */
function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // It has ended, or this is no Linux.
  }
}

/** Seconds of processor time that these processes have used so far, all threads together; 0 for those that are gone. */
export function readCpuSeconds(pids: number[]): number {
  const ticks = pids.map((pid) => {
    const stat = readStat(pid);
    return Number(stat?.[11] ?? 0) + Number(stat?.[12] ?? 0); // utime, stime
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

/** Seconds of processor time that the children of a process used which have ended by now. */
export function readEndedCpuSeconds(pid: number): number {
  const stat = readStat(pid);
  return (Number(stat?.[13] ?? 0) + Number(stat?.[14] ?? 0)) / TICKS_PER_SECOND; // cutime, cstime
}

/** Bytes of memory that a process has resident; 0 where that cannot be known. */
export function readResidentBytes(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Bytes of memory that processes take together, what they share counted once; 0 where that cannot be known. */
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

/** The processes below `ancestor`, their children's included. */
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

/** The first two cores that this process may use; undefined: there are not two, or no taskset(1) to give them. */
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

/** Keeps these processes, with the threads and children that they will have, on one core. */
export function pinTo(core: number, pids: number[]): void {
  for (const pid of pids) {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
  }
}
