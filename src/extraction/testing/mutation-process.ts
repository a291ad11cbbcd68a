/**
 * Extracts a file many times with different random damage, in one process with the usual limits.
 * The file's name is JSON of a `MutationTask`. The message of its result is JSON of a `MutationReport`.
 */
import { extractFile } from '../extract.ts';
import type { ResultHead } from '../sandbox/extraction-process.ts';
import { mutations } from './mutations.ts';
import { readOnlyFile } from './read-only-file.ts';

export type MutationTask = { fileName: string; seed: number; count: number };

/** The count of each error code (or `text`), the longest processor time, and the thrown errors with their seeds. */
export type MutationReport = { outcomes: Record<string, number>; slowestMs: number; thrown: string[] };

const { head: given, bytes: good } = await readOnlyFile();
const task = JSON.parse(given.fileName) as MutationTask; // the test wrote it

const report: MutationReport = { outcomes: {}, slowestMs: 0, thrown: [] };
for (const { bytes, seed } of mutations(good, task)) {
  const before = process.cpuUsage();
  try {
    const extraction = await extractFile({ fileName: task.fileName, bytes });
    const outcome = 'failure' in extraction ? extraction.failure.code : 'text';
    report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
  } catch (error) {
    report.thrown.push(`${seed}: ${error instanceof Error ? error.stack : error}`.slice(0, 600));
  }
  const { user, system } = process.cpuUsage(before);
  report.slowestMs = Math.max(report.slowestMs, (user + system) / 1000);
}
const failure = { code: 'INTERNAL_ERROR' as const, message: JSON.stringify(report) };
const head: ResultHead = { number: given.number, extraction: { type: 'unknown', failure }, textBytes: 0 };
process.stdout.write(`${JSON.stringify(head)}\n`);
