/** The files of the Python client that come from the spec. */
import { writeOperations } from './python-operations.ts';
import { writeTypes } from './python-types.ts';
import { readOperations, type Spec } from './spec-shapes.ts';

/** Their names below generated/python/, and their texts. */
export function writePythonFiles(spec: Spec): Record<string, string> {
  const operations = readOperations(spec);
  return { 'types.py': writeTypes(spec, operations), '_operations.py': writeOperations(spec, operations) };
}
