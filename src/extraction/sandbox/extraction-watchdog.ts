/**
 * Watches over the memory of a process that reads a file, from outside of it: what the file makes it do cannot reach
 * this.
 */
import { readFileSync } from 'node:fs';
import { MEMORY_MAX } from '../extraction-limits.ts';

/** Memory grows by about 100 MB meanwhile at worst; what a busy server misses, the kernel refuses beyond its bound. */
const INTERVAL_MS = 50;

/** Bytes that the process uses; undefined: it has ended, or this system does not say. */
function memoryOf(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Calls `onExceeded` when the process takes too much memory; gives what ends the watch. */
export function watchMemory(pid: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if ((memoryOf(pid) ?? 0) > MEMORY_MAX) onExceeded();
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}
