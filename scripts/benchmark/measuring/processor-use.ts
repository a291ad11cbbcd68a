/** Measures processor time and shared memory by Linux's /proc (proc(5)), and pins processes to cores. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { findDescendants, readStat } from '../../../contract-tests/harness/machine/processes.ts';

/** Ticks a second in /proc/<pid>/stat: USER_HZ, 100 on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

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

const isPostgres = (pid: number): boolean => {
  try {
    return /^[^\0]*postgres/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
};

/** The processes of PostgreSQL below `ancestor`. */
export const findPostgresProcesses = (ancestor: number): number[] =>
  findDescendants(ancestor).filter(isPostgres);

/** Seconds of processor time so far of some programs with all their processes: those of PostgreSQL, and the others. */
export type ProcessorUse = { database: number; servers: number };

/** The use of the programs `pids`. PostgreSQL's connections are processes, which end, so their time counts as well. */
export function readProcessorUse(pids: number[]): ProcessorUse {
  const all = [...new Set(pids.flatMap((pid) => [pid, ...findDescendants(pid)]))];
  const database = all.filter(isPostgres);
  const servers = all.filter((pid) => !database.includes(pid));
  const ended = database.reduce((sum, pid) => sum + readEndedCpuSeconds(pid), 0);
  return { database: readCpuSeconds(database) + ended, servers: readCpuSeconds(servers) };
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
