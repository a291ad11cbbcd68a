/** Watches the memory of an extraction process from outside, where the file cannot influence it. */
import { readFileSync } from 'node:fs';
import { MEMORY_MAX } from '../extraction-limits.ts';

/**
 * Memory grows by about 100 MB between two checks at worst. If a busy server misses that, the kernel's limit applies.
 */
const INTERVAL_MS = 50;

/** Bytes that the process uses; undefined where it has ended, or this system does not report it. */
export function memoryOf(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Calls `onExceeded` when the process takes too much memory. Returns a function that ends the watch. */
export function watchMemory(pid: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if ((memoryOf(pid) ?? 0) > MEMORY_MAX) onExceeded();
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}
