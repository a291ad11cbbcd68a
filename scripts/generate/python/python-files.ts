/** The files of the Python client that come from the spec. */
import { writeOperations } from './python-operations.ts';
import { writeTypes } from './python-types.ts';
import { readOperations, type Spec } from './spec-shapes.ts';

/** `{ allOf: [{ $ref }], description }`, by which a field has its own description → `{ $ref, description }` */
function flatten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flatten);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, ...rest } = value as { allOf?: unknown[] };
  const flat = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, flatten(inner)]));
  return Array.isArray(allOf) && allOf.length === 1 ? { ...(allOf[0] as object), ...flat } : flat;
}

/** Their names below generated/python/, and their texts. */
export function writePythonFiles(given: Spec): Record<string, string> {
  const spec = flatten(given) as Spec; // of the same form
  const operations = readOperations(spec);
  return { 'types.py': writeTypes(spec, operations), '_operations.py': writeOperations(spec, operations) };
}
