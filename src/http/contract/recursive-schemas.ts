/**
 * Schemas that contain themselves, such as the filter of a query. openapi-backend replaces each reference by its
 * target, which would never end here. It is given the spec without such references, and Ajv a keyword that stands for
 * them.
 */
import type { Ajv, SchemaValidateFunction } from 'ajv';

type Node = Record<string, unknown>;
export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const SCHEMAS = '#/components/schemas/';
/** Stands for a reference to a schema from within itself; its value is the name of the schema. */
export const RECURSION = 'x-recursion';

/** The name of the schema to which a node refers; undefined for any other node. */
function referenceOf(node: unknown): string | undefined {
  if (!isNode(node) || typeof node.$ref !== 'string' || !node.$ref.startsWith(SCHEMAS)) return undefined;
  return node.$ref.slice(SCHEMAS.length);
}

/**
 * Replaces each reference to a schema from within itself, in place. Removes the `mapping` of each discriminator too,
 * which Ajv refuses.
 */
export function cutRecursion<T extends object>(spec: T): T {
  const { schemas = {} } = (spec as { components?: { schemas?: Node } }).components ?? {}; // OpenAPI
  const finished = new Set<string>();
  const visit = (node: unknown, within: string[]): void => {
    if (!isNode(node)) return;
    if (isNode(node.discriminator)) delete node.discriminator.mapping;
    for (const [key, child] of Object.entries(node)) {
      const name = referenceOf(child);
      if (name === undefined) visit(child, within);
      else if (within.includes(name)) node[key] = { [RECURSION]: name };
      else if (!finished.has(name)) {
        visit(schemas[name], [...within, name]);
        finished.add(name);
      }
    }
  };
  visit((spec as { paths?: unknown }).paths, []);
  return spec;
}

/**
 * Without this option, Ajv would copy the schema to the place of each reference that `followRecursion` makes, without
 * end.
 */
export const RECURSION_OPTIONS = { inlineRefs: false };

/** Makes Ajv follow the references that `cutRecursion` has replaced. `schemas`: the spec's, dereferenced. */
export function followRecursion(ajv: Ajv, schemas: Record<string, unknown>): void {
  const added = new Set<string>();
  const macro = (name: string) => {
    const isAdded = added.has(name);
    added.add(name);
    if (!isAdded) ajv.addSchema(schemas[name] as object, name); // a schema of the spec
    return { $ref: name };
  };
  ajv.addKeyword({ keyword: RECURSION, macro });
}

/** A value with parts of its own kind in `filters`, whether or not its schema allows them. */
const partsOf = (value: unknown): unknown[] =>
  isNode(value) && Array.isArray(value.filters) ? value.filters : [];

const countConditions = (value: unknown): number =>
  partsOf(value).reduce<number>((sum, part) => sum + countConditions(part), 1);

const countContains = (value: unknown): number => {
  const own = isNode(value) && value.type === 'contains' ? 1 : 0;
  return partsOf(value).reduce<number>((sum, part) => sum + countContains(part), own);
};

/** The number of values in the lists of a value and of its parts. */
function countListed(value: unknown): number {
  const own = isNode(value) && Array.isArray(value.value) ? value.value.length : 0;
  return partsOf(value).reduce<number>((sum, part) => sum + countListed(part), own);
}

const depthOf = (value: unknown): number => 1 + Math.max(0, ...partsOf(value).map(depthOf));

/** Code points of all texts in a value, except the names of its fields. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  return isNode(value) ? Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0) : 0;
}

/** What each keyword bounds: the whole of a value, which no keyword of JSON Schema can. */
const MEASURES: Record<string, (value: unknown) => number> = {
  'x-maxConditions': countConditions,
  'x-maxContains': countContains,
  'x-maxListed': countListed,
  'x-maxDepth': depthOf,
  'x-maxText': textLength,
};

/** Teaches Ajv the bounds of a schema that contains itself. They count for the outermost value only. */
export function boundRecursion(ajv: Ajv): void {
  for (const [keyword, measure] of Object.entries(MEASURES)) {
    const validate: SchemaValidateFunction = (max: number, value: unknown, _schema, context) =>
      typeof context?.parentDataProperty === 'number' || measure(value) <= max;
    ajv.addKeyword({ keyword, validate });
  }
}
