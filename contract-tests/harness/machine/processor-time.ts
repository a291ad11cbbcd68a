/** Processor time: other work on the machine does not add to it, as it does to wall time. */
import { readStat } from './processes.ts';

/** The processor time in milliseconds that `act` takes in this thread. */
export async function usedMsOf(act: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Linux counts processor time in hundredths of a second: USER_HZ, see proc_pid_stat(5). */
const TICK_MS = 10;

/** The first of four fields: user and system time of the process, then of its ended children. */
const UTIME = 11;

/** The processor time of a process in milliseconds, its ended children included; 0 where it is unknown. */
export const usedMsBy = (pid: number): number =>
  (readStat(pid)?.slice(UTIME, UTIME + 4) ?? []).reduce((ticks, field) => ticks + Number(field), 0) * TICK_MS;
