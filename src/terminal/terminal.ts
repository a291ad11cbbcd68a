/** Prints the output of the command line. */
import { styleText } from 'node:util';
import { codeOf, reasonOf } from '../terms/problem.ts';

let isOutputLost = false;

/** Whether standard output can still be written: false after a reader has stopped early, as `| head` does. */
export const hasReader = (): boolean => !isOutputLost;

/** Prints a line of the result, on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a value as one line of JSON, on standard output. */
export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Prints a message beside the result, on standard error. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Lets the process continue when output cannot be written. `onLoss` receives the first error of standard output. */
export function outliveOutput(onLoss: (error: Error) => void = () => {}): void {
  const onError = (error: Error) => {
    isOutputLost = true;
    onLoss(error);
  };
  process.stdout.once('error', onError).on('error', () => {});
  process.stderr.on('error', () => {});
}

/**
 * Reports output that cannot be written, and sets the exit status 1. A full disk is a failure; a reader that stops
 * early (`| head`) is none.
 */
export function failWithoutOutput(): void {
  outliveOutput((error) => {
    if (codeOf(error) === 'EPIPE') return;
    note(`The output could not be written: ${reasonOf(error)}`);
    process.exitCode = 1;
  });
}

/** The columns of the terminal; undefined: standard output is none, and lines may have any length. */
export const terminalColumns = (): number | undefined =>
  process.stdout.isTTY ? process.stdout.columns : undefined;

/** Styles text of standard output. Plain where that is no terminal, or NO_COLOR is set. */
export const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  text === '' ? '' : styleText(format, text, { stream: process.stdout });

/** Characters that reverse the rest of a line. Terminals order right-to-left text without them. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text from elsewhere for a terminal, which would obey control characters: they become spaces. Line ends and tabs stay.
 */
export const toVisible = (text: string): string =>
  text.replaceAll(/(?![\n\t])\p{Cc}/gu, ' ').replaceAll(BIDI_CONTROLS, '');

/** Like `toVisible`, in one line. */
export const toVisibleLine = (text: string): string => toVisible(text).replaceAll(/\s+/g, ' ').trim();
