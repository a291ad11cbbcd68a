/** Each way to break a schema gets one sentence that names the place, what is expected, and the nearest legal name. */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { describeBrokenRule } from './broken-rules.ts';
import { readSpec } from './spec.ts';
import { AJV_OPTIONS, toValidationError } from './validation-error.ts';

const ajv = new Ajv({ strict: false, ...AJV_OPTIONS });
addFormats.default(ajv);
ajv.addKeyword({ keyword: 'x-propertyNames', macro: (schema: object) => ({ propertyNames: schema }) });

/** The error about a request, whose parts have the schemas `properties`. */
function checkOf(properties: Record<string, object>) {
  const validate = ajv.compile({ type: 'object', properties });
  return (request: object) => {
    validate(request);
    return toValidationError(validate.errors ?? []);
  };
}

const closed = (properties: Record<string, object>, more: object = {}) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});

const id = { type: 'string', minLength: 36, maxLength: 36, 'x-noun': 'the id of a knowledge base' };
const value = {
  oneOf: [
    { type: 'string', maxLength: 5 },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', maxItems: 2, items: { type: 'string', minLength: 1 } },
  ],
};
const comparison = closed(
  { type: { type: 'string', enum: ['eq', 'ne'] }, key: { type: 'string' }, value },
  { required: ['type', 'key', 'value'] },
);
const group = closed(
  {
    type: { type: 'string', enum: ['and', 'or'] },
    filters: { type: 'array', items: { $ref: '#/properties/requestBody/properties/filter' } },
  },
  { required: ['type', 'filters'] },
);

