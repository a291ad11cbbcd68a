/** Makes requests that the spec allows, from its schemas alone. */
import fc from 'fast-check';
import { toSent } from '../../../src/contract-check/requests/calling.ts';
import {
  ajv,
  inputsOf,
  operationOf,
  requiredInputsOf,
  type Schema,
} from '../../../src/contract-check/spec/read-spec.ts';
import { OPERATION_IDS, type OperationId, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import type { Fields, RoutedRequest } from '../../harness/contract/good-requests.ts';
import { hostileText } from '../../harness/fuzz/hostile-values.ts';

/**
 * The values that an id or cursor field may have at present.
 * An empty list leaves the field out. Undefined allows every text of its schema.
 */
export type IdsOf = (operationId: OperationId, field: string) => string[] | undefined;

/** The maximum length of texts whose schema has none. */
const DEFAULT_MAX_LENGTH = 200;

/** Exactly the characters that every pattern of the spec excludes. */
const FORBIDDEN = /[\0\p{Surrogate}]/gu;

/** Returns `text` with its length within the bounds, in code points. */
function clip(text: string, minLength: number, maxLength: number): string {
  const points = [...text.replace(FORBIDDEN, '?')];
  return points.slice(0, maxLength).join('') + 'x'.repeat(Math.max(0, minLength - points.length));
}

/** The length of a filter as text, in the spec. */
const FILTER_TEXT_MAX = 16_384;

/** A filter as text (docs/filters.md): conditions on any names and values, joined. */
const validFilterText: fc.Arbitrary<string> = (() => {
  const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/).map((text) => JSON.stringify(text));
  const value = fc.oneof(
    fc.integer().map(String),
    fc.boolean().map(String),
    hostileText.map((text) => JSON.stringify(clip(text, 0, 100))),
  );
  const condition = fc
    .tuple(name, fc.constantFrom('=', '!='), value)
    .map(([left, operator, right]) => `${left} ${operator} ${right}`);
  const joined = fc
    .tuple(condition, fc.constantFrom('and', 'or'), condition)
    .map(([left, operator, right]) => `not (${left} ${operator} ${right})`);
  return fc.oneof(condition, joined);
})();

function validText({ minLength = 0, maxLength = DEFAULT_MAX_LENGTH, ...rest }: Schema): fc.Arbitrary<string> {
  const accepts = ajv.compile({ minLength, maxLength, ...rest });
  const inBounds = hostileText.map((text) => clip(text, minLength, maxLength));
  // Only the patterns of addresses and of names refuse most texts.
  const usual = inBounds.map((text) => {
    const address = `https://example.com/${encodeURIComponent(text)}`.slice(0, maxLength);
    return [text, address].find((each) => accepts(each)) ?? text.replaceAll(/[^\w.-]/g, '_');
  });
  const longest = fc.constantFrom('a', 'é', '字', '😀').map((unit) => unit.repeat(maxLength));
  const shortest = fc.constantFrom('a', '字', '😀').map((unit) => unit.repeat(minLength));
  const all = fc.oneof({ weight: 200, arbitrary: usual }, { weight: 10, arbitrary: shortest }, longest);
  return all.filter((text) => accepts(text));
}

/** Prefers small numbers, since large files are never sent. */
const validInteger = ({ minimum = 0, maximum = 2 ** 31 }: Schema): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1000) }) },
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: maximum }),
  );

const validNumber = ({ minimum = -1e308, maximum = 1e308 }: Schema): fc.Arbitrary<number> =>
  fc.oneof(fc.constantFrom(minimum, maximum), fc.double({ min: minimum, max: maximum, noNaN: true }));

/** `innermost`: what stands for a schema within itself. */
type InputField = { operationId: OperationId; field: string; idsOf: IdsOf; innermost?: Schema };

function validList(
  { items = {}, minItems = 0, maxItems = 5 }: Schema,
  inputField: InputField,
): fc.Arbitrary<unknown> {
  const values = validValue(items, inputField);
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(values, { minLength: minItems, maxLength: Math.min(3, maxItems) }) },
    fc.array(values, { minLength: maxItems, maxLength: maxItems }),
  );
}

/** An object whose names the caller chooses. */
function validMap(schema: Schema, inputField: InputField): fc.Arbitrary<unknown> {
  const { maxProperties = 5, additionalProperties, 'x-propertyNames': names, 'x-maxText': maxText } = schema;
  if (typeof additionalProperties !== 'object' || names === undefined)
    throw new Error('no valid names are known for the object');
  const name = fc.stringMatching(new RegExp(names.pattern));
  const map = fc.dictionary(name, validValue(additionalProperties, inputField), { maxKeys: maxProperties });
  return maxText === undefined ? map : map.filter((value) => [...JSON.stringify(value)].length <= maxText);
}

