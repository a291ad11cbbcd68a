/** Finds what a change of the spec breaks for a client of the released one. */
import { isDeepStrictEqual } from 'node:util';
import { compareSchemas, type Schema, type Side } from './compare-schemas.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

type Content = Record<string, { schema?: Schema }>;
type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
  content?: Content;
  [style: string]: unknown;
};
type Header = { required?: boolean; schema?: Schema };
type Response = { headers?: Record<string, Header>; content?: Content };
type Security = Record<string, string[]>[];
type Operation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Response>;
  security?: Security;
};
type Method = (typeof METHODS)[number];
type PathItem = { parameters?: Parameter[] } & Partial<Record<Method, Operation>>;
type Scheme = { description?: string };

/** An OpenAPI 3.0 document without references. */
export type Spec = {
  paths: Record<string, PathItem>;
  security?: Security;
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, Scheme> };
};

/** Both versions of one part of the spec; undefined where a version lacks it. */
type Pair<T> = { where: string; released: T | undefined; current: T | undefined };

/** How a parameter is serialised in a request. */
const PARAMETER_FORM = ['style', 'explode', 'allowReserved', 'allowEmptyValue'];

/** Pairs each named part of either version with its counterpart. */
function pairUp<T>(
  where: string,
  released: Record<string, T> = {},
  current: Record<string, T> = {},
): Pair<T>[] {
  const names = new Set([...Object.keys(released), ...Object.keys(current)]);
  return [...names].map((name) => ({
    where: `${where} ${name}`.trim(),
    released: released[name],
    current: current[name],
  }));
}

/**
 * Reports the removed parts, and the result of `compare` for the parts in both versions. New parts break nothing.
 */
function comparePairs<T>(
  pairs: Pair<T>[],
  compare: (where: string, released: T, current: T) => string[],
): string[] {
  return pairs.flatMap(({ where, released, current }) => {
    if (released === undefined) return [];
    return current === undefined ? [`${where} is gone`] : compare(where, released, current);
  });
}

const compareContent = (side: Side, where: string, released?: Content, current?: Content): string[] =>
  comparePairs(pairUp(where, released, current), (mediaType, before, after) =>
    compareSchemas(side, mediaType, { released: before.schema ?? {}, current: after.schema ?? {} }),
  );

const byLowerCase = <T>(named: Record<string, T> = {}): Record<string, T> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name.toLowerCase(), value]));

function compareHeader(where: string, released: Header, current: Header): string[] {
  const schemas = { released: released.schema ?? {}, current: current.schema ?? {} };
  const missing = released.required && !current.required ? [`${where} may be missing now`] : [];
  return [...missing, ...compareSchemas('response', where, schemas)];
}

const compareResponse = (where: string, released: Response, current: Response): string[] => [
  ...comparePairs(
    pairUp(`${where} header`, byLowerCase(released.headers), byLowerCase(current.headers)),
    compareHeader,
  ),
  ...compareContent('response', where, released.content, current.content),
];

function compareRequestBody(where: string, released: Operation, current: Operation): string[] {
  const [before, after] = [released.requestBody, current.requestBody];
  const needed = after?.required && !before?.required ? [`${where} is required now`] : [];
  return [...needed, ...compareContent('request', where, before?.content, after?.content)];
}

function compareParameter({ where, released, current }: Pair<Parameter>): string[] {
  if (current === undefined) return [`${where} is gone`];
  const needed = current.required && !released?.required ? [`${where} is required now`] : [];
  if (released === undefined) return needed;
  const rewritten = PARAMETER_FORM.filter((key) => !isDeepStrictEqual(released[key], current[key]));
  const schemas = { released: released.schema ?? {}, current: current.schema ?? {} };
  const isSame = isDeepStrictEqual(Object.keys(released.content ?? {}), Object.keys(current.content ?? {}));
  return [
    ...needed,
    ...rewritten.map((key) => `${where}: ${key} has changed`),
    ...compareSchemas('request', where, schemas),
    ...(isSame
      ? compareContent('request', where, released.content, current.content)
      : [`${where}: content has changed`]),
  ];
}

const byLocationAndName = (parameters: Parameter[] = []): Record<string, Parameter> =>
  Object.fromEntries(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));

const compareParameters = (where: string, released: Operation, current: Operation): string[] =>
  pairUp(where, byLocationAndName(released.parameters), byLocationAndName(current.parameters)).flatMap(
    compareParameter,
  );

/** A list of schemes that was sufficient must stay sufficient. No list at all: open to everyone. */
function compareSecurity(
  where: string,
  { security: before = [] }: Operation,
  { security: after = [] }: Operation,
) {
  if (after.length === 0) return [];
  const accepted = before.length === 0 ? [{}] : before;
  const isAccepted = (way: object) => after.some((other) => isDeepStrictEqual(way, other));
  return accepted.every(isAccepted) ? [] : [`${where}: another way to authenticate is required`];
}

/** The operationId is a function's name in the generated client. */
function compareName(where: string, { operationId: before }: Operation, { operationId: after }: Operation) {
  return before === after ? [] : [`${where}: operationId was ${before}, is ${after}`];
}

const compareOperation = (where: string, released: Operation, current: Operation): string[] => [
  ...compareName(where, released, current),
  ...compareSecurity(where, released, current),
  ...compareParameters(where, released, current),
  ...compareRequestBody(`${where} body`, released, current),
  ...comparePairs(pairUp(`${where} status`, released.responses, current.responses), compareResponse),
];

/** Operations by method and path, with the properties that they inherit from path and document. */
function operationsOf({ paths, security = [] }: Spec): Record<string, Operation> {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [[`${method.toUpperCase()} ${path}`, { security, ...operation, parameters }] as const];
    }),
  );
  return Object.fromEntries(operations);
}

const withoutDescription = (scheme: Scheme) => ({ ...scheme, description: undefined });

const compareScheme = (where: string, released: Scheme, current: Scheme): string[] =>
  isDeepStrictEqual(withoutDescription(released), withoutDescription(current))
    ? []
    : [`${where} has changed`];

/**
 * Every change in `current` that breaks clients of `released`, a sentence each; empty if there is none.
 * The names of operations and schemas count, because the generated client has functions and types of these names.
 */
export function findBreakingChanges(released: Spec, current: Spec): string[] {
  const [before, after] = [released.components, current.components];
  return [
    ...comparePairs(pairUp('', operationsOf(released), operationsOf(current)), compareOperation),
    ...comparePairs(pairUp('schema', before?.schemas, after?.schemas), () => []),
    ...comparePairs(
      pairUp('security scheme', before?.securitySchemes, after?.securitySchemes),
      compareScheme,
    ),
  ];
}
