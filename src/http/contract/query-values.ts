/** Turns the numbers, the JSON and the filters of a query string, which holds only text, into values. */
import { validationFailed } from '../../terms/errors.ts';
import { FILTER, readFilter } from './filter-values.ts';
import { holdsMoreValues, VALUES_MAX } from './request-body.ts';

/** The names of an operation's parameters that are no text. `json`: objects in JSON. */
export type TypedParameters = { numbers: string[]; json: string[] };

/** A whole number without an exponent, as JSON writes it. */
const WHOLE_NUMBER = /^(0|-?[1-9][0-9]*)$/;

const readNumber = (text: string): unknown => (WHOLE_NUMBER.test(text) ? Number(text) : text);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readJson(text: string, name: string): unknown {
  const refuse = (reason: string) => validationFailed([], { [name]: [reason] });
  if (holdsMoreValues(Buffer.from(text), VALUES_MAX)) throw refuse(`must hold ${VALUES_MAX} values at most`);
  const filter = name === FILTER ? readFilter(text) : undefined;
  if (isObject(filter)) return filter;
  try {
    const value: unknown = JSON.parse(text);
    // Not by the schema: to it, a list is a parameter that occurs twice. And openapi-backend would parse a string
    // again.
    if (isObject(value)) return value;
  } catch {
    // Its message would quote the text.
  }
  throw refuse('must be an object in JSON');
}

/**
 * The parameters of a query string, with plain decimal values of `numbers` turned into numbers, and the values of
 * `json` parsed. A parameter that occurs twice stays a list.
 * `'5'` → `5`; `'0x5'`, `'5e0'`, `' 5'`, `'05'` stay text, which the schema refuses.
 * @throws INPUT_VALIDATION_FAILED when a value of `json` is no object in JSON, or a filter neither JSON nor text
 */
export function readValues(
  query: Record<string, unknown>,
  { numbers, json }: TypedParameters = { numbers: [], json: [] },
): Record<string, unknown> {
  const values = { ...query };
  const replace = (names: string[], read: (text: string, name: string) => unknown) => {
    for (const name of names) {
      const value = query[name];
      if (typeof value === 'string') values[name] = read(value, name);
    }
  };
  replace(numbers, readNumber);
  replace(json, readJson);
  return values;
}