const BODY = closed({
  text: { type: 'string', minLength: 1, maxLength: 8 },
  code: { type: 'string', minLength: 4, maxLength: 4 },
  count: { type: 'integer', minimum: 1, maximum: 50 },
  minScore: { type: 'number', minimum: 0, maximum: 1 },
  highlight: { type: 'boolean' },
  status: { type: 'string', enum: ['pending', 'processing', 'processed'] },
  ifUnchanged: { type: 'string', enum: ['skip'] },
  knowledgeBaseId: id,
  documentId: { type: 'string', minLength: 1, maxLength: 128, 'x-noun': 'the id of a document' },
  ids: { type: 'array', minItems: 1, maxItems: 2, items: id },
  after: { type: 'string', format: 'date-time' },
  attributes: {
    type: 'object',
    minProperties: 1,
    maxProperties: 2,
    'x-propertyNames': { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
    additionalProperties: value,
  },
  sourceUrl: { type: 'string', pattern: '^https?://[^\\s\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+$' },
  filter: { type: 'object', discriminator: { propertyName: 'type' }, oneOf: [comparison, group] },
});

const checkBody = checkOf({ requestBody: BODY });

test.each<[body: unknown, message: string]>([
  [[], 'the body must be an object, not an array.'],
  [null, 'the body must be an object, not null.'],
  [7, 'the body must be an object, not a number.'],
  [{ text: '' }, 'text must have at least 1 character.'],
  [{ text: 'x'.repeat(9) }, 'text must have at most 8 characters.'],
  [{ text: 5 }, 'text must be a string, not a number.'],
  [{ text: null }, 'text must be a string, not null.'],
  [{ text: ['a'] }, 'text must be a string, not an array.'],
  [{ code: 'abc' }, 'code must have exactly 4 characters.'],
  [{ count: 0 }, 'count must be at least 1.'],
  [{ count: 51 }, 'count must be at most 50.'],
  [{ count: 1.5 }, 'count must be a whole number.'],
  [{ count: '5' }, 'count must be a whole number, not a string.'],
  [{ minScore: 1.01 }, 'minScore must be at most 1.'],
  [{ minScore: {} }, 'minScore must be a number, not an object.'],
  [{ highlight: 'true' }, 'highlight must be true or false, not a string.'],
  [{ status: 'proccessed' }, 'status must be one of pending, processing, processed; did you mean processed?'],
  [{ status: 'done' }, 'status must be one of pending, processing, processed.'],
  [{ status: true }, 'status must be one of pending, processing, processed.'],
  [{ ifUnchanged: 'replace' }, 'ifUnchanged must be skip.'],
  [{ knowledgeBaseId: 'short' }, 'knowledgeBaseId must be the id of a knowledge base: 36 characters.'],
  [{ documentId: '' }, 'documentId must be the id of a document: 1 to 128 characters.'],
  [{ ids: [] }, 'ids must have at least 1 item.'],
  [{ ids: ['short'] }, 'ids[0] must be the id of a knowledge base: 36 characters.'],
  [{ ids: Array(3).fill('x'.repeat(36)) }, 'ids must have at most 2 items.'],
  [{ after: 'yesterday' }, 'after must be a time in ISO 8601, such as 2026-01-15T09:28:41.903Z.'],
  [{ attributes: {} }, 'attributes must have at least 1 field.'],
  [{ attributes: { a: 1, b: 2, c: 3 } }, 'attributes must have at most 2 fields.'],
  [
    { attributes: { year: null } },
    'attributes.year must be a string, a number, true or false or an array, not null.',
  ],
  [{ attributes: { 'a.b': 'too long' } }, 'attributes.a.b must have at most 5 characters.'],
  [
    { attributes: { 'a b': 1 } },
    'attributes must have names of 1 to 64 letters from a to z, digits, _, . and -, not "a b".',
  ],
  [
    { sourceUrl: 'manual.pdf' },
    'sourceUrl must be an http or https address without white space, such as https://example.com/manual.pdf.',
  ],
  [{ attributes: { tags: ['ok', ''] } }, 'attributes.tags[1] must have at least 1 character.'],
  [{ minscore: 1 }, 'minscore is not a field of this operation; did you mean minScore?'],
  [{ verbose: 1 }, 'verbose is not a field of this operation.'],
  [{ '': 1 }, '"" is not a field of this operation.'],
  [
    { minscore: 1, count: 0, verbose: 1 },
    'minscore is not a field of this operation; did you mean minScore? ' +
      'verbose is not a field of this operation. count must be at least 1.',
  ],
])('%j: %s', (requestBody, message) => {
  expect(checkBody({ requestBody }).message).toBe(message);
});

test.each<[filter: unknown, message: string]>([
  [5, 'filter must be an object, not a number.'],
  [{}, 'filter.type is required.'],
  [{ type: 5 }, 'filter.type must be one of eq, ne, and, or.'],
  [{ type: 'EQ' }, 'filter.type must be one of eq, ne, and, or; did you mean eq?'],
  [{ type: 'eq' }, 'filter.key is required. filter.value is required.'],
  [
    { type: 'eq', key: 'a', valeu: 1 },
    'filter.value is required. filter.valeu is not a field of filter; did you mean value?',
  ],
  [
    { type: 'eq', key: 'a', value: {} },
    'filter.value must be a string, a number, true or false or an array, not an object.',
  ],
  [{ type: 'and', filters: 'a' }, 'filter.filters must be an array, not a string.'],
  [
    {
      type: 'and',
      filters: [
        { type: 'eq', key: 'a', value: 1 },
        { type: 'any', key: 'a', value: 1 },
      ],
    },
    'filter.filters[1].type must be one of eq, ne, and, or; did you mean and?',
  ],
  [
    {
      type: 'and',
      filters: [{ type: 'or', filters: [{ type: 'ne', key: 'a', value: 'too long', kye: 1 }] }],
    },
    'filter.filters[0].filters[0].kye is not a field of filter.filters[0].filters[0]; did you mean key? ' +
      'filter.filters[0].filters[0].value must have at most 5 characters.',
  ],
])('a union names the place, not the problems with each alternative: %j', (filter, message) => {
  expect(checkBody({ requestBody: { filter } }).message).toBe(message);
});

const QUERY = closed(
  { limit: { type: 'integer', minimum: 1 }, cursor: { type: 'string', minLength: 1 } },
  { required: ['limit'] },
);

const checkQuery = checkOf({ query: QUERY });

test.each<[query: object, message: string]>([
  [{}, 'limit is required.'],
  [{ limit: '0x5' }, 'limit must be a whole number in decimal digits.'],
  [{ limit: ['1', '2'] }, 'limit may be given only once.'],
  [{ limit: 0, cursor: '' }, 'limit must be at least 1. cursor must have at least 1 character.'],
  [{ limit: 1, Cursor: 'x' }, 'Cursor is not a parameter of this operation; did you mean cursor?'],
])('a query string %j: %s', (query, message) => {
  expect(checkQuery({ query }).message).toBe(message);
});

test('the keys of fieldErrors join the steps by dots, and a message without its subject comes once', () => {
  const requestBody = { status: 5, ids: ['', 'x'], filter: { type: 'or', filters: [{}] } };
  expect(checkBody({ requestBody }).data).toEqual({
    formErrors: [],
    fieldErrors: {
      status: ['must be one of pending, processing, processed'],
      'ids.0': ['must be the id of a knowledge base: 36 characters'],
      'ids.1': ['must be the id of a knowledge base: 36 characters'],
      'filter.filters.0.type': ['is required'],
    },
  });
});

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** The schemas of the spec's request bodies and parameters, with all schemas within them, each once. */
function requestSchemas(): Node[] {
  const spec: unknown = readSpec();
  const targetOf = (reference: unknown) =>
    String(reference)
      .split('/')
      .slice(1)
      .reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), spec);
  const found = new Set<Node>();
  const visit = (node: unknown): void => {
    if (!isNode(node) || found.has(node)) return;
    found.add(node);
    for (const [key, child] of Object.entries(node))
      if (!/^(responses|examples?)$/.test(key)) visit(key === '$ref' ? targetOf(child) : child);
  };
  visit(isNode(spec) && spec.paths);
  // Bodies of bytes are checked by byte-body.ts.
  return [...found].filter(
    ({ type, pattern, oneOf, format }) =>
      (typeof (type ?? pattern) === 'string' || Array.isArray(oneOf)) && format !== 'binary',
  );
}

