/**
 * How much other work slows this machine down. A test multiplies a limit of wall time with it. The processes of the
 * test cannot raise it, however much they do: what they use themselves counts as available, like an idle core.
 *
 * On a full machine a test that asks for little processor time gets a larger value than it is slowed down: others take
 * what it leaves them.
 *
 * A busy loop whose wall time is divided by its processor time would need no /proc. But a service at fault that keeps
 * all cores busy would slow the loop down too, and thereby raise its own limit.
 */
import { readFileSync } from 'node:fs';
import { findDescendants } from './processes.ts';
import { usedMsBy } from './processor-time.ts';

/** Times of all cores together, in milliseconds since the start of the machine. `own`: the times of this test. */
export type MachineTimes = { idleMs: number; busyMs: number; ownMs: number };

const TICK_MS = 10;

/**
 * Of the first line of /proc/stat, in ticks (proc_stat(5)); `guest` and `guest_nice` are parts of `user` and `nice`.
 */
function readMachine(): { idleMs: number; busyMs: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, ...interrupts] = line
    .replace(/^cpu +/, '')
    .split(' ')
    .map(Number);
  const others = interrupts.slice(0, 3).reduce((sum, ticks) => sum + ticks, 0); // irq, softirq, steal
  return {
    idleMs: (idle + iowait) * TICK_MS,
    busyMs: (user + nice + system + others) * TICK_MS,
  };
}

/** This process and all that it has started, with theirs. */
const readOwnMs = (): number =>
  [process.pid, ...findDescendants(process.pid)].reduce((sum, pid) => sum + usedMsBy(pid), 0);

/** The times now. Undefined where there is no /proc. */
export function readMachineTimes(): MachineTimes | undefined {
  try {
    return { ...readMachine(), ownMs: readOwnMs() };
  } catch {
    return undefined;
  }
}

/** All time of the cores between two readings, divided by what others left of it. */
export function slowdownOf(before: MachineTimes, after: MachineTimes): number {
  const [idleMs, busyMs] = [after.idleMs - before.idleMs, after.busyMs - before.busyMs];
  const ownMs = Math.min(busyMs, Math.max(0, after.ownMs - before.ownMs));
  return Math.max(1, (idleMs + busyMs) / Math.max(TICK_MS, idleMs + ownMs));
}

/**
 * Begins to measure. The returned function returns the slowdown since then: 1 on a machine without other work, 2 when
 * others took half of the processor time. Always 1 where there is no /proc.
 */
export function measureSlowdown(): () => number {
  const before = readMachineTimes();
  return () => {
    const after = readMachineTimes();
    return before === undefined || after === undefined ? 1 : slowdownOf(before, after);
  };
}
