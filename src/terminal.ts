/** What the command line prints for the person who typed it. */
import { codeOf, reasonOf } from './problem.ts';

/** The result, on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What is told beside the result, on standard error. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Lets work go on whose output nobody can take any more; `onLoss` hears of standard output's first error. */
export function outliveOutput(onLoss: (error: Error) => void = () => {}): void {
  process.stdout.once('error', onLoss).on('error', () => {});
  process.stderr.on('error', () => {});
}

/** A reader that has seen enough (`| head`) is no failure; a full disk is. */
export function failWithoutOutput(): void {
  outliveOutput((error) => {
    if (codeOf(error) === 'EPIPE') return;
    tell(`The output could not be written: ${reasonOf(error)}`);
    process.exitCode = 1;
  });
}

/** Columns as wide as their longest value, two spaces between. */
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
