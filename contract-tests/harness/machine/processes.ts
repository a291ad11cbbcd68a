/** Observes processes from outside by Linux's /proc (proc(5)). On other systems it finds nothing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Fields of /proc/<pid>/stat after the program's name, which may itself contain blanks and brackets. */
export function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // It has ended, or this is no Linux.
  }
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
