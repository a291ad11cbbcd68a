/** Reads the arguments of scripts by commander, as the command line of the service does. */
import { existsSync, realpathSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';

/**
 * The command `npm run <name>`, with `--help`. A wrong argument ends the script with a sentence and the help text; exit
 * code 1.
 */
export const scriptCommand = (name: string): Command =>
  new Command(`npm run ${name} --`).showHelpAfterError();

/** Whether the process was started by this file, whose path is absolute, and not by one that imports it. */
export const isMain = (file: string): boolean =>
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === file;

/** A command that runs tests, by default all. */
export const testCommand = (name: string): Command =>
  scriptCommand(name)
    .argument('[name...]', 'only the files whose paths contain one of these')
    .option('--only <pattern>', 'only the tests whose titles match this regular expression');

/** Reads the path of a folder that exists. */
export function readFolder(path: string): string {
  if (existsSync(path)) return path;
  throw new InvalidArgumentError(`There is no folder ${path}.`);
}

/** Reads a whole number above 0, as typed: `10_000`. */
export function readCount(typed: string): number {
  const count = Number(typed.replaceAll('_', ''));
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError(`${typed} is not a whole number above 0.`);
}

/** Reads several of them, separated by commas. */
export const readCounts = (typed: string): number[] => typed.split(',').map(readCount);
