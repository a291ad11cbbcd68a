/** What the options of several commands share: how they are read, and the error of a wrong one. */
import { type Command, InvalidArgumentError } from 'commander';
import { parseJson } from '../client/errors.ts';
import { FilterTextError, parseFilterText } from '../formats/filter-text.ts';

/** An example of a filter, for help and errors. */
export const FILTER_EXAMPLE = 'year >= 2025 and team = sales';

/** An error of a command: one sentence for the user at the terminal. */
export class CommandError extends Error {}

/** Parses a whole number. JSON and PostgreSQL allow larger numbers than JavaScript represents exactly. */
export const wholeNumber =
  (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`A whole number from ${min} to ${max}, please.`);
  };

/** Parses a number between 0 and 1. */
export function share(text: string): number {
  const number = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number <= 1) return number;
  throw new InvalidArgumentError('A number from 0 to 1, please, such as 0.15.');
}

/** Parses a JSON object. `example`: one for the error. */
export const jsonObject =
  (example: string) =>
  (text: string): Record<string, unknown> => {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>; // an object of JSON
    throw new InvalidArgumentError(`A JSON object, please, such as '${example}'.`);
  };

/** A filter as text or in JSON, as it was given: the service reads it too, and checks its bounds. */
export function filterText(text: string): string {
  try {
    parseFilterText(text);
    return text;
  } catch (error) {
    if (!(error instanceof FilterTextError)) throw error;
    throw new InvalidArgumentError(`The filter is wrong ${error.message}. For example: ${FILTER_EXAMPLE}`);
  }
}

/** Collects the values of an option that is given several times, each once. */
export const collect = (value: string, previous: string[] = []): string[] => [
  ...new Set([...previous, value]),
];

export type JsonOption = { json?: boolean };

/** Adds `--json`. Every command prints one JSON value a line with it, also where there are many. */
export const withJson = (command: Command, what = 'print JSON, one line for each result'): Command =>
  command.option('--json', what);
