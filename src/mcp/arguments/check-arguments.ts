/**
 * Checks what a model has passed to a tool. A name that the tool does not have is refused, so that a mistyped
 * restriction never becomes a wider search. What can have one meaning only is read as that: "5" as 5, one text as a
 * list of it.
 */
import { Ajv } from 'ajv';
import { holdsMoreValues, VALUES_MAX } from '../../http/contract/request-body.ts';
import { AJV_OPTIONS, toValidationError } from '../../http/contract/validation-error.ts';
import { nearestArgument } from './nearest-argument.ts';
import { adviceFor } from './next-calls.ts';

/** The JSON Schema of a tool's arguments, as far as it is read here. */
export type ArgumentSchema = { properties: Record<string, { type?: string }> };

const shorten = (name: string): string => (name.length <= 100 ? name : `${name.slice(0, 100)}…`);

/**
 * The value of JSON text that is an object or a list; otherwise the text.
 * @throws a sentence for the model where it holds more values than a body may: to check them blocks the event loop
 */
function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  if (holdsMoreValues(Buffer.from(text), VALUES_MAX))
    throw new Error(`An argument must hold ${VALUES_MAX} values at most: pass fewer at a time.`);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** How a value that a model has written in another type is read. */
const READERS: Record<string, (value: unknown) => unknown> = {
  number: (value) =>
    typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value,
  boolean: (value) => (value === 'true' ? true : value === 'false' ? false : value),
  object: (value) => (typeof value === 'string' ? readJson(value) : value),
  array(value) {
    const list = typeof value === 'string' ? readJson(value) : value;
    return typeof list === 'string' ? [list] : list;
  },
};
const READER_OF: Record<string, string> = { integer: 'number' };

/** The arguments by their types. One that is null is as if it were missing. */
function readAll(given: object, { properties }: ArgumentSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => {
        const type = properties[name]?.type ?? '';
        return [name, (READERS[READER_OF[type] ?? type] ?? ((same) => same))(value)];
      }),
  );
}

/** The sentence about a name that the tool does not have. */
function describeUnknown(written: string, tool: string, names: string[]): string {
  const nearest = nearestArgument(written, names);
  const hint = nearest === undefined ? `it takes ${names.join(', ')}.` : `did you mean ${nearest}?`;
  return `${shorten(written)} is not an argument of ${tool}; ${names.length === 0 ? 'it takes none.' : hint}`;
}

/**
 * Makes the function that checks the arguments of a tool, and adds its defaults.
 * @returns a function that throws a sentence for the model: what is wrong, and what to call or pass instead
 */
export function createArgumentCheck(tool: string, schema: ArgumentSchema) {
  const ajv = new Ajv({ strict: false, useDefaults: true, ...AJV_OPTIONS });
  // The name by which the sentences about bodies find a field.
  const validate = ajv.compile({ type: 'object', properties: { requestBody: schema } });
  const names = Object.keys(schema.properties);
  return (given: unknown = {}): Record<string, unknown> => {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new Error(`The arguments of ${tool} must be an object, such as {"${names[0] ?? ''}": …}.`);
    const unknown = Object.keys(given).filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new Error(
        unknown
          .slice(0, 5)
          .map((name) => describeUnknown(name, tool, names))
          .join(' '),
      );
    const read = readAll(given, schema);
    if (validate({ requestBody: read })) return read;
    const { message, data } = toValidationError(validate.errors ?? []);
    throw new Error([message, ...adviceFor(Object.keys(Object(data).fieldErrors))].join(' '));
  };
}