const schemas = requestSchemas();
/** Keywords that refuse nothing by themselves, or whose sentence needs the names around it. */
const WITHOUT_SENTENCE =
  /^(x-.*|description|default|example|nullable|properties|additionalProperties|items|.*Of)$/;

/** Texts in these formats are read before the validation, by a parser with sentences of its own. */
const OPENED_BEFORE = /^format (filter|json)$/;

test('every keyword, pattern and format of a request in the spec has a sentence of its own', () => {
  expect(schemas.length).toBeGreaterThan(20);
  const rules = schemas.flatMap((schema) =>
    Object.entries(schema)
      .filter(
        ([keyword, rule]) => !WITHOUT_SENTENCE.test(keyword) && !OPENED_BEFORE.test(`${keyword} ${rule}`),
      )
      .map(([keyword, rule]) => {
        const params = { limit: 1, type: 'string', allowedValues: ['a'], pattern: rule, format: rule };
        return `${keyword} ${rule}: ${describeBrokenRule({ keyword, params, instancePath: '', schemaPath: '' })}`;
      }),
  );
  expect(rules.filter((rule) => /is not valid|is not of the right form|of the format/.test(rule))).toEqual(
    [],
  );
});

test('each union of objects in a request has a discriminator, and says that it is an object', () => {
  const unions = schemas.filter(({ oneOf = [] }) =>
    (oneOf as Node[]).some(({ $ref, type }) => $ref || type === 'object'),
  );
  // Without the type, Ajv lets any value that is no object pass.
  expect(
    unions.filter(({ type, discriminator }) => type !== 'object' || discriminator === undefined),
  ).toEqual([]);
});
