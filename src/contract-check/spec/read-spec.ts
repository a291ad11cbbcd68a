/** Reads spec/openapi.yaml: its operations with their inputs, answers and examples. */
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { ErrorCode } from '../../../generated/types.gen.ts';
import { dereference, readDocument } from './read-document.ts';

export type Schema = {
  description?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  maxProperties?: number;
  additionalProperties?: Schema | boolean;
  'x-maxText'?: number;
  'x-status'?: Record<string, number>;
  'x-propertyNames'?: { pattern: string };
};
export type Content = {
  'application/json': { schema: Schema; examples?: Record<string, { summary?: string; value: unknown }> };
};
type Response = {
  description: string;
  headers?: Record<string, { description?: string; required?: boolean }>;
  content: Content;
};
type Parameter = {
  name: string;
  in: 'query' | 'header';
  description?: string;
  required: boolean;
  /** The schema of its value. A parameter in JSON: the schema of the value after parsing. */
  schema: Schema;
  isJson: boolean;
  example?: unknown;
};
/** A parameter as it is written: one in JSON is a string, and `x-json` the schema of the value in it. */
type WrittenParameter = Omit<Parameter, 'isJson'> & { 'x-json'?: Schema };
type Operation = {
  operationId: string;
  'x-required-scope': string;
  'x-keys-with-filter'?: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Partial<Content> };
  responses: Record<string, Response>;
};
type Spec = {
  paths: Record<string, Record<string, Omit<Operation, 'parameters'> & { parameters?: WrittenParameter[] }>>;
  components: { schemas: Record<string, Schema> };
};

/** By its name in the package, whose built files lie at another depth. */
const path = createRequire(import.meta.url).resolve('knowledge-retrieval/spec/openapi.yaml');

/** The document as in the file, with its references. */
export const written = readDocument(path);

const spec = dereference(written) as Spec; // OpenAPI 3.0, as the linters check

export const { schemas } = spec.components;

/** The HTTP status of each errorCode: `NOT_FOUND` → 404 */
export const STATUS_OF = schemas.ErrorCode?.['x-status'] as Record<ErrorCode, number>; // spec-examples.test.ts

function toParameter({ 'x-json': json, ...parameter }: WrittenParameter): Parameter {
  if (json === undefined) return { ...parameter, isJson: false };
  const { example } = parameter;
  const parsed = typeof example === 'string' ? { example: JSON.parse(example) as unknown } : {};
  return { ...parameter, ...parsed, schema: json, isJson: true };
}

/** All operations in the order of the spec. */
export const operations = Object.entries(spec.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters, ...operation }]) => ({
    path,
    method,
    ...operation,
    ...(parameters !== undefined && { parameters: parameters.map(toParameter) }),
  })),
);

/** What an operation takes as its body: fields in JSON, or the bytes of a file; undefined: no body. */
export function bodyKindOf({ requestBody }: Pick<Operation, 'requestBody'>): 'json' | 'bytes' | undefined {
  if (requestBody === undefined) return undefined;
  return requestBody.content['application/json'] === undefined ? 'bytes' : 'json';
}

/** All documented responses of all operations. */
export const responses = operations.flatMap((operation) =>
  Object.entries(operation.responses).map(([status, response]) => ({ operation, status, ...response })),
);

export function operationOf(operationId: string) {
  const found = operations.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`the spec has no operation ${operationId}`);
  return found;
}

/** The schemas of all inputs of an operation, of its body or its query string. */
export function inputsOf({ parameters = [], requestBody }: Operation): Record<string, Schema> {
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [name, schema] as const);
  return { ...requestBody?.content['application/json']?.schema.properties, ...Object.fromEntries(query) };
}

/** The names of an operation's required inputs. */
export function requiredInputsOf({ parameters = [], requestBody }: Operation): string[] {
  const query = parameters.filter(({ required }) => required).map(({ name }) => name);
  return [...(requestBody?.content['application/json']?.schema.required ?? []), ...query];
}

/** The error codes of an error body with this schema; empty for a success. */
export const errorCodesOf = (schema: Schema): unknown[] =>
  (schema.oneOf ?? [schema]).flatMap(({ properties }) => properties?.errorCode?.enum ?? []);

export const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);

/** The violations of `schema` by `value`; empty if it is valid. */
export function problems(schema: Schema, value: unknown): string[] {
  ajv.validate(schema, value);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Names and values of the examples of a body. */
export const examplesOf = (content: Partial<Content>) =>
  Object.entries(content['application/json']?.examples ?? {});
