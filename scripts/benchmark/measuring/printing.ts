/** What all benchmarks print and write: their figures, and the conditions of these. */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { type Figure, formatTable, isMet, type Report } from './figures.ts';

/** A part of the benchmark with its options. */
export type Measurement = { name: string; measure(report: Report): Promise<void> };

type PartResult = { part: string; figures: Figure[]; notes: string[] };

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The conditions of the figures. The load average shows whether the machine had other work. */
export const describeMachine = () => ({
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryBytes: totalmem(),
  loadAverage: loadavg()[0] ?? 0,
});

async function runPart({ name, measure }: Measurement): Promise<PartResult> {
  const result: PartResult = { part: name, figures: [], notes: [] };
  await measure({
    progress: (text) => print(`… ${name}: ${text}`),
    note: (text) => void result.notes.push(text),
    figure: (figure) => void result.figures.push(figure),
  });
  return result;
}

function printResult({ part, figures, notes }: PartResult): void {
  print(`\n${part}`);
  process.stdout.write(formatTable(figures));
  for (const note of notes) print(note);
  print('');
}

/** Runs the measurements one after the other, and prints their figures; also writes them to `jsonFile`. */
export async function runReports(measurements: Measurement[], jsonFile: string | undefined): Promise<void> {
  const machine = describeMachine();
  const load = machine.loadAverage.toFixed(1);
  print(`${machine.cores} cores (${machine.processor}), Node ${machine.node}, load before the start ${load}`);
  const results: PartResult[] = [];
  for (const measurement of measurements) {
    const result = await runPart(measurement);
    printResult(result);
    results.push(result);
  }
  const measured = { measuredAt: new Date().toISOString(), machine, parts: results };
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(measured, null, 2)}\n`);
  const missed = results.flatMap(({ figures }) => figures.filter((figure) => isMet(figure) === false));
  print(missed.length === 0 ? 'Every target is met.' : `${missed.length} targets are missed.`);
}
