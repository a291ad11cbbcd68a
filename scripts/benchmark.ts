/** `npm run benchmark -- [part…] [--json FILE]`: measures freshly started services and holds the figures against their targets. */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type Figure, formatTable, isMet, type Report } from './benchmark/figures.ts';
import { measureFileUpload } from './benchmark/file-upload.ts';
import { measureRequestRate } from './benchmark/request-rate.ts';
import { measureStartTime } from './benchmark/start-time.ts';
import { measureTextImport } from './benchmark/text-import.ts';
import { interruptServices } from './service-process.ts';

/** Every part by its name; all of them together end within five minutes. */
const parts: Record<string, (report: Report) => Promise<void>> = {
  get: measureRequestRate,
  import: measureTextImport,
  start: measureStartTime,
  upload: measureFileUpload,
};

const usage = `npm run benchmark -- [part…] [--json FILE]\n  parts: ${Object.keys(parts).join(', ')}; none: all of them\n`;

type PartResult = { part: string; figures: Figure[]; notes: string[] };

const print = (line: string) => process.stdout.write(`${line}\n`);

async function runPart(part: string, measure: (report: Report) => Promise<void>): Promise<PartResult> {
  const result: PartResult = { part, figures: [], notes: [] };
  await measure({
    progress: (text) => print(`… ${part}: ${text}`),
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

/** What the figures depend on; the load tells whether the machine had other work. */
const describeMachine = () => ({
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryBytes: totalmem(),
  loadAverage: loadavg()[0] ?? 0,
});

async function run(names: string[], jsonFile: string | undefined): Promise<void> {
  const machine = describeMachine();
  const load = machine.loadAverage.toFixed(1);
  print(`${machine.cores} cores (${machine.processor}), Node ${machine.node}, load before the start ${load}`);
  const results: PartResult[] = [];
  for (const name of names) {
    const measure = parts[name];
    if (measure === undefined) throw new Error(`there is no part ${name}\n${usage}`);
    const result = await runPart(name, measure);
    printResult(result);
    results.push(result);
  }
  const measured = { measuredAt: new Date().toISOString(), machine, parts: results };
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(measured, null, 2)}\n`);
  const missed = results.flatMap(({ figures }) => figures.filter((figure) => isMet(figure) === false));
  print(missed.length === 0 ? 'Every target is met.' : `${missed.length} targets are missed.`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(usage);
} else {
  process.once('SIGINT', interruptServices).once('SIGTERM', interruptServices);
  try {
    await run(positionals.length > 0 ? positionals : Object.keys(parts), values.json);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
