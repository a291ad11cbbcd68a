/** Reads an OpenAPI document for tools that do not support references. */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

const isObject = (node: unknown): node is Record<string, unknown> =>
  typeof node === 'object' && node !== null;

const find = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), document);

/** The document with every reference replaced by its target; a cycle of references ends in a RangeError. */
export function dereference(document: unknown): unknown {
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace);
    if (!isObject(node)) return node;
    if (typeof node.$ref === 'string') return replace(find(document, node.$ref));
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value)]));
  };
  return replace(document);
}

/** The YAML document at `path`, with its references. */
export const readDocument = (path: string): unknown => load(readFileSync(path, 'utf8'));