/** An object with the fields of its schema. */
const validFields = ({ properties = {} }: Schema, inputField: InputField): fc.Arbitrary<unknown> =>
  fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, validValue(each, inputField)]),
    ),
  );

/** A value that may contain itself. Within it, only the first of its forms occurs. */
function validRecursion({ oneOf = [], 'x-maxText': maxText = 0 }: Schema, inputField: InputField) {
  const [innermost = {}] = oneOf;
  const forms = oneOf.map((each) => validFields(each, { ...inputField, innermost }));
  return fc.oneof(...forms).filter((value) => [...JSON.stringify(value)].length <= maxText);
}

/** Groups of synonyms. The schema cannot say that a term has a word, and that it is in its group once. */
const validGroups = (() => {
  const term = fc.stringMatching(/^[a-z]{1,8}(?: [a-z]{1,8}){0,3}$/);
  const terms = (minLength: number, prefix: string) =>
    fc.uniqueArray(term, { minLength, maxLength: 5 }).map((each) => each.map((text) => `${prefix} ${text}`));
  const finds = fc.option(terms(1, 'found'), { nil: undefined });
  return fc.array(fc.record({ terms: terms(2, 'asked'), finds }), { maxLength: 20 });
})();

/** Valid values for a field's schema. The test chooses the ids. */
function validValue(schema: Schema, inputField: InputField): fc.Arbitrary<unknown> {
  if (inputField.field === 'groups') return validGroups;
  // Fields within a filter in JSON are shorter.
  if (inputField.field === 'filter' && schema.maxLength === FILTER_TEXT_MAX) return validFilterText;
  const { anyOf, oneOf } = schema;
  if (oneOf !== undefined) return validRecursion(schema, inputField);
  if (Object.keys(schema).length === 0) return validFields(inputField.innermost ?? {}, inputField);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => validValue(each, inputField)));
  if (schema.type === 'array') return validList(schema, inputField);
  if (schema.type === 'object') return validMap(schema, inputField);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer') return validInteger(schema);
  if (schema.type === 'number') return validNumber(schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type !== 'string') throw new Error(`no valid values are known for the type ${schema.type}`);
  const text = validText(schema);
  return fc.tuple(fc.nat(1_000_000), text).map(([pick, any]) => {
    const ids = inputField.idsOf(inputField.operationId, inputField.field);
    return ids === undefined ? any : ids[pick % ids.length];
  });
}

/** Leaves half of the optional fields out. */
const maybe = (isRequired: boolean, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  isRequired ? value : fc.oneof(value, fc.constant(undefined));

function validInput(operationId: OperationId, idsOf: IdsOf): fc.Arbitrary<Fields> {
  const operation = operationOf(operationId);
  const required = requiredInputsOf(operation);
  const values = Object.entries(inputsOf(operation)).map(([field, schema]) => [
    field,
    maybe(required.includes(field), validValue(schema, { operationId, field, idsOf })),
  ]);
  return fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>); // fromEntries forgets the type
}

/** Few different keys, so that some occur twice with the same body, and some with another body. */
const idempotencyKey = fc
  .integer({ min: 0, max: 500 })
  .map((number) => ({ 'idempotency-key': `k${number}` }));

const withoutUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Of the longest filter of a token, whose JSON has 4,096 bytes at most. */
const TOKEN_FILTER_MAX_LENGTH = 1_000;

/** The input without what its schema cannot exclude: a key with a filter that writes, a filter too long for a token. */
function withoutConflicts(operationId: OperationId, { scope, filter, ...input }: Fields): Fields {
  if (operationId === 'createKey' && filter !== undefined) return { ...input, filter };
  const isTooLong =
    operationId === 'createToken' && JSON.stringify(filter ?? '').length > TOKEN_FILTER_MAX_LENGTH;
  return { ...input, scope, ...(!isTooLong && { filter }) };
}

/** Of the longest address: it and the headers of a request may have 16 KiB together. */
const ADDRESS_MAX_LENGTH = 14_000;

function validRequestTo(operationId: OperationId, apiKey: string, idsOf: IdsOf): fc.Arbitrary<RoutedRequest> {
  const { body } = ROUTES[operationId];
  const keyed = fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, idempotencyKey);
  const requests = fc.tuple(validInput(operationId, idsOf), keyed).map(([input, extra]) => {
    const sent = toSent(operationId, withoutUndefined(withoutConflicts(operationId, input)));
    const headers = { 'x-api-key': apiKey, ...sent.headers, ...(body !== undefined && extra) };
    return { route: operationId, sent: { ...sent, headers } };
  });
  return requests.filter(({ sent }) => sent.path.length <= ADDRESS_MAX_LENGTH);
}

/** Any valid request to any operation. */
export const validRequest = (apiKey: string, idsOf: IdsOf): fc.Arbitrary<RoutedRequest> =>
  fc.oneof(...OPERATION_IDS.map((operationId) => validRequestTo(operationId, apiKey, idsOf)));
