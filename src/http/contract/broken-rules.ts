/** Says in a sentence how a value breaks its schema. Ajv's own messages are made for programmers. */
import type { ErrorObject } from 'ajv';
import { nearestName } from '../../analysis/edits/near-name.ts';

/** The longest name in an error: a client may choose a name as long as a body. */
const NAME_MAX = 200;

export const shorten = (name: string): string =>
  name.length <= NAME_MAX ? name : `${name.slice(0, NAME_MAX)}…`;

/** The parts of a schema that the sentences need. `x-noun`, an extension of the spec, says what a text stands for. */
type Schema = {
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  'x-noun'?: string;
};

/** The schema that has the broken rule. Ajv adds it by the option `verbose`. */
const schemaOf = ({ parentSchema = {} }: ErrorObject) => parentSchema as Schema; // one of the spec's

/** `a`, `a or b`, `a, b or c` */
function listAlternatives(names: string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}

/** `1 character`, `5 characters` */
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** The end of a sentence about a wrong name: the nearest of the right ones, if one is near. */
function didYouMean(written: string, names: string[]): string {
  const nearest = nearestName(written, names);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** What a value is, to those who have written it: `a string`, `an array`, `true`, `null` … */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond 1.7976931348623157e308';
  return value === null || typeof value === 'boolean' ? String(value) : (TYPES[typeof value] ?? 'a value');
}

function describeType({ params, data }: ErrorObject): string {
  const types = [params.type].flat().map(String);
  const expected = `must be ${listAlternatives(types.map((type) => TYPES[type] ?? type))}`;
  const isFraction = Number.isFinite(data) && types.includes('integer');
  return isFraction ? expected : `${expected}, not ${kindOf(data)}`;
}

function describeChoice(values: unknown[], written: unknown): string {
  const names = values.map(String);
  if (names.length === 1) return `must be ${names[0]}`;
  return `must be one of ${names.join(', ')}${typeof written === 'string' ? didYouMean(written, names) : ''}`;
}

/** A text that is shorter or longer than its schema allows; `bound` is the broken one. */
function describeLength(problem: ErrorObject, bound: 'at least' | 'at most'): string {
  const { minLength = 0, maxLength, 'x-noun': noun } = schemaOf(problem);
  const limit = count(problem.params.limit, 'character');
  const isExact = minLength === maxLength;
  if (noun === undefined) return `must have ${isExact ? 'exactly' : bound} ${limit}`;
  return `must be ${noun}: ${isExact ? limit : `${minLength} to ${maxLength} characters`}`;
}

const NOT_TEXT = 'must not hold U+0000 or half of a surrogate pair';

/** How a text breaks each pattern of the spec's requests. */
const PATTERNS: Record<string, (text: unknown) => string> = {
  '^[^\\u0000\\uD800-\\uDFFF]*$': () => NOT_TEXT,
  '^\\s*[^\\s\\u0000\\uD800-\\uDFFF][^\\u0000\\uD800-\\uDFFF]*$': (text) =>
    String(text).trim() === '' ? 'must hold more than white space' : NOT_TEXT,
  '^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uD800-\\uDFFF]*$': () =>
    'must be one line without control characters',
  '^[\\x21-\\x7E]+$': () => 'must hold visible ASCII characters only',
  '^https?://[^\\s\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+$': () =>
    'must be an http or https address without white space, such as https://example.com/manual.pdf',
  '^(?:https?://[^\\s\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+)?$': () =>
    'must be an http or https address without white space, such as https://example.com/manual.pdf, or empty',
  '^(?:[A-Za-z0-9_.-]{1,64}|\\$(?:type|title|sourceUrl|createdAt))$': () =>
    'must be the name of an attribute, or one of $type, $title, $sourceUrl, $createdAt',
  // The text is a name that the caller has chosen; the subject of the sentence is its object.
  '^[A-Za-z0-9_.-]{1,64}$': (name) =>
    `must have names of 1 to 64 letters from a to z, digits, _, . and -, not ${JSON.stringify(shorten(String(name)))}`,
};

const FORMATS: Record<string, string> = {
  'date-time': 'a time in ISO 8601, such as 2026-01-15T09:28:41.903Z',
};

/** The values by which a `discriminator` chooses among the schemas of a oneOf. */
const tagValues = ({ oneOf = [] }: Schema, tag: string): unknown[] =>
  oneOf.flatMap(({ properties }) => properties?.[tag]?.enum ?? []);

/** The sentence for each keyword of a schema, without its subject. */
const SENTENCES: Record<string, (problem: ErrorObject) => string> = {
  type(problem) {
    const { enum: values } = schemaOf(problem);
    return values === undefined ? describeType(problem) : describeChoice(values, problem.data);
  },
  enum: ({ params, data }) => describeChoice(params.allowedValues, data),
  discriminator(problem) {
    const { tag, tagValue } = problem.params;
    return tagValue === undefined
      ? 'is required'
      : describeChoice(tagValues(schemaOf(problem), tag), tagValue);
  },
  required: () => 'is required',
  minLength: (problem) => describeLength(problem, 'at least'),
  maxLength: (problem) => describeLength(problem, 'at most'),
  pattern: ({ params, data }) => PATTERNS[params.pattern]?.(data) ?? 'is not of the right form',
  format: ({ params }) => `must be ${FORMATS[params.format] ?? `of the format ${params.format}`}`,
  minimum: ({ params }) => `must be at least ${params.limit}`,
  maximum: ({ params }) => `must be at most ${params.limit}`,
  minItems: ({ params }) => `must have at least ${count(params.limit, 'item')}`,
  maxItems: ({ params }) => `must have at most ${count(params.limit, 'item')}`,
  minProperties: ({ params }) => `must have at least ${count(params.limit, 'field')}`,
  'x-maxConditions': ({ schema }) => `must have at most ${schema} conditions, those within it included`,
  'x-maxContains': ({ schema }) => `must have at most ${schema} conditions of the type contains`,
  'x-maxListed': ({ schema }) => `must have at most ${schema} values in all of its lists together`,
  'x-maxDepth': ({ schema }) => `must have at most ${schema} levels`,
  'x-maxText': ({ schema }) => `must have at most ${schema} characters in all of its texts together`,
  maxProperties: ({ params }) => `must have at most ${count(params.limit, 'field')}`,
};

/** How a value breaks its schema: `must be at most 50`. The caller knows the subject of the sentence. */
export const describeBrokenRule = (problem: ErrorObject): string =>
  SENTENCES[problem.keyword]?.(problem) ?? 'is not valid';

/** A name that its object does not have: `is not a field of this operation; did you mean minScore?` */
export function describeUnknownName(problem: ErrorObject, owner: string): string {
  const names = Object.keys(schemaOf(problem).properties ?? {});
  return `is not a ${owner}${didYouMean(problem.params.additionalProperty, names)}`;
}
