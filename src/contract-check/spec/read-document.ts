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

/**
 * The document with every reference replaced by its target. A reference from within its target is replaced by `{}`,
 * which allows any value.
 */
export function dereference(document: unknown): unknown {
  const replace = (node: unknown, within: string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => replace(item, within));
    if (!isObject(node)) return node;
    const { $ref } = node;
    if (typeof $ref === 'string')
      return within.includes($ref) ? {} : replace(find(document, $ref), [...within, $ref]);
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value, within)]));
  };
  return replace(document, []);
}

/** The YAML document at `path`, with its references. */
export const readDocument = (path: string): unknown => load(readFileSync(path, 'utf8'));
