/** Prints the output of the command line. */
import { codeOf, reasonOf } from './problem.ts';

/** Prints a line of the result, on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a message beside the result, on standard error. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Lets the process continue when output cannot be written. `onLoss` receives the first error of standard output. */
export function outliveOutput(onLoss: (error: Error) => void = () => {}): void {
  process.stdout.once('error', onLoss).on('error', () => {});
  process.stderr.on('error', () => {});
}

/**
 * Reports output that cannot be written, and sets the exit status 1. A full disk is a failure; a reader that stops
 * early (`| head`) is none.
 */
export function failWithoutOutput(): void {
  outliveOutput((error) => {
    if (codeOf(error) === 'EPIPE') return;
    tell(`The output could not be written: ${reasonOf(error)}`);
    process.exitCode = 1;
  });
}

/** Prints columns as wide as their longest value, with two spaces between. */
export function printTable(rows: Record<string, string>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [Object.fromEntries(columns.map((column) => [column, column])), ...rows];
  const width = (column: string) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  for (const line of lines)
    print(
      columns
        .map((column) => line[column]?.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    );
}
