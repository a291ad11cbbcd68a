/** What all benchmarks print and write: lines, and the conditions of their figures. */
import { cpus, loadavg, totalmem } from 'node:os';

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The conditions of the figures. The load average shows whether the machine had other work. */
export const describeMachine = () => ({
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryBytes: totalmem(),
  loadAverage: loadavg()[0] ?? 0,
});
